"""What the rows of a run say of its work: window, load achieved, log cadence, step names, and the tool."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.offered_load import seconds_of
from analysis.work_names import under_wanted_names, unsaid
from tests.analysis.props import a_measurement, a_run
from tests.analysis.worked import audited, lasting, read_as, with_rows

SERVED = (("requests_completed", "100"),)


def arms(baseline: Any, candidate: Any) -> list[Any]:
    return [baseline(a_run("baseline", 0, 1.0, work=SERVED)), candidate(a_run("candidate", 0, 1.0, work=SERVED))]


def test_the_window_and_the_achieved_rate_are_described_and_not_judged() -> None:
    rows = audited(arms(lambda run: lasting(run, "50"), lambda run: lasting(run, "40")))

    window, rate = rows["observation_window"], rows["request_rate_achieved"]
    assert (window.state, window.blocks, window.follows) == ("differs", False, True)
    assert window.sentence == (
        "observation_window: 50 s in the baseline, 40 s in the candidate. "
        "It follows from the work and its speed, and is not judged."
    )
    assert (rate.baseline, rate.candidate, rate.blocks) == (("2/s",), ("2.5/s",), False)
    assert window.sources == ("computed from the times in f",)


def test_the_same_window_is_the_same_and_a_silent_one_is_said() -> None:
    same = audited(arms(lambda run: lasting(run, "50"), lambda run: lasting(run, "50")))["observation_window"]
    silent = audited(arms(lambda run: lasting(run, "50"), lambda run: run))["observation_window"]

    assert (same.state, same.follows) == ("same", True)
    assert (silent.state, silent.blocks, silent.candidate) == ("not_recorded", False, ("not recorded",))


@pytest.mark.parametrize(
    ("plan", "state", "blocks"),
    [
        ({"required": ("observation_window",)}, "differs", True),
        ({"varied": ("image", "observation_window")}, "differs_as_declared", False),
        ({"tolerances": {"observation_window": Fraction(1)}}, "differs", True),
    ],
)
def test_a_window_that_the_plan_names_is_judged(plan: Any, state: str, blocks: bool) -> None:
    runs = arms(lambda run: lasting(run, "50"), lambda run: lasting(run, "40"))

    row = audited(runs, **plan)["observation_window"]
    assert (row.state, row.blocks) == (state, blocks)


def test_what_is_only_described_is_no_audit() -> None:
    run = lasting(a_run("baseline", 0, 1.0, work=()), "50")
    only = tuple(s for s in run.reading.settings if s.name == "duration")
    alone = replace(run, reading=replace(run.reading, settings=only))

    assert "observation_window" in audited([run])
    assert audited([alone], required=(), varied=()) == {}


def test_the_window_is_also_from_start_to_end() -> None:
    def timed(start: int | None, end: int | None) -> Fraction | None:
        return seconds_of(a_run("baseline", 0, 1.0, file_run={"started_ns": start, "ended_ns": end}))

    assert timed(0, 2_500_000_000) == Fraction(5, 2)
    assert timed(5, 5) is timed(None, 5) is timed(5, None) is None
    assert seconds_of(lasting(lasting(a_run("baseline", 0, 1.0), "1"), "2")) is None


def stepping(arm: Any, every: int, *, steps: bool = True) -> Any:
    run = a_run(arm, 0, (), work=(("steps", "40"),) if steps else SERVED)
    return with_rows(run, (a_measurement(1.0, index=i) for i in range(0, 40, every)))


def test_steps_that_are_logged_at_another_cadence_are_a_difference() -> None:
    row = audited([stepping("baseline", 1), stepping("candidate", 10)])["steps_between_rows"]

    assert (row.state, row.baseline, row.candidate, row.blocks) == ("differs", ("1",), ("10",), True)
    assert row.sources == ("computed from the steps in f",)
    assert "steps_between_rows" not in audited(
        [stepping("baseline", 1, steps=False), stepping("candidate", 10, steps=False)]
    )
    assert "steps_between_rows" not in audited([stepping("baseline", 40), stepping("candidate", 40)])


def staged(arm: Any, *names: str) -> Any:
    return with_rows(a_run(arm, 0, ()), (a_measurement(1.0, stage=name) for name in names))


def test_other_stages_are_judged_where_they_add_up_to_the_number() -> None:
    runs = [staged("baseline", "load", "run"), staged("candidate", "load", "execute")]

    described = audited(runs)["stage_names"]
    assert (described.state, described.blocks, described.baseline) == ("differs", False, ("load, run",))
    assert audited(runs, stages="summed")["stage_names"].blocks


def test_many_stages_are_told_by_the_first_and_by_a_digest_of_all() -> None:
    many = [f"s{i}" for i in range(9)]
    row = audited([staged("baseline", *many), staged("candidate", *many[:8], "other")])["stage_names"]

    assert row.state == "differs"
    assert row.baseline[0].startswith("s0, s1, s2, s3, s4, s5 and 3 more (")


def test_arms_that_were_measured_by_different_tools_are_not_compared() -> None:
    def by(one: str, other: str) -> Any:
        return audited([read_as(run, form) for run, form in zip(arms(_as_is, _as_is), (one, other), strict=True)])

    row = by("vllm-bench-serve", "sglang-bench-serving")["measured_by"]
    assert (row.state, row.blocks) == ("differs", True)
    assert (row.baseline, row.candidate) == (("vllm-bench-serve",), ("sglang-bench-serving",))
    assert row.sources == ("the format of the file",)
    assert "measured_by" not in by("vllm-bench-serve", "vllm-bench-serve-text")


def _as_is(run: Any) -> Any:
    return run


def test_a_required_setting_is_found_under_any_of_its_names() -> None:
    runs = [
        a_run("baseline", 0, 1.0, settings=(("input.random_seed", "7"),)),
        a_run("candidate", 0, 1.0, settings=(("random_seed", "7"),)),
    ]

    assert audited(runs, required=("seed",))["seed"].state == "same"
    assert audited(runs, required=())["random_seed"].blocks


def test_names_are_exchanged_only_for_what_is_asked_for() -> None:
    said = {"dataset_name": "a", "dtype": "b", "tp": "4"}

    assert under_wanted_names(said, ("dataset", "seed")) == {"dataset": "a", "dtype": "b", "tp": "4"}
    assert under_wanted_names(said, ("dtype", "tensor_parallel_size", "my_own")) == said
    assert under_wanted_names(said, ("dataset", "dataset_name")) == said


def test_what_no_name_tells_is_unsaid() -> None:
    assert "the seed" in unsaid({"dtype"})
    assert not {"the seed", "the precision"} & set(unsaid({"random_seed", "dtype"}))
