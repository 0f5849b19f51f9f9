"""Texts that people name on the command line."""

import sys
from pathlib import Path

from reviews.cli.command import UsageError


def text_of(path: str) -> str:
    """The text of a file, or of standard input for "-". Raises UsageError for what is not there or no UTF-8."""
    if path == "-":
        return sys.stdin.read()
    place = Path(path)
    if not place.is_file():
        raise UsageError(f"{path} is a folder." if place.is_dir() else f"There is no file {path}.")
    try:
        return place.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no UTF-8 text: byte {error.start}.") from error
