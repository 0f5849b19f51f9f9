"""`countersign queue` and `countersign drivers`: waits, the impact of a policy and the graph, in words and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.typed import typed

Capture = pytest.CaptureFixture[str]


def a_file(folder: Path, name: str, waits: tuple[float, ...], *, policy: str = "8", rate: str = "4") -> Path:
    """Runs of 20 requests, of which the last waited for so long, and one did not wait."""
    rows = [
        {
            "run": f"{name}-{n}",
            "settings": {"request_rate": rate, "max_num_seqs": policy},
            "work": {"requests_completed": 20},
            "measurements": [
                {"metric": "queue_wait", "unit": "s", "values": [0, *[0.1] * 18, wait]},
                {"metric": "latency", "unit": "s", "values": [1, *[1.1] * 18, 1 + wait]},
                {"metric": "request_throughput", "unit": "1/s", "stat": "rate", "value": 10 - wait},
            ],
        }
        for n, wait in enumerate(waits)
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"countersign": "measurements/1", "runs": rows}))
    return path


def said(capsys: Capture, *words: Any) -> str:
    """What a command prints, with plain blanks."""
    answer = typed(capsys, *words)
    assert answer.code == 0, answer.err
    return answer.out.replace("\N{NO-BREAK SPACE}", " ")


def pair(folder: Path) -> tuple[Any, ...]:
    cand = a_file(folder, "cand", (3.0, 3.2, 3.1), policy="64")
    return a_file(folder, "base", (1.0, 1.2, 1.1)), "--candidate", cand


def test_the_profile_and_the_impact_are_said_with_their_intervals(capsys: Capture, tmp_path: Path) -> None:
    found = said(capsys, "queue", *pair(tmp_path), "--varied", "max_num_seqs")

    assert found.startswith("Offered load: 4 requests/s.\nBaseline, 3 runs:\n  mean: 145.0 ms [")
    assert "  p95: not recorded, or too few requests, in 3 runs." in found
    assert "Candidate against baseline, queue wait, mean: difference 100.0 ms [" in found
    assert "request_throughput rate: 0.775" in found
    assert "queue wait, p99: no interval (not recorded, or too few requests, in 6 of 6 runs)." in found
    assert "Intervals of changes: 95 % each, 3 runs per arm, this placement only." in found
    assert "The matched-work audit finds" not in found
    assert "this is no verdict" in found


def test_a_policy_that_is_not_named_as_varied_is_a_finding_of_the_audit(capsys: Capture, tmp_path: Path) -> None:
    assert "The matched-work audit finds: max_num_seqs differs" in said(capsys, "queue", *pair(tmp_path))


def test_the_queue_is_json_too_and_one_arm_has_no_impact(capsys: Capture, tmp_path: Path) -> None:
    path = a_file(tmp_path, "base", (1.0,))
    found = json.loads(typed(capsys, "queue", path, "--warmup", 1, "--json").out)
    (load,) = found["loads"]

    assert (found["kind"], load["load"], load["changes"]) == ("queue", "4 requests/s", None)
    assert load["arms"][0]["runs"][0]["requests"] == 19
    words = said(capsys, "queue", path)
    assert "mean: 140.0 ms (one run shows no interval)" in words
    assert "verdict" not in words


def test_a_layout_that_is_no_comparison_is_said(capsys: Capture, tmp_path: Path) -> None:
    base, _, cand = pair(tmp_path)
    for at, path in enumerate((base, cand)):
        path.rename(tmp_path / f"h{at}-{path.name}")
    words = (tmp_path / "h0-base.json", "--candidate", tmp_path / "h1-cand.json", "--pattern", "{placement}-*.json")

    assert "The arms are not held against each other: The arms ran on" in typed(capsys, "queue", *words).out
    assert "The arms are not held against each other: The arms ran on" in typed(capsys, "drivers", *words).out


def test_the_graph_is_said_edge_by_edge_and_names_no_cause(capsys: Capture, tmp_path: Path) -> None:
    found = said(capsys, "drivers", *pair(tmp_path))

    assert "Baseline, 3 runs with 60 requests: the slowest 5 % of each run, at least 1 request," in found
    assert "  queueing delay → the tail: excess 955.0 ms [" in found
    assert ", 100 % of the excess of the tail." in found
    assert "  mapping fallback → service time: not recorded." in found
    assert "Candidate against baseline, excess of queueing delay: difference 1.900 s [" in found
    assert "no number here names a cause" in found
    assert "countersign trace" not in found


def test_the_graph_is_json_and_svg_too(capsys: Capture, tmp_path: Path) -> None:
    path = a_file(tmp_path, "base", (1.0,))
    found = json.loads(typed(capsys, "drivers", path, "--slowest", "10%", "--json").out)

    assert (found["kind"], found["graph"]["unit"], found["graph"]["arms"][0]["fewest"]) == (
        "tail_drivers",
        "request",
        2,
    )
    assert "mapping fallback" in typed(capsys, "drivers", path, "--svg").out


def test_steps_of_traces_are_pointed_to_the_command_of_traces(capsys: Capture, tmp_path: Path) -> None:
    events = [
        {
            "ph": "X",
            "cat": "user_annotation",
            "name": f"ProfilerStep#{n}",
            "ts": n * 100,
            "dur": 90 + n,
            "pid": 1,
            "tid": 1,
        }
        for n in range(24)
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    words = said(capsys, "drivers", path)

    assert "1 run with 24 steps" in words
    assert "service time → the tail: not recorded; without a queueing delay" in words
    assert words.endswith("of devices, streams and operators.\n")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("queue", "--warmup", "20"), "no_queue_wait"),
        (("drivers", "--slowest", "60%"), "bad_share"),
        (("drivers", "--slowest", "1%"), "too_few_units"),
        (("drivers", "--warmup", "20"), "no_unit_times"),
    ],
)
def test_what_has_no_answer_is_refused(capsys: Capture, tmp_path: Path, words: tuple[str, ...], code: str) -> None:
    answer = typed(capsys, words[0], a_file(tmp_path, "base", (1.0, 1.2)), *words[1:])

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err


def test_loads_that_no_two_arms_share_are_refused(capsys: Capture, tmp_path: Path) -> None:
    words = a_file(tmp_path, "base", (1.0,)), "--candidate", a_file(tmp_path, "cand", (1.0,), rate="8")

    assert "[no_matched_load]" in typed(capsys, "queue", *words).err


@pytest.mark.parametrize("command", ["queue", "drivers"])
def test_a_warmup_below_zero_is_no_usage(capsys: Capture, tmp_path: Path, command: str) -> None:
    assert typed(capsys, command, a_file(tmp_path, "base", (1.0,)), "--warmup", -1).code == 64
