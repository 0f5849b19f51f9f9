"""Traces: what the golden cases do not show. Blocks are made small, so that a short file has many of them."""

import gzip
import io
import json
from collections.abc import Mapping

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence
from analysis.evidence import (
    pytorch_trace,
    trace_file,
    trace_outline,
    trace_source,
)
from analysis.evidence.format import Document
from analysis.reading import Reading
from tests.evidence import make

Event = Mapping[str, object]
BASE = 4_203_669_603_000.125


def event(name: object = "aten::add", ts: object = 10, dur: object = 5, **more: object) -> Event:
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur} | more


def trace(*events: object, **fields: object) -> str:
    return json.dumps({"schemaVersion": 1, "traceEvents": events} | fields)


def value(reading: Reading, metric: str = "trace_time", stage: str = "") -> float | None:
    [found] = [m.value for m in reading.measurements if (m.metric, m.stage) == (metric, stage)]
    return found


def whole(content: str) -> float | None:
    return value(make.read(content))


@pytest.mark.parametrize("size", [1, 7, 64, 200, 1000])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_reads_the_same_in_blocks_of_any_size(
    size: int, indent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tricky = event('a "{" \\ },{', args={"Input Dims": [[1], [2]], "more": [{"a": {}}, {"b": "]}"}], "name": 5})
    events = [event(f"op {n}", 10 + n, 1 + n, args={"Input Dims": [[n]]}) for n in range(40)] + [tricky] * 3
    content = json.dumps(
        {"schemaVersion": 1, "note": 'not "traceEvents": [', "traceEvents": events, "after": [{}, {"x": []}]},
        indent=indent,
    )
    before = make.read(content)

    monkeypatch.setattr(trace_file, "BLOCK", size)

    assert make.read(content) == before
    assert value(before) == 79e-6


def test_a_block_is_cut_where_the_guess_proves_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_file, "BLOCK", 300)
    monkeypatch.setattr(trace_file, "outline", None)  # not needed before the end
    source = io.BytesIO(trace(*[event(ts=n) for n in range(30)]).encode())
    file = trace_file.TraceFile[object](source, "x", json.loads, lambda *_: pytest.fail("refused"))

    batches = file.batches()

    assert len(next(batches)) > 1
    assert len(next(batches)) > 1


@pytest.mark.parametrize(
    ("text", "end", "closed"),
    [
        (b"", 0, -1),
        (b'{"a": [1, {}]}, {"b": 2}] tail ]', 24, 24),
        (b'{"a": "\\"}"}, {"b', 12, -1),
        (b'{"a": "\\\\"}, {', 11, -1),
        (b'{"a": "]}"}]', 11, 11),
    ],
)
def test_the_outline_of_a_list(text: bytes, end: int, closed: int) -> None:
    found = trace_outline.outline(text)

    assert (found.end, found.closed) == (end, closed)


@pytest.mark.parametrize(
    ("start", "length"),
    [(1_621_401_187_225_275, 3), (BASE, 30.001), (1_712_195_499_113_882.5, 0.75), ("1720749720374811.770", "27.44")],
)
def test_times_of_all_generations_are_exact_to_the_nanosecond(start: object, length: object) -> None:
    reading = make.read(trace(event(ts=start, dur=length)))
    [started] = {m.started_ns for m in reading.measurements}

    assert [m.original for m in reading.measurements][:1] == [str(round(float(str(length)) * 1000))]
    assert started == int(str(start).replace(".", "").ljust(len(str(start).split(".")[0]) + 3, "0"))


def test_coarse_floats_far_from_the_start_stay_exact() -> None:
    """A float of this size holds quarters of a microsecond: read as one, the difference would be 0.25."""
    content = '{"schemaVersion": 1, "traceEvents": [%s, %s]}'
    first = '{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1712195499113882.001, "dur": 0.1}'

    assert whole(content % (first, first.replace(".001", ".101"))) == pytest.approx(0.2e-6, rel=1e-12)


def test_once_times_are_coarse_all_that_follow_are_read_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_file, "BLOCK", 200)
    start = 1_712_195_499_113_882

    assert whole(trace(*[event(ts=start + n / 4, dur=1) for n in range(1, 30)])) == pytest.approx(8e-06, rel=1e-12)


