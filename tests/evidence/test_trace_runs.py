"""Files of any format as the traces of runs: containers, several processes in a file, and what is no trace."""

import gzip
import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import traces
from analysis.evidence.format import Document
from analysis.evidence.traces import RunTrace, Traced
from analysis.traces import comparison
from analysis.traces.events import Kind
from analysis.traces.stages import windows
from analysis.traces.summary import kernel_totals
from tests.evidence import golden, make, real

HTA = "pytorch-trace/hta"


def runs(content: bytes, name: str = "x") -> tuple[Traced, ...]:
    return traces.runs_in(io.BytesIO(content), name)


def kineto(*, rank: object = None) -> bytes:
    event = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5}
    told = {} if rank is None else {"distributedInfo": {"rank": rank}}
    return json.dumps({"schemaVersion": 1, "traceEvents": [event]} | told).encode()


@pytest.mark.parametrize("folder", traces.FORMATS)
def test_a_trace_of_every_format_gives_the_runs_and_the_kernels_of_its_reading(folder: str) -> None:
    cases = [case for case in golden.CASES if case.relative_to(golden.HERE).parts[0] == folder]
    read = 0
    for document in map(golden.document, cases):
        try:
            reading = evidence.read(document, folder)
        except MalformedEvidence:
            continue
        staged = {m.run for m in reading.measurements if m.metric in ("step_time", "trace_time")}
        if not staged:
            continue
        found = runs(document.content, document.name)
        assert {one.key for one in found} == staged
        assert all(isinstance(one, RunTrace) and len(one.content) for one in found)
        read += 1
    assert read


def test_members_of_an_archive_are_runs_of_their_own_called_as_a_reading_calls_them() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for n in range(2):
            archive.writestr(f"run{n}.json", kineto())
        archive.writestr("note.txt", "hello")
    document = Document(packed.getvalue(), "all.zip")

    found = runs(document.content, document.name)

    assert [one.key for one in found] == ["run0.json:0", "run1.json:0"]
    assert [one.key for one in found] == [run.key for run in evidence.read(document).runs]


def test_a_packed_profile_is_read() -> None:
    rows = "Kind,Agent_Id,Queue_Id,Kernel_Name,Start_Timestamp,End_Timestamp\nKERNEL_DISPATCH,1,2,gemm,100,300\n"

    [found] = runs(gzip.compress(rows.encode()))

    assert isinstance(found, RunTrace)
    assert found.content.length.tolist() == [200]


def test_a_single_member_is_the_file_itself() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("run.json", kineto())

    assert [one.key for one in runs(packed.getvalue())] == ["0"]


@pytest.mark.parametrize(("rank", "expected"), [(None, ""), (3, "3"), ("?", "")])
def test_the_rank_of_a_distributed_job_is_known_where_the_file_says_it(rank: object, expected: str) -> None:
    [found] = runs(kineto(rank=rank))

    assert found.rank == expected


@pytest.mark.parametrize("content", ["{}", "", json.dumps(make.hyperfine())])
def test_other_files_are_no_traces(content: str) -> None:
    with pytest.raises(UnknownFormat) as refusal:
        runs(content.encode(), "file")

    assert (refusal.value.code, refusal.value.where) == ("unknown_format", "file")
    assert "tables of the times of stages" in refusal.value.message


def test_a_database_without_its_tables_is_refused_by_its_reader() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT)")

    with pytest.raises(MalformedEvidence) as refusal:
        runs(connection.serialize())

    assert refusal.value.code == "missing"


def test_kernels_of_a_database_are_kernels() -> None:
    document = next(golden.document(case) for case in golden.CASES if case.parent.name == "nsys-sqlite")

    [found] = runs(document.content)

    assert isinstance(found, RunTrace)
    assert set(found.trace.events.kind.tolist()) >= {Kind.KERNEL, Kind.LAUNCH}


# Real pairs


def real_run(folder: Path, path: str) -> RunTrace:
    with (folder / HTA / path).open("rb") as file:
        [found] = traces.runs_in(file, path)
    assert isinstance(found, RunTrace)
    return found


def test_an_inserted_operator_is_the_first_divergence(real_evidence: Path) -> None:
    base, test = (real_run(real_evidence, f"trace_compare/{n}/{n}.json.gz").trace.events for n in ("base", "test"))

    found = comparison.compare(base, test)

    assert found.divergence == "structure"
    assert [(lane.lane, lane.at, lane.baseline, lane.candidate) for lane in found.lanes if lane.what != "none"] == [
        ("operators", 2, "", "All2All_Pooled_Req")
    ]
    assert found.lanes[0].steps == (0, 1)


@pytest.mark.parametrize(("arm", "kernels", "seconds"), [("control", 8568, 0.4468), ("test", 9876, 0.8019)])
def test_the_kernels_of_a_real_trace_are_all_counted(
    arm: str, kernels: int, seconds: float, real_evidence: Path
) -> None:
    events = real_run(real_evidence, f"trace_diff/{arm}/{arm}.json.gz").trace.events
    totals = kernel_totals(events)

    assert len(windows(events).names) == 6
    assert sum(row.count for row in totals) == kernels
    assert sum(row.total for row in totals) / 1e9 == pytest.approx(seconds, abs=5e-5)


def test_two_real_traces_of_two_devices_part_in_structure(real_evidence: Path) -> None:
    control, test = (real_run(real_evidence, f"trace_diff/{n}/{n}.json.gz") for n in ("control", "test"))

    found = comparison.compare(control.content, test.content)

    assert found.divergence == "structure"
    assert (found.lanes[0].baseline, found.lanes[0].candidate) == ("aten::gather", "aten::narrow")
    assert found.step.ratio == pytest.approx(1.588, abs=5e-4)
    assert any("A100" in said and "V100" in said for said in traces.cautions([control], [test]))


def test_every_real_file_of_executions_is_a_trace(real_evidence: Path) -> None:
    read = 0
    for expected in real.EXPECTED:
        if expected.format not in traces.FORMATS or "trace_time" not in str(expected.spots):
            continue
        with (real_evidence / expected.path).open("rb") as file:
            assert len(traces.runs_in(file, expected.path)) == expected.runs
        read += 1
    assert read > 20
