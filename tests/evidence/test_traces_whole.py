"""Traces as a whole: kinds of events, steps and devices, repaired names, and protocol buffers that are none."""

import gzip
import json
from collections.abc import Callable

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
    trace_source,
    traces,
)
from analysis.evidence.format import Document
from analysis.traces.events import Kind, Lane
from tests.evidence import make, xplane
from tests.evidence.test_traces import event, trace, value


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