def test_the_start_of_a_run_is_known_from_the_base_or_from_the_epoch() -> None:
    based = make.read(trace(event(ts=1.5), baseTimeNanoseconds=1759300074000000000))
    epoch = make.read(trace(event(ts=1621401187225275)))
    neither = make.read(trace(event(ts=10)))

    assert [r.runs[0].started_ns for r in (based, epoch, neither)] == [
        1759300074000001500, 1621401187225275000, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "code", "where"),
    [
        (trace(event(), event(ts=[1])), "not_a_number", "x.json:traceEvents[1].ts"),
        (trace(event(), event(dur={})), "not_a_number", "x.json:traceEvents[1].dur"),
        (trace(event(), event(ts="soon")), "not_a_number", "x.json:traceEvents[1].ts"),
        (trace(event(), event(name=["a"])), "not_an_object", "x.json:traceEvents[1]"),
        (trace(event(), event(), 7), "not_an_object", "x.json:traceEvents[0]"),
        (trace(event(), 7, event()), "not_an_object", "x.json:traceEvents[1]"),
        (trace(event(ts=1e300)), "no_runs", "x.json:traceEvents"),
        (trace(event(dur=0)), "no_runs", "x.json:traceEvents"),
        (trace(event(), deviceProperties={}), "not_a_list", "x.json:deviceProperties"),
        (trace(event()).replace('"ts": 10', '"ts" 10'), "malformed_json", "x.json:traceEvents[0]"),
        (trace(event(), event()).replace('5}, {"ph"', '5}, {"ph'), "malformed_json", "x.json:traceEvents[1]"),
        (
            trace(event()).replace('"ts": 10', '"ts": 10, "args": ' + "[" * 3000 + "]" * 3000),
            "too_deep",
            "x.json:traceEvents[0]",
        ),
        (
            trace(event("a")).replace('"a"', '"\\c"').replace('"dur":', '"dur"'),
            "malformed_json",
            "x.json:traceEvents[0]",
        ),
        (trace(event())[:-1] + ', "a": 1, "a": 2}', "duplicate_key", "x.json"),
        (trace(event())[:-1] + ', "a": }', "malformed_json", "x.json"),
        ('{"a": 1}{"b": 1, ' + trace(event())[1:], "malformed_json", "x.json"),
    ],
)
def test_a_bad_trace_is_refused_by_its_place(content: str, code: str, where: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content, "pytorch-trace")

    assert (refusal.value.code, refusal.value.where) == (code, where)


def test_a_file_without_events_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read("{}", "pytorch-trace")

    assert refusal.value.code == "malformed_json"


def test_an_event_that_is_endless_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_file, "BLOCK", 16)
    monkeypatch.setattr(trace_file, "AROUND", 64)

    with pytest.raises(MalformedEvidence) as refusal:
        make.read('[{"name": "' + "a" * 500 + '"}]', "pytorch-trace")

    assert refusal.value.code == "too_large"


@pytest.mark.parametrize(
    ("content", "lenience"),
    [
        (trace(event())[:-1] + ',"a": [1', "the file is cut off: only its complete elements were read"),
        (trace(event())[:-1], "the file is cut off: only its complete elements were read"),
        (json.dumps([event()])[:-1], "the list of events is not closed, which the format allows"),
        (json.dumps([event()]) + " bye", "there is text after the last value: passed over"),
        (trace(event())[:-2] + ",]}", "a comma stands behind the last event"),
        (trace(event(args={"x": "\\n"})).replace("\\\\n", "\n"), "a string holds a control character"),
        (trace(event(args={"x": "a"})).replace('"a"', "Infinity"), "bare NaN or Infinity stands for a number"),
    ],
)
def test_leniences_are_named(content: str, lenience: str) -> None:
    reading = make.read(content)

    assert value(reading) == 5e-06
    assert lenience in reading.leniences
    assert (reading.runs[0].status == "partial") == ("cut off" in lenience)


@pytest.mark.parametrize("size", [4, 10_000])
def test_letters_of_another_encoding_are_read_as_windows_1252(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_file, "BLOCK", size)
    content = trace(event("lat\N{LATIN SMALL LETTER E WITH ACUTE}"), event(ts=20)).encode().replace(b"\\u00e9", b"\xe9")

    reading = evidence.read(Document(content, "x.json"))

    assert value(reading) == 15e-06
    assert "the text is no UTF-8: read as Windows-1252" in reading.leniences


def test_a_letter_that_a_block_cuts_is_no_other_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.dumps([event("\N{GREEK SMALL LETTER MU}" * 40 + "\\c")] * 3, ensure_ascii=False).replace(
        "\\\\c", "\\c"
    )
    for size in range(20, 60):
        monkeypatch.setattr(trace_file, "BLOCK", size)

        reading = make.read(content)

        assert reading.leniences == ("a string holds a backslash that is no JSON escape: taken as a plain backslash",)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_other_encodings_are_read_in_blocks_as_well(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_file, "BLOCK", 50)
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    content = mark + trace(*[event("\N{GREEK SMALL LETTER MU}", ts) for ts in range(20)]).encode(encoding)

    assert value(evidence.read(Document(content, "x.json"))) == 24e-06


def test_a_packed_file_is_read_forward() -> None:
    packed = gzip.compress(trace(event()).encode())

    found = trace_source.read_from(gzip.GzipFile(fileobj=io.BytesIO(packed)), "x", pytorch_trace.kind_of, named=False)

    assert found.events.length.tolist() == [5000]
