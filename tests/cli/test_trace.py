"""`countersign trace`, on traces made by hand."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.typed import typed

STEPS = 6


def trace(path: Path, *, name: str = "aten::mm", kernel: float = 20.0, steps: bool = True, **more: object) -> Path:
    events = []
    for n in range(STEPS):
        start = 100 * n
        if steps:
            events.append(_event("user_annotation", f"ProfilerStep#{n}", start, 90))
        events += [
            _event("cpu_op", name, start, 10 + n % 2),
            _event("kernel", "void gemm<float>(float*)", start + 20, kernel + n % 2, pid=0, tid=7),
            _event("kernel", "ncclDevKernel_AllReduce", start + 30, 20, pid=0, tid=20),
        ]
    content = json.dumps({"schemaVersion": 1, "traceEvents": events} | more).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def _event(cat: str, name: str, ts: float, dur: float, pid: int = 1, tid: int = 1) -> dict[str, object]:
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid}


def test_it_says_where_the_traces_part_and_that_this_is_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "trace", trace(tmp_path / "a.json"), trace(tmp_path / "b.json.gz", name="aten::conv"))

    assert answer.code == 0
    assert answer.out.startswith(
        "The traces do not run the same: in the operators they part at place 1 of a step, where"
    )
    assert "this is no verdict" in answer.out
    assert "operators            1         aten::mm  aten::conv  5, 5" in answer.out


def test_a_longer_kernel_is_found_in_time_with_its_stage_and_its_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "trace", trace(tmp_path / "a.json"), trace(tmp_path / "b.json", kernel=30))

    assert "part in time: compute stands apart" in answer.out
    assert "excluded, as alike, is host operators" in answer.out
    assert "void gemm" in answer.out
    assert "+0.01 ms" in answer.out
    assert "baseline   0       all     0.18 ms" in answer.out


def test_the_kernels_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = trace(tmp_path / "a.json")

    assert "kernel, per step" not in typed(capsys, "trace", one, one, "--kernels", "0").out
    assert typed(capsys, "trace", one, one, "--kernels", "-1").code == 64


def test_json_carries_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = trace(tmp_path / "a.json")

    answer = json.loads(typed(capsys, "trace", one, trace(tmp_path / "b.json", kernel=30), "--json").out)

    assert (answer["divergence"], answer["found"], answer["excluded"]) == ("time", ["compute"], ["host operators"])
    assert answer["stages"] is None
    assert answer["description"]["steps"] == [5, 5]
    assert [stage["judged"] for stage in answer["description"]["stages"]] == ["alike", "apart", "apart"]
    of_baseline = [row["busy"]["thread"] for row in answer["devices"] if row["arm"] == "baseline"]
    assert of_baseline == ["", "20", "7"]


def test_a_trace_of_the_host_alone_has_no_table_of_devices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [_event("user_annotation", "gloo:send", 1, 2)]}))

    answer = typed(capsys, "trace", path, path)

    assert answer.code == 0
    assert "device" not in answer.out.splitlines()[-2]
    assert "order of" not in answer.out


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"results": []}', "unknown_format"),
        (
            gzip.compress(b'{"schemaVersion": 1, "traceEvents": [{"ph": "X", "ts": 1, "dur": 1}]}', mtime=0)[:-9],
            "broken_container",
        ),
        (b'[{"ph": "X", "ts": 1, "dur": []}]', "not_a_number"),
        (b'[{"ph": "M", "ts": 1}]', "no_events"),
    ],
)
def test_what_is_no_trace_is_refused(
    content: bytes, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_bytes(content)

    answer = typed(capsys, "trace", tmp_path / "x", trace(tmp_path / "b.json"))

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err


def test_a_trace_with_steps_is_not_compared_with_one_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "trace", trace(tmp_path / "a.json"), trace(tmp_path / "b.json", steps=False))

    assert "[steps_differ]" in answer.err


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(capsys, "trace", tmp_path / "none", tmp_path / "none").code == 64


def test_what_differs_in_the_profiles_and_how_they_were_read_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = trace(tmp_path / "a.json", record_shapes=1, deviceProperties=[{"name": "A100"}, {"name": "A100"}, 5])
    other = trace(tmp_path / "b.json", with_stack=True, deviceProperties=[{"id": 0}])
    other.write_text(f"{other.read_text()} bye")

    answer = typed(capsys, "trace", one, other)

    assert "The profiles differ in record_shapes: 1 in the baseline, not stated in the candidate." in answer.out
    assert "The profiles differ in with_stack: not stated in the baseline, true in the candidate." in answer.out
    assert "The profiles differ in deviceProperties: A100 in the baseline, not stated in the candidate." in answer.out
    assert "In the candidate, there is text after the last value: passed over." in answer.out


def test_events_that_were_not_read_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.json"
    events = [_event("cpu_op", "aten::mm", 10, 5), {"ph": "X", "cat": "cpu_op", "name": "aten::late", "ts": 20}]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))

    answer = typed(capsys, "trace", path, path)

    assert "Events of the candidate not read, because they have no duration" in answer.out
    assert "The profiles differ" not in answer.out


def test_several_traces_of_each_arm_are_judged_with_their_stages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = (0.0, 0.13, 0.31, 0.22, 0.08, 0.27)
    arms = [
        [_run(tmp_path / f"{arm}{n}.json", kernel + more) for n, more in enumerate(noise)]
        for arm, kernel in (("a", 20.0), ("b", 24.0))
    ]
    words = ("--metric", "step_time:mean", "--better", "lower", "--margin", "2%")

    answer = typed(capsys, "compare", *arms[0], "--candidate", *arms[1], *words)

    assert answer.code == 1
    assert "Divergence is established at compute" in answer.out
    assert "outside the stages" in answer.out


def _run(path: Path, kernel: float) -> Path:
    """A trace of three steps that take as much longer as their kernel does."""
    events = []
    for n in range(3):
        wait = 10 + (kernel * 7 + n) % 0.5
        events += [
            _event("user_annotation", f"ProfilerStep#{n}", 200 * n, wait + kernel + 20),
            _event("cpu_op", "aten::mm", 200 * n, wait),
            _event("kernel", "gemm", 200 * n + 30, kernel, pid=0, tid=7),
        ]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


def _runs(folder: Path) -> tuple[list[Path], list[Path]]:
    noise = (0.0, 0.13, 0.31, 0.22, 0.08, 0.27)
    baseline, candidate = (
        [_run(folder / f"{arm}-b{n}.json", kernel + more) for n, more in enumerate(noise)]
        for arm, kernel in (("a", 20.0), ("b", 24.0))
    )
    return baseline, candidate


def test_several_traces_of_each_arm_have_intervals_over_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline, candidate = _runs(tmp_path)

    answer = typed(capsys, "trace", *baseline, "--candidate", *candidate)

    assert answer.code == 0
    assert "Where the difference begins: Divergence is established at compute" in answer.out
    assert "no verdict" not in answer.out
    assert "Counted: 6 runs per arm" in answer.out
    assert "Assumes: runs are independent of each other" in answer.out
    assert "A whole step of the candidate takes 1.07" in answer.out
    assert "noise of the baseline, run to run" in answer.out


def test_blocks_come_from_the_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline, candidate = _runs(tmp_path)

    answer = typed(capsys, "trace", *baseline, "--candidate", *candidate, "--pattern", "*-b{block}.json")

    assert "Counted: 6 blocks" in answer.out


def test_markdown_is_for_a_pull_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline, candidate = _runs(tmp_path)

    answer = typed(capsys, "trace", *baseline, "--candidate", *candidate, "--markdown")

    assert answer.out.startswith("**Traces.** ")
    assert "| stage | ratio | interval | standing |" in answer.out
    assert "- 6 traces of the baseline with 18 steps; 6 traces of the candidate with 18 steps." in answer.out


def test_a_wider_margin_excludes_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline, candidate = _runs(tmp_path)

    answers = [
        json.loads(typed(capsys, "trace", *baseline, "--candidate", *candidate, "--json", "--margin", margin).out)[
            "excluded"
        ]
        for margin in ("0.1%", "20%")
    ]

    assert answers == [[], ["host operators"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a.json",), "Give two traces"),
        (("a.json", "a.json", "a.json"), "Give two traces"),
        (("a.json", "a.json", "--margin", "0"), "excludes nothing"),
        (("a.json", "a.json", "--margin", "much"), "is no share"),
    ],
)
def test_words_that_do_not_fit_together_are_wrong_usage(
    words: tuple[str, ...],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    trace(tmp_path / "a.json")

    answer = typed(capsys, "trace", *words)

    assert answer.code == 64
    assert said in answer.err


def test_one_trace_twice_is_no_second_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = trace(tmp_path / "a.json"), trace(tmp_path / "b.json", kernel=30)

    answer = typed(capsys, "trace", one, one, "--candidate", other)

    assert answer.code == 4
    assert "[duplicate_run]" in answer.err


def test_a_kernel_trace_of_rocprof_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for name, end in (("a.csv", 300), ("b.csv", 500)):
        rows = f"Kind,Agent_Id,Queue_Id,Kernel_Name,Start_Timestamp,End_Timestamp\nK,1,2,gemm<4>,100,{end}\n"
        (tmp_path / name).write_text(rows)
        paths.append(tmp_path / name)

    answer = typed(capsys, "trace", *paths)

    assert answer.code == 0
    assert "whole trace is compared as one" in answer.out
    assert "gemm" in answer.out


def test_more_kernels_than_are_listed_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = trace(tmp_path / "a.json")

    assert "… and 1 more: --kernels N prints more" in typed(capsys, "trace", one, one, "--kernels", "1").out


def test_renamed_operators_have_a_table_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = trace(tmp_path / "a.json", name="aten::cudnn_convolution")
    other = trace(tmp_path / "b.json", name="aten::miopen_convolution")

    answer = typed(capsys, "trace", one, other)

    assert "do not run the same" not in answer.out
    assert "aten::cudnn_convolution  aten::miopen_convolution" in answer.out
