"""Whatever the bytes, every parser reads or refuses, in bounded time and memory, and what it reads is whole."""

import json
import math
import resource
from collections import defaultdict
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis import evidence
from analysis.errors import AnalysisError, MalformedEvidence
from analysis.evidence.format import Document, Format
from analysis.measurements import BASE_UNITS, Measurement
from analysis.reading import Reading
from tests.evidence import golden

CONTENTS = [golden.document(case).content for case in golden.CASES]
KEYS = sorted(
    {word for content in CONTENTS for word in content.decode("utf-8-sig", errors="ignore").replace(",", '"').split('"')}
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(KEYS)
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=8)
)
PIECES = st.sampled_from(
    [b"", b"0", b"-1", b"NaN", b"null", b'"', b"\\", b"[", b"]", b"{", b"}", b",", b"\n", b"1e999", b"\x00", b"9" * 400]
)
MORE_KIB = 256 * 1024


def _own() -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = defaultdict(list)
    for case in golden.CASES:
        found[case.relative_to(golden.HERE).parts[0]].append(golden.document(case).content)
    return found


OWN = _own()
"""The good files of each format."""


@st.composite
def nearly(draw: st.DrawFn, contents: list[bytes]) -> bytes:
    """A good file with a piece of it replaced."""
    content = draw(st.sampled_from(contents))
    start = draw(st.integers(0, len(content)))
    end = draw(st.integers(start, min(len(content), start + 20)))
    return content[:start] + draw(PIECES | st.binary(max_size=8)) + content[end:]


@st.composite
def cut(draw: st.DrawFn, contents: list[bytes]) -> bytes:
    """A good file without its end, or without a part of its middle."""
    content = draw(st.sampled_from(contents))
    start = draw(st.integers(0, len(content)))
    return content[:start] + content[draw(st.integers(start, len(content))) :]


@st.composite
def other_values(draw: st.DrawFn, contents: list[bytes]) -> bytes:
    """A good file in JSON with another value at one place; of a file that is no JSON, its first half."""
    content = draw(st.sampled_from(contents))
    try:
        value = json.loads(content)
    except ValueError:
        return content[: len(content) // 2]
    holder: Any = value
    while isinstance(holder, dict | list) and holder:
        key = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
        if not isinstance(holder[key], dict | list) or not holder[key] or draw(st.integers(0, 3)) == 0:
            holder[key] = draw(TREES)
            break
        holder = holder[key]
    return json.dumps(value).encode()


ANYTHING = st.binary(max_size=200) | TREES.map(json.dumps).map(str.encode) | nearly(CONTENTS)
EXAMPLES = settings(
    max_examples=150, deadline=timedelta(seconds=30), derandomize=True, suppress_health_check=list(HealthCheck)
)


def assert_whole(reading: Reading) -> None:
    runs = {run.key for run in reading.runs}
    assert len(runs) == len(reading.runs) > 0
    assert all((run.reason != "") == (run.status != "completed") and run.where for run in reading.runs)
    for m in reading.measurements:
        assert m.run in runs
        assert m.unit in BASE_UNITS
        assert m.where
        assert (m.value is None) == (m.reason != "")
        assert m.value is None or math.isfinite(m.value)
        assert m.value is None or m.unit not in ("s", "1/s", "J", "W") or m.value > 0 or _may_be_zero(m)
    for setting in reading.settings:
        assert setting.run in runs
        assert setting.where
        assert setting.role != "work" or float(setting.value) >= 0


def _may_be_zero(m: Measurement) -> bool:
    return m.stat == "std" or m.metric in ("queue_time", "device_busy_time") or m.stage != ""


def reads_or_refuses(form: Format, content: bytes) -> None:
    where, reading = "x", None
    try:
        reading = form.parse(Document(content, "x"))
    except MalformedEvidence as refusal:
        where = refusal.where

    assert where.startswith("x")
    if reading is not None:
        assert_whole(reading)


@pytest.mark.parametrize("form", evidence.FORMATS, ids=lambda form: form.name)
def test_a_parser_reads_or_refuses_in_bounded_time_and_memory(form: Format) -> None:
    own = OWN[form.name]

    @EXAMPLES
    @given(content=nearly(own) | cut(own) | other_values(own) | ANYTHING)
    def each(content: bytes) -> None:
        reads_or_refuses(form, content)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    each()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MORE_KIB


@EXAMPLES
@given(content=ANYTHING)
def test_recognition_never_breaks(content: bytes) -> None:
    try:
        reading = evidence.read(Document(content, "x"))
    except AnalysisError:
        return
    assert_whole(reading)


@pytest.mark.parametrize("content", CONTENTS)
def test_a_good_file_is_read_whole(content: bytes) -> None:
    assert_whole(evidence.read(Document(content, "x")))
