"""The lines of the text that Prometheus scrapes: types of families, and samples with their labels."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import values
from analysis.evidence.text_reader import Line

KINDS: Final = ("counter", "gauge", "histogram", "summary", "info", "stateset", "unknown", "untyped", "gaugehistogram")
TYPE: Final = re.compile(rf"^# TYPE ([a-zA-Z_:][\w:]*) ({'|'.join(KINDS)})\s*$")
SAMPLE: Final = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+(-?[\d.]+))?(?:\s+# .*)?\s*$")
LABEL: Final = re.compile(r'\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
ESCAPED: Final = re.compile(r"\\(.)")
SECOND: Final = 10**9
PARTS: Final = ("_bucket", "_count", "_sum", "_created", "_total", "_info")
NO_FAMILY: Final = ("_bucket", "_created")


@dataclass(frozen=True, slots=True)
class Series:
    """One sample. family: its name without the part that its kind adds; part: that, such as "_sum", or ""."""

    name: str
    family: str
    part: str
    kind: str
    labels: tuple[tuple[str, str], ...]
    value: str
    at: int | None
    where: str


def read(name: str, lines: tuple[Line, ...]) -> Iterator[Series]:
    """The samples in the order of the file.

    Raises:
        MalformedEvidence: malformed_exposition.
    """
    kinds: dict[str, str] = {}
    scale = SECOND if any(line.text.startswith("# EOF") for line in lines) else SECOND // 1000
    for line in lines:
        where = f"{name}:{line.number}"
        if typed := TYPE.match(line.text):
            kinds[typed[1]] = typed[2]
        if not line.text.strip() or line.text.startswith("#"):
            continue
        sample = SAMPLE.match(line.text)
        if sample is None:
            raise MalformedEvidence("the line is no sample", where=where, code="malformed_exposition")
        family, part = _family(sample[1], kinds)
        kind = kinds.get(family, kinds.get(sample[1], "untyped"))
        labels = tuple(_labels(sample[2] or "", where))
        yield Series(sample[1], family, part, kind, labels, sample[3], _moment(sample[4], scale, where), where)


def _moment(written: str | None, scale: int, where: str) -> int | None:
    """The time of a sample: milliseconds, and in OpenMetrics, which ends with # EOF, seconds."""
    if written is None:
        return None
    number = values.numeral(values.number_in(written), where)
    ns = int(Fraction(number.text) * scale)
    if not 0 <= ns <= values.BIGGEST_COUNT:
        raise MalformedEvidence("this is no epoch time", where=where, code="not_a_time")
    return ns


def _family(name: str, kinds: dict[str, str]) -> tuple[str, str]:
    """The family of a series: the typed one whose name it has, else its own."""
    for part in PARTS:
        bare = name.removesuffix(part)
        if bare != name and (part in NO_FAMILY or bare in kinds):
            return bare, part
    return name, ""


def _labels(text: str, where: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text.rstrip()):
        label = LABEL.match(text, at)
        if label is None:
            raise MalformedEvidence("the labels are no labels", where=where, code="malformed_exposition")
        yield label[1], ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], label[2])
        at = label.end()
