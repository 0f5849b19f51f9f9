/* Two comforts: how far an upload is, and copying a text. Without this script, forms are sent and texts selected as ever. */
"use strict";

document.addEventListener("htmx:xhr:progress", (event) => {
  const bar = event.target.closest("[data-progress]")?.querySelector("progress");
  if (!bar || !event.detail.lengthComputable) return;
  bar.hidden = false;
  bar.value = (100 * event.detail.loaded) / event.detail.total;
});

document.addEventListener("htmx:afterRequest", (event) => {
  const bar = event.target.closest("[data-progress]")?.querySelector("progress");
  if (bar) bar.hidden = true;
});

document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.nextElementSibling.textContent = "Copied.";
    });
  }
});
