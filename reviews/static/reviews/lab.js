/* Playback of the sampling lab: highlights one outcome after the other. Every number comes from the page; nothing is
   computed or drawn at random here. Time 0 highlights nothing, time t the outcome (t - 1) modulo the outcomes. */
"use strict";

(() => {
  const STEP_MS = 600;

  const form = document.getElementById("lab-form");
  const play = document.getElementById("lab-play");
  const step = document.getElementById("lab-step");
  const status = document.getElementById("lab-status");

  let time = 0;
  let ticking = null;

  const model = () => document.getElementById("lab-model");
  const rows = () => model().querySelectorAll("tr[data-outcome]");

  const told = (row) => {
    const [successes, mean, exact, normal] = [...row.children].map((cell) => cell.textContent.trim());
    return `${successes} of ${rows().length - 1} successes: mean proportion ${mean}, exact ${exact}, normal ${normal}.`;
  };

  const show = () => {
    const outcomes = rows();
    const now = time > 0 && outcomes.length ? String((time - 1) % outcomes.length) : null;
    model().querySelectorAll("[data-outcome]").forEach((part) => {
      const current = part.dataset.outcome === now;
      part.classList.toggle("lab-now", current && part.tagName !== "TR");
      if (part.tagName === "TR") part.toggleAttribute("aria-current", current);
      if (part.tagName === "TR" && current) part.setAttribute("aria-current", "true");
    });
    status.textContent = now === null ? `Time ${time}.` : `Time ${time}. ${told(outcomes[Number(now)])}`;
    play.disabled = step.disabled = !outcomes.length;
  };

  const pause = () => {
    clearInterval(ticking);
    ticking = null;
    play.textContent = "Play";
    status.removeAttribute("aria-live");
  };

  const advance = () => {
    time += 1;
    show();
  };

  /* While it plays, a screen reader is not told of every outcome. */
  const start = () => {
    status.setAttribute("aria-live", "off");
    play.textContent = "Pause";
    ticking = setInterval(advance, STEP_MS);
  };

  const mark = () => {
    for (const input of form.querySelectorAll("input")) {
      const wrong = input.name === model().dataset.wrong;
      input.toggleAttribute("aria-invalid", wrong);
      if (wrong) input.setAttribute("aria-invalid", "true");
      if (wrong) input.setAttribute("aria-describedby", "lab-refused");
      else input.removeAttribute("aria-describedby");
    }
  };

  play.addEventListener("click", () => (ticking === null ? start() : pause()));
  step.addEventListener("click", () => {
    pause();
    advance();
  });
  form.addEventListener("input", pause);
  form.addEventListener("submit", pause);
  document.getElementById("lab-reset").addEventListener("submit", (event) => {
    event.preventDefault();
    pause();
    time = 0;
    form.elements.p.value = form.dataset.startP;
    form.elements.n.value = form.dataset.startN;
    show();
    form.requestSubmit();
  });
  document.addEventListener("htmx:afterSwap", () => {
    mark();
    show();
  });
  document.getElementById("lab-no-scripts").hidden = true;
  show();
})();
