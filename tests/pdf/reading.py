"""What programs of other people read in a PDF."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path


def said(*command: str | Path) -> str:
    """What the command writes; it must succeed."""
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


def text_of(pdf: Path, page: int | None = None) -> str:
    """The text of the PDF or of one page, white space made even."""
    pages = ["-f", str(page), "-l", str(page)] if page else []
    return " ".join(said("pdftotext", "-raw", *pages, pdf, "-").split())


@dataclass(frozen=True)
class Word:
    """A word on paper: its ends in points, and the width of its page."""

    text: str
    left: float
    right: float
    bottom: float
    page_width: float
    page_height: float


def words_of(pdf: Path) -> list[Word]:
    """Every word with its place."""
    words, width, height = [], 0.0, 0.0
    for line in said("pdftotext", "-bbox", pdf, "-").splitlines():
        numbers = [float(number) for number in re.findall(r'"([\d.]+)"', line)]
        if "<page" in line:
            width, height = numbers
        if "<word" in line:
            left, _top, right, bottom = numbers
            words.append(Word(re.sub(r"<[^>]+>", "", line).strip(), left, right, bottom, width, height))
    return words
