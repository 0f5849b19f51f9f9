"""Whatever the bytes, a parser reads or refuses, and what it reads is whole."""

import json
import math

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
    [b"", b"0", b"-1", b"NaN", b"null", b'"', b"\\", b"[", b"]", b"{", b"}", b",", b"\n", b"1e999", b"\x00"]
)


@st.composite
def nearly(draw: st.DrawFn) -> bytes:
    """A good file with a piece of it replaced."""
    content = draw(st.sampled_from(CONTENTS))
    start = draw(st.integers(0, len(content)))
    end = draw(st.integers(start, min(len(content), start + 20)))
    return content[:start] + draw(PIECES | st.binary(max_size=8)) + content[end:]


ANYTHING = st.binary(max_size=200) | TREES.map(json.dumps).map(str.encode) | nearly()
EXAMPLES = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


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


@pytest.mark.parametrize("form", evidence.FORMATS, ids=lambda form: form.name)
@EXAMPLES
@given(content=ANYTHING)
def test_a_parser_reads_or_refuses(form: Format, content: bytes) -> None:
    where, reading = "x", None
    try:
        reading = form.parse(Document(content, "x"))
    except MalformedEvidence as refusal:
        where = refusal.where

    assert where.startswith("x")
    if reading is not None:
        assert_whole(reading)


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
