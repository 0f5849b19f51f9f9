/* Draws each chart of the page from the JSON beside it. Colours are names ("@chart-baseline") of the style sheet's
   custom properties, so that light, dark and print need no other data. Without this script the table still stands. */
"use strict";

(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  const themed = (value) => {
    if (typeof value === "string") return value.startsWith("@chart-") ? colour(value.slice(1)) : value;
    if (Array.isArray(value)) return value.map(themed);
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, themed(inner)]));
    return value;
  };

  const draw = (place) => {
    const figure = themed(JSON.parse(document.getElementById(place.dataset.chart).textContent));
    window.Plotly.react(place, figure.data, figure.layout, figure.config);
  };

  const drawAll = (root) => root.querySelectorAll("[data-chart]").forEach(draw);

  document.addEventListener("DOMContentLoaded", () => drawAll(document));
  document.addEventListener("htmx:load", (event) => drawAll(event.detail.elt));
  dark.addEventListener("change", () => drawAll(document));
})();
