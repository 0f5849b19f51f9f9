"""Colours of charts: names that pages resolve by their style sheet, and the values that paper gets.

Blue, vermilion and yellow of Okabe and Ito with a grey stay apart for every kind of colour vision; arms also differ
in shape. The light values are the same as in base.css (a test compares them).
"""

from typing import Final

from analysis.charts import Role

PAPER: Final = {
    "chart-paper": "#ffffff",
    "chart-text": "#1b2129",
    "chart-grid": "#d3d8df",
    "chart-baseline": "#5b6673",
    "chart-candidate": "#0072b2",
    "chart-margin": "#e6c34a",
    "chart-interval": "#d55e00",
}

ROLES: Final[dict[Role, str]] = {
    "baseline": "chart-baseline",
    "candidate": "chart-candidate",
    "interval": "chart-interval",
    "margin": "chart-margin",
    "reference": "chart-text",
}


def token(role: Role) -> str:
    """The name that a page replaces by the colour of its theme: "@chart-baseline"."""
    return f"@{ROLES[role]}"


def on_paper(role: Role) -> str:
    """The colour of a role in the PDF."""
    return PAPER[ROLES[role]]
