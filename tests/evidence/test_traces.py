"""Traces: what the golden cases do not show. Blocks are made small, so that a short file has many of them."""

import gzip
import io
import json
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import (
    chrome_trace,
    limits,
    pytorch_trace,
    trace_columns,
    trace_file,
    trace_outline,
    trace_source,
    traces,
)
from analysis.evidence.format import Document
from analysis.reading import Reading
from analysis.traces.events import Kind, Lane
from tests.evidence import make, xplane

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


def test_a_first_step_that_takes_long_is_said() -> None:
    steps = [event(f"ProfilerStep#{n}", 100 * n, 90 if n == 0 else 30, cat="user_annotation") for n in range(4)]

    reading = make.read(trace(*steps))

    said = "The first step, ProfilerStep#0, took 9e-05 s, more than 1.5 times as long as the middle one of the others"
    assert f"{said}: it may be warm-up." in reading.notices
    assert not any("may be warm-up" in said for said in make.read(trace(*steps[1:])).notices)


def test_devices_without_a_name_are_no_setting() -> None:
    reading = make.read(trace(event(), deviceProperties=[{"id": 0}, 5], distributedInfo=[], traceName="t"))

    assert [(s.name, s.role) for s in reading.settings] == [
        ("schemaVersion", "configuration"),
        ("traceName", "identity"),
    ]


def test_the_same_shapes_written_otherwise_are_the_same() -> None:
    shapes = ("[[1, 2]]", "[[1,2]]", "[ [ 1 , 2 ] ]", "[[1, 3]]")
    content = trace(*[event(ts=10 + n, args={"Input Dims": f"S{n}"}) for n in range(4)])
    for n, shape in enumerate(shapes):
        content = content.replace(f'"S{n}"', shape)

    found = trace_source.read(Document(content.encode(), "x"), pytorch_trace.kind_of, named=False).events

    assert [found.shapes[code] for code in found.shape] == ["[[1,2]]"] * 3 + ["[[1,3]]"]


@pytest.mark.parametrize(
    ("cat", "name", "kind"),
    [
        ("user_annotation", "ProfilerStep#12", Kind.STEP),
        ("Operator", "ProfilerStep#12", Kind.STEP),
        ("gpu_user_annotation", "ProfilerStep#12", Kind.OTHER),
        ("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", Kind.INPUT),
        ("user_annotation", "gloo:all_reduce", Kind.HOST_COMMUNICATION),
        ("user_annotation", "forward", Kind.OTHER),
        ("cpu_op", "aten::mm", Kind.OPERATOR),
        ("Kernel", "gemm", Kind.KERNEL),
        ("kernel", "ncclDevKernel_AllGather", Kind.COMMUNICATION),
        ("gpu_memset", "Memset", Kind.MEMORY),
        ("cuda_runtime", "hipStreamSynchronize", Kind.SYNCHRONISATION),
        ("cuda_driver", "cuLaunchKernel", Kind.LAUNCH),
        ("cuda_sync", "Context Sync", Kind.SYNCHRONISATION),
        ("python_function", "a.py(3): f", Kind.OTHER),
    ],
)
def test_the_kind_of_an_event_of_pytorch(cat: str, name: str, kind: Kind) -> None:
    assert pytorch_trace.kind_of(cat, name, Lane("", "")) == kind


@pytest.mark.parametrize(
    ("process", "thread", "name", "kind"),
    [
        ("/device:GPU:0 (1)", "Stream #14(Compute)", "fusion", Kind.KERNEL),
        ("/device:GPU:0 (1)", "Stream #15(MemcpyD2H)", "MemcpyD2H", Kind.MEMORY),
        ("/device:TPU:0 (1)", "XLA Ops", "all-to-all.3", Kind.COMMUNICATION),
        ("/device:TPU:0 (1)", "XLA Ops", "collective-permute", Kind.COMMUNICATION),
        ("/device:TPU:0 (1)", "XLA Ops", "infeed.2", Kind.INPUT),
        ("/device:TPU:0 (1)", "Steps", "7", Kind.STEP),
        ("/device:TPU:0 (1)", "XLA Modules", "jit_step", Kind.OTHER),
        ("/device:CPU:0 (1)", "Stream", "fusion", Kind.OPERATOR),
        ("/host:CPU (1)", "python", "Iterator::Map", Kind.INPUT),
        ("7", "8", "x", Kind.OPERATOR),
        ("/host:CPU (1)", "python", "$train.py:3 step", Kind.OTHER),
        ("/host:CPU (1)", "python", "hipModuleLaunchKernel", Kind.LAUNCH),
        ("/host:CPU (1)", "python", "cuStreamSynchronize", Kind.SYNCHRONISATION),
    ],
)
def test_the_kind_of_an_event_of_jax(process: str, thread: str, name: str, kind: Kind) -> None:
    assert chrome_trace.kind_of("", name, Lane(process, thread)) == kind


