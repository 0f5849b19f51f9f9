"""Traces of several runs: the run is the unit of every interval, however many steps its trace holds."""

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

from analysis.errors import Refused
from analysis.localise import ends_at, stage_of
from analysis.parts import StagesAnswer
from analysis.procedures import paired, welch
from analysis.trace_answer import TraceAnswer, answer, from_json, to_json
from analysis.traced_runs import TracedRun
from analysis.traces.events import Events, Kind
from tests.analysis import traced

RNG = np.random.default_rng(31)
NOISE = (RNG.standard_normal((2, 8, 2)) * 40).astype(int)
NOISE[1, :, 0] = NOISE[0, :, 0]  # the host takes as long in both arms
HOST, KERNEL = 20_000, 30_000


def events(host: int, kernel: int, *, wait: int = 0, steps: int = 5) -> Events:
    """Steps of an operator, a kernel, and perhaps a wait."""
    inside: list[traced.Made] = [(Kind.OPERATOR, "aten::mm", 0, host), (Kind.KERNEL, "gemm", HOST * 2, kernel)]
    if wait:
        inside.append((Kind.SYNCHRONISATION, "wait", HOST * 4, wait))
    return traced.events(traced.steps(steps, every=100_000, inside=inside))


def arm(
    at: int, count: int = 6, *, slower: float = 1.0, waits: int = 0, blocked: bool = False, steps: int = 5
) -> list[TracedRun]:
    """Runs whose host and kernel vary from run to run; the kernel of the candidate is slower by a factor."""
    return [
        TracedRun(
            f"{'ab'[at]}{run}",
            events(
                HOST + int(NOISE[at, run, 0]),
                round((KERNEL + int(NOISE[at, run, 1])) * (slower if at else 1)),
                wait=waits + run * 7 if waits and at else 0,
                steps=steps,
            ),
            block=str(run) if blocked else "",
        )
        for run in range(count)
    ]


def stages(found: TraceAnswer) -> StagesAnswer:
    assert found.stages is not None
    return found.stages


def test_a_slower_kernel_is_established_and_the_stage_before_it_is_excluded() -> None:
    found = answer(arm(0), arm(1, slower=1.1))

    assert (found.divergence, found.found, found.excluded) == ("time", ("compute",), ("host operators",))
    assert found.sentence == (
        "The traces run the same names in the same order. In time: Divergence is established at compute; stages before"
        " compute are excluded."
    )
    assert stages(found).refusal is None
    assert found.runs[0] == ("a0", "a1", "a2", "a3", "a4", "a5")
    assert found.description.steps == (24, 24)


def test_the_interval_of_a_stage_is_that_of_the_means_of_the_runs() -> None:
    for blocked in (False, True):
        before, after = arm(0, blocked=blocked), arm(1, slower=1.1, blocked=blocked)
        logs = [[math.log(KERNEL + NOISE[0, run, 1]) for run in range(6)],
                [math.log(round((KERNEL + NOISE[1, run, 1]) * 1.1)) for run in range(6)]]  # fmt: skip
        spread = paired(list(zip(*logs, strict=True))) if blocked else welch(*logs)
        expected = stage_of("compute", spread, stages=2, confidence=0.95)

        found = stages(answer(before, after))
        part = found.stages[1]

        assert (part.lo, part.hi) == pytest.approx([math.exp(x) for x in expected.simultaneous], rel=1e-9)
        assert (part.equal_lo, part.equal_hi) == pytest.approx([math.exp(x) for x in ends_at(spread, 0.9)], rel=1e-9)
        assert found.basis is not None
        assert (found.basis.units, found.basis.counted) == (6, "blocks" if blocked else "runs per arm")
        assert found.basis.together == 0.95
        assert found.basis.level == pytest.approx(0.975)


def test_a_run_enters_with_the_mean_of_its_steps_without_the_first() -> None:
    def run(label: str, kernels: Sequence[int]) -> TracedRun:
        rows: list[traced.Made] = []
        for n, length in enumerate(kernels):
            rows += [(Kind.STEP, f"ProfilerStep#{n}", 1000 * n, 900), (Kind.KERNEL, "k", 1000 * n, length)]
        return TracedRun(label, traced.events(rows))

    before = [run(f"a{n}", (900, 100, 200, 300 + n)) for n in range(3)]  # means 200 and a little more
    after = [run(f"b{n}", (900, 400, 100, 700 + n)) for n in range(3)]  # means 400 and a little more

    [part] = stages(answer(before, after)).stages

    logs = [[math.log((600 + n) / 3) for n in range(3)], [math.log((1200 + n) / 3) for n in range(3)]]
    assert part.estimate == pytest.approx(math.exp(sum(logs[1]) / 3 - sum(logs[0]) / 3), rel=1e-12)


def test_steps_are_no_runs_however_many_there_are() -> None:
    few, many = (stages(answer(arm(0, steps=n), arm(1, steps=n, slower=1.1))) for n in (5, 40))

    assert few.stages == many.stages


def test_the_whole_step_has_an_interval_of_its_own() -> None:
    found = answer(*([_of_length(length, run) for run in range(3)] for length in (100_000, 110_000)))

    assert found.step is not None
    assert found.step.lo is not None
    assert 1.099 < found.step.lo < found.step.estimate < 1.101


def test_a_whole_step_that_does_not_vary_has_an_effect_alone() -> None:
    step = answer(arm(0), arm(1)).step

    assert step is not None
    assert (step.estimate, step.lo) == (1.0, None)


