"""What a page of docs/ must name. Used by every test of the kind "each X has its entry in page Y"."""

import re
from collections.abc import Iterable

from tests.house.sources import ROOT


def missing_from(page: str, words: Iterable[str]) -> list[str]:
    """The words that stand nowhere on the page as code (`word`) or as a heading or term of their own, sorted."""
    text = (ROOT / page).read_text()
    named = set(re.findall(r"`([^`\n]+)`", text))
    named |= {line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#")}
    named |= set(re.findall(r"^\*\*([^*\n]+)\*\*", text, re.MULTILINE))
    return sorted(set(words) - named)


def links(page: str) -> list[str]:
    """The relative targets of the page's Markdown links, without anchors."""
    targets = re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text())
    return [target.split("#")[0] for target in targets if "://" not in target and not target.startswith("#")]