def test_a_trace_that_may_be_capped_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chrome_trace, "CAPPED", 1)

    assert chrome_trace.PERHAPS_CAPPED in make.read([{"ph": "X", "ts": 1, "dur": 2, "name": "a"}]).notices


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "lanes"),
    [
        (trace(event()), [Lane("1", "1")]),
        (
            json.dumps(
                [
                    {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "/device:TPU:0"}},
                    {"ph": "M", "name": "thread_name", "pid": 3, "tid": 2, "args": {"name": "XLA Ops"}},
                    {"ph": "X", "name": "fusion", "pid": 3, "tid": 2, "ts": 1, "dur": 5},
                ]
            ),
            [Lane("/device:TPU:0 (3)", "XLA Ops")],
        ),
    ],
)
def test_the_events_of_a_trace_are_those_of_its_format(
    content: str, lanes: list[Lane], pack: Callable[[bytes], bytes]
) -> None:
    found = traces.events_of(Document(pack(content.encode()), "x"))

    assert (found.length.tolist(), list(found.lanes)) == ([5000], lanes)


def test_what_is_no_trace_has_no_events() -> None:
    with pytest.raises(UnknownFormat):
        traces.events_of(make.document(make.hyperfine()))


def test_a_packed_trace_that_is_cut_off_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        traces.events_of(Document(gzip.compress(trace(event()).encode())[:-9], "x"))

    assert refusal.value.code == "broken_container"


ONE_EVENT = '[{"name": "/host:CPU", "lines": [{"name": "a", "started_ns": %d, "events": [["b", 1, %d]]}]}]'


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "no_runs"),
        (xplane.field(1, b"\x12"), "malformed_evidence"),
        (xplane.field(1, b"\x12\x05ab"), "malformed_evidence"),
        (xplane.field(1, b"\x80" * 12), "malformed_evidence"),
        (xplane.field(1, b"\x0b"), "malformed_evidence"),
        (xplane.field(1, 5), "malformed_evidence"),
        (xplane.field(1, xplane.field(2, b"\xff")), "not_text"),
        (xplane.field(1, xplane.field(3, xplane.field(3, b"ab"))), "malformed_evidence"),
        (xplane.field(1, xplane.field(3, xplane.field(4, xplane.field(1, 9)))), "missing"),
        (xplane.space(ONE_EVENT % (9, 0)), "no_runs"),
        (xplane.space(ONE_EVENT % (2**63 - 1, 9)), "not_a_time"),
    ],
)
def test_a_bad_protocol_buffer_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        evidence.read(Document(content, "x"), "jax-xplane")

    assert refusal.value.code == code


def test_fields_of_fixed_size_and_entries_of_other_tables_are_passed_over() -> None:
    fixed = b"\x71" + bytes(8) + b"\x75" + bytes(4)
    event = xplane.field(4, xplane.field(1, 1) + xplane.field(2, 1000) + xplane.field(3, 5000) + fixed)
    names = xplane.field(4, xplane.field(1, 1) + xplane.field(3, 7) + xplane.field(2, xplane.field(2, "op")))
    nameless = xplane.field(4, xplane.field(1, 2) + xplane.field(2, b""))
    plane = xplane.field(2, "/host:CPU") + xplane.field(3, event) + names + nameless + fixed

    reading = evidence.read(Document(xplane.field(7, 1) + xplane.field(1, plane), "x"))

    assert (reading.format, value(reading)) == ("jax-xplane", 5e-9)


@pytest.mark.parametrize("more", ['"cname": "good", ', '"x y": "z", ', ""])
def test_fields_after_a_name_stay_fields_while_other_strings_are_repaired(more: str) -> None:
    first = '{"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "name": "a"}'
    other = (
        '{"ph": "X", "cat": "cpu_op", "name": "b", %s"pid": 1, "tid": 1, "ts": 20, "dur": 5, "args": {"p": "C:\\c"}}'
    )

    found = traces.events_of(Document(f"[{first}, {other % more}, {first}]".encode(), "x"))

    assert [found.names[code] for code in found.name] == ["a", "a", "b"]


def test_names_in_places_and_notices_are_storable_and_short() -> None:
    step = "ProfilerStep#" + "7" * 80
    cats = [event(cat=f"kind {n}\x00", ts=n) for n in range(25)]

    reading = make.read(trace(event(step, cat="user_annotation"), *cats))

    assert {m.where for m in reading.measurements} == {f"x.json:traceEvents ({step[:59]}…)"}
    [unread] = [said for said in reading.notices if said.startswith("Not read")]
    assert unread.count("events of kind") == 20
    assert "kind 0? (1)" in unread
    assert "events of 5 more kinds" in unread


def test_a_protocol_buffer_of_too_many_fields_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROWS", 3)

    with pytest.raises(MalformedEvidence) as refusal:
        evidence.read(Document(xplane.field(7, 1) * 4, "x"), "jax-xplane")

    assert refusal.value.code == "too_many_rows"


@given(st.integers(0, 2**43 * 1000 - 1), st.integers(0, trace_columns.LONGEST_US * 1000))
def test_a_time_written_to_the_nanosecond_is_read_to_the_nanosecond(start: int, length: int) -> None:
    written = [float(f"{time // 1000}.{time % 1000:03d}") for time in (start, length)]

    found, placed = trace_columns.nanoseconds(written, 0, trace_columns.LATEST_US)

    assert placed.all()
    assert found.tolist() == [start, length]