def _of_length(length: int, run: int) -> TracedRun:
    """A run whose steps take so long, and a little more from run to run."""
    rows = traced.steps(5, every=length + run, inside=[(Kind.KERNEL, "k", 10, 500 + run)])
    return TracedRun(f"{length}-{run}", traced.events(rows))


def test_fewer_than_five_runs_localise_nothing_and_still_have_intervals() -> None:
    found = answer(arm(0, 3), arm(1, 3, slower=1.1))

    assert (found.divergence, found.found) == ("none", ())
    assert "Not localised: 3 runs per arm are a hint at best, and 5 are needed." in found.sentence
    assert stages(found).stages[1].lo is not None


def test_a_single_run_of_an_arm_has_no_interval() -> None:
    found = answer(arm(0, 3), arm(1, 1))

    assert stages(found).refusal is not None
    assert stages(found).stages == ()
    assert found.step is None


def test_one_run_of_each_arm_is_described_and_has_no_stages() -> None:
    found = answer(arm(0, 1), arm(1, 1, slower=1.2))

    assert found.stages is None
    assert found.step is None
    assert "this is no verdict" in found.notices[0]
    assert (found.divergence, found.found) == ("time", ("compute",))


def test_runs_say_nothing_of_being_two_runs_only() -> None:
    assert not any("no verdict" in said for said in answer(arm(0), arm(1)).notices)


def test_a_stage_that_only_the_candidate_has_is_established_by_its_difference() -> None:
    found = answer(arm(0), arm(1, waits=5_000))
    part = stages(found).stages[2]

    assert found.found[-1] == "synchronisation"
    assert (part.scale, part.unit, part.equal_lo) == ("difference", "s", None)
    assert part.lo is not None
    assert 0 < part.lo < part.estimate < 1e-5


def test_a_stage_that_does_not_vary_is_neither_established_nor_excluded() -> None:
    same = [TracedRun(f"{at}{run}", events(HOST, KERNEL + run * (1 + at))) for at in (0, 1) for run in range(5)]

    found = stages(answer(same[:5], same[5:]))

    assert (found.stages[0].lo, found.stages[0].reason) == (None, "does not vary between runs")
    assert found.excluded == ()


def test_runs_that_are_all_alike_have_no_noise_to_be_held_against() -> None:
    same = [TracedRun(str(run), events(HOST, KERNEL)) for run in range(6)]

    found = stages(answer(same[:3], same[3:]))

    assert found.refusal is not None
    assert found.refusal.code == "zero_variance"


def test_structure_comes_before_time() -> None:
    other = [
        TracedRun(
            run.label,
            traced.events(traced.steps(5, every=100_000, inside=[(Kind.OPERATOR, "aten::sub", 0, HOST + n)])),
        )
        for n, run in enumerate(arm(1))
    ]

    found = answer(arm(0), other)

    assert found.divergence == "structure"
    assert "In time:" in found.sentence


@pytest.mark.parametrize(
    ("baseline", "candidate", "margin", "code"),
    [
        ([], ["x"], 1.02, "no_traces"),
        (["x"], [], 1.02, "no_traces"),
        (["x"], ["y"], 1.0, "bad_margin"),
        (["x"], ["y"], math.nan, "bad_margin"),
        (["x"], ["y"], math.inf, "bad_margin"),
        (["x", "x"], ["y"], 1.02, "duplicate_run"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    baseline: Sequence[str], candidate: Sequence[str], margin: float, code: str
) -> None:
    runs = [[TracedRun(label, events(HOST, KERNEL)) for label in labels] for labels in (baseline, candidate)]

    with pytest.raises(Refused) as refusal:
        answer(*runs, margin=margin)

    assert refusal.value.code == code


def test_one_file_under_two_labels_is_one_run() -> None:
    runs = [TracedRun(str(n), events(HOST, KERNEL), artifact="f" * 64, key="0") for n in range(3)]

    with pytest.raises(Refused, match="0 and 1 are the same run"):
        answer(runs[:2], runs[2:])


def test_ranks_of_one_job_are_no_runs() -> None:
    ranks = [TracedRun(f"r{n}", run.content, rank=str(n)) for n, run in enumerate(arm(0, 3))]

    found = stages(answer(ranks, arm(1, 3)))

    assert found.refusal is not None
    assert found.refusal.code == "ranks_are_no_runs"
    assert "ranks 0, 1, 2" in found.sentence


def test_devices_are_told_with_their_streams_of_two_runs_only() -> None:
    one, several = answer(arm(0, 1), arm(1, 1)), answer(arm(0, 2), arm(1, 2))

    assert [(row.run, row.busy.thread) for row in one.devices] == [("a0", ""), ("a0", "7"), ("b0", ""), ("b0", "7")]
    assert [(row.run, row.busy.thread) for row in several.devices] == [(n, "") for n in ("a0", "a1", "b0", "b1")]


def test_the_kernels_of_runs_are_their_mean() -> None:
    runs = [TracedRun(f"a{n}", events(HOST, kernel)) for n, kernel in enumerate((20_000, 40_000))]

    [row] = answer(runs, arm(1, 1)).description.kernels

    assert [row.baseline, row.baseline_count] == pytest.approx([30e-6, 1.0])


@pytest.mark.parametrize("count", [1, 6])
def test_an_answer_survives_its_json(count: int) -> None:
    found = answer(arm(0, count), arm(1, count, slower=1.1, waits=5_000), cautions=("Mind the gap.",))

    assert found.notices[-1] == "Mind the gap."
    assert from_json(json.loads(json.dumps(to_json(found)))) == found
