/* What htmx leaves to the page: a refusal that was put into the page takes the focus, so that it is read out and seen. */
"use strict";

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "refusal") {
    event.detail.target.focus();
    event.detail.target.scrollIntoView({ block: "nearest" });
  }
});

/* The next answer clears the last refusal. */
document.addEventListener("htmx:beforeRequest", () => {
  const refusal = document.getElementById("refusal");
  if (refusal) refusal.replaceChildren();
});
