"""The runs of a plan as jobs: all of them, in an order that nobody chose."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reviews.cli.emit import ordered
from reviews.cli.registered import Registered
from reviews.plan_content import PlannedRun, plan_to_json
from tests import cases
from tests.cli.typed import Typed, typed

Type = Callable[..., Typed]
RUNS = tuple(
    PlannedRun(run=f"b{block}-{arm}", arm=arm, block=f"b{block}", placement="")
    for block in range(20)
    for arm in ("baseline", "candidate")
)


@pytest.fixture
def emit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Type:
    """`countersign plan --emit <words>` of the plan of six runs in three blocks."""
    path = tmp_path / "plan.json"
    path.write_bytes(msgspec.json.encode({"nonce": "n", "content": plan_to_json(cases.plan_content())}))
    return lambda *words: typed(capsys, "plan", "--registered", path, "--emit", *words)


def test_every_run_is_a_job_once(emit: Type) -> None:
    jobs: list[dict[str, Any]] = json.loads(emit("json").out)

    assert [job["order"] for job in jobs] == [1, 2, 3, 4, 5, 6]
    assert {job["run"] for job in jobs} == {run.run for run in cases.plan_content().runs}
    assert {job["plan"] for job in jobs} == {"n"}


def test_a_matrix_holds_the_same_jobs(emit: Type) -> None:
    assert json.loads(emit("github").out) == {"include": json.loads(emit("json").out)}


def test_blocks_stay_whole_and_their_order_and_arms_are_drawn_from_the_nonce() -> None:
    runs = ordered(Registered("n", "blocks", RUNS))
    blocks = [run.block for run in runs]

    assert blocks[::2] == blocks[1::2]
    assert blocks[::2] != sorted(blocks[::2])
    assert 0 < sum(run.arm == "baseline" for run in runs[::2]) < len(runs) / 2
    assert ordered(Registered("n", "blocks", RUNS[::-1])) == runs
    assert ordered(Registered("m", "blocks", RUNS)) != runs


def test_without_blocks_the_arms_take_turns() -> None:
    runs = ordered(Registered("n", "independent", RUNS[:-1]))
    pairs = [{one.arm, other.arm} for one, other in zip(runs[:-1:2], runs[1::2], strict=True)]

    assert sorted(run.run for run in runs) == sorted(run.run for run in RUNS[:-1])
    assert all(len(pair) == 2 for pair in pairs)
    assert runs[-1].arm == "baseline"
    assert 0 < sum(run.arm == "baseline" for run in runs[:-1:2]) < len(pairs)


def test_the_script_runs_every_run_and_tells_of_a_failure(emit: Type, tmp_path: Path) -> None:
    """`countersign` stands in the script as a function that prints its words, and fails for one run."""
    script = emit("shell", "--command", "bench --out {run} --{arm} '{other}'").out
    stub = 'countersign() { echo "$@"; case "$*" in *b2-candidate*) return 3;; esac; }\n'
    done = subprocess.run(["sh", "-c", stub + script], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()

    assert done.returncode == 1
    assert len(lines) == 6
    assert (
        "run --plan=n --run=b1-baseline --arm=baseline --block=b1 -- bench --out b1-baseline --baseline {other}"
        in lines
    )


@pytest.mark.parametrize(
    "words",
    [
        ("shell",),
        ("slurm",),
        ("k8s", "--image", "i", "--claim", "c"),
        ("k8s", "--command", "x"),
        ("k8s", "--command", "x", "--image", "i"),
        ("k8s", "--command", "x", "--image", "i", "--claim", "c", "--gpus", "-1"),
        ("slurm", "--command", "x", "--image", "i", "--claim", "c"),
        ("json", "--gpus", "1"),
    ],
)
def test_each_form_takes_what_it_needs_and_nothing_else(emit: Type, words: tuple[str, ...]) -> None:
    assert emit(*words).code == 64


@pytest.mark.parametrize("form", ["json", "github"])
def test_a_matrix_holds_the_command_of_each_run(emit: Type, form: str) -> None:
    found = json.loads(emit(form, "--command", "bench --out {run}").out)
    jobs = found["include"] if form == "github" else found

    assert {job["command"] for job in jobs} == {
        f"countersign run --plan=n --run={run} --arm={arm} --block={block} -- bench --out {run}"
        for run, arm, block in ((job["run"], job["arm"], job["block"]) for job in jobs)
    }


def test_a_plan_must_be_named_and_only_for_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(capsys, "plan", "--emit", "json").code == 64
    assert typed(capsys, "plan", "--registered", "x").code == 64


def test_a_plan_that_is_not_there_or_lists_no_runs_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    gone = typed(capsys, "plan", "--emit", "json", "--registered", path)
    path.write_bytes(msgspec.json.encode({"nonce": "n", "content": {**plan_to_json(cases.plan_content()), "runs": []}}))
    empty = typed(capsys, "plan", "--emit", "json", "--registered", path)

    assert (gone.code, "[bad_plan]" in gone.err) == (4, True)
    assert (empty.code, "[no_planned_runs]" in empty.err) == (4, True)
