"""What a command is, what it answers, and how it writes: results on standard output, refusals on standard error."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum


class Exit(IntEnum):
    """Exit codes. Of `compare`, by materiality; the others use OK, FAILED, REFUSED and USAGE."""

    OK = 0
    FAILED = 1
    UNDECIDED = 2
    NOT_COMPARABLE = 3
    REFUSED = 4
    USAGE = 64


@dataclass(frozen=True, slots=True)
class Command:
    """One command. words: as typed ("memo check"). arguments: adds its own to a parser. run: does it."""

    words: str
    title: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]


class UsageError(Exception):
    """Arguments that do not fit together; str() says how they would."""


def write(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(f"{text}\n")


def write_json(value: object) -> None:
    """A JSON document on standard output."""
    write(json.dumps(value, indent=2, ensure_ascii=False))


def complain(text: str) -> None:
    """A line on standard error."""
    sys.stderr.write(f"{text}\n")


def table(rows: Sequence[tuple[str, ...]], heads: tuple[str, ...]) -> str:
    """Rows as aligned columns under their heads."""
    cells = [heads, *rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells)
    return "\n".join(lines)


def pairs(texts: list[str], option: str) -> Mapping[str, str]:
    """NAME=VALUE options as a mapping. Raises UsageError for one without "="."""
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise UsageError(f"{option} takes NAME=VALUE, not {text!r}.")
        found[name] = value
    return found
