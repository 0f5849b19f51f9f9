"""A number of a whole run over its work: for work that differs in size, never in kind."""

from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentResult, assess
from tests.analysis.props import a_plan, a_request, a_run, change
from tests.analysis.worked import an_arm

PER_TOKEN = "wall_time_per_output_token"


def measured(arm: Any, tokens: str, requests: str, *times: float) -> list[Any]:
    work = (("output_tokens", tokens), ("requests_completed", requests), ("preemptions", "0"))
    return [a_run(arm, i, time, work=work) for i, time in enumerate(times)]


ONCE = measured("baseline", "1000", "10", 10.0, 10.1, 10.2)
TWICE = measured("candidate", "2000", "20", 20.2, 20.4, 20.6)


def assessed(runs: Any, **changes: Any) -> AssessmentResult:
    return assess(a_request(runs, a_plan(**{"tolerances": {}, "required": (), **changes})))


def needs(result: AssessmentResult) -> str:
    assert result.refusal is not None
    assert (result.outcome, result.refusal.code) == ("not_comparable", "work_mismatch")
    return result.refusal.needs


def test_the_refusal_offers_a_metric_per_unit_and_the_metric_is_comparable() -> None:
    said = needs(assessed([*ONCE, *TWICE]))
    result = assessed([*ONCE, *TWICE], metric=PER_TOKEN)

    assert said.endswith(
        "As far as is recorded, the work differs in size only (the candidate did 2 times as much, its mix the same "
        "within 0 %; the lengths of single requests are not recorded): compare wall_time_per_output_token, which "
        "divides the size out."
    )
    assert (result.outcome, result.refusal) == ("verdict", None)
    assert result.estimate is not None
    assert result.estimate.value == pytest.approx(1.01, abs=0.002)
    row = next(row for row in result.audit if row.setting == "output_tokens")
    assert (row.state, row.blocks, row.greatest_effect) == ("differs", False, None)
    assert row.sentence.endswith("The metric is per unit of it, so its size divides out.")
    other = next(row for row in result.audit if row.setting == "requests_completed")
    assert other.sentence == "requests_completed is the same per unit of output_tokens."


def test_other_work_is_judged_per_unit() -> None:
    more = measured("candidate", "2000", "21", 20.2, 20.4, 20.6)

    assert "requests_completed per unit of output_tokens differs by 5 % between the extremes" in needs(
        assessed([*ONCE, *more], metric=PER_TOKEN)
    )
    tolerated = assessed([*ONCE, *more], metric=PER_TOKEN, tolerances={"requests_completed": Fraction("0.05")})
    assert tolerated.widened is not None


def test_the_same_work_divides_into_the_same() -> None:
    result = assessed([*ONCE, *measured("candidate", "1000", "10", 10.2, 10.3, 10.4)], metric=PER_TOKEN)

    assert {row.state for row in result.audit if row.role == "work"} == {"same"}
    varied = assessed([*ONCE, *TWICE], metric=PER_TOKEN, varied=("image", "output_tokens", "requests_completed"))
    states = {row.setting: row.state for row in varied.audit}
    assert states["output_tokens"] == states["requests_completed"] == "differs_as_declared"


def test_settings_and_failures_are_judged_as_ever_under_a_metric_per_unit() -> None:
    settings = (("dtype", "fp8"),)
    runs = [
        a_run(arm, i, 10.0 + i, work=(("output_tokens", "1000"), ("requests_failed", "0")), settings=settings)
        for arm in ("baseline", "candidate")
        for i in range(3)
    ]

    states = {row.setting: row.state for row in assessed(runs, metric=PER_TOKEN).audit}
    assert (states["dtype"], states["requests_failed"]) == ("same", "same")


def test_a_work_that_is_no_number_divides_nothing() -> None:
    odd = measured("candidate", "many", "20", 20.2, 20.4, 20.6)

    assert "output_tokens" in needs(assessed([*ONCE, *odd], metric=PER_TOKEN))


def test_a_declared_tolerance_of_the_unit_widens_as_ever() -> None:
    near = measured("candidate", "1001", "10", 10.2, 10.3, 10.4)
    tolerances = {"output_tokens": Fraction("0.01"), "requests_completed": Fraction("0.01")}

    assert assessed([*ONCE, *near], metric=PER_TOKEN, tolerances=tolerances).widened is not None


def test_a_tiny_run_is_no_smaller_one() -> None:
    tiny = measured("candidate", "50", "0.5", 1.0, 1.1, 1.2)

    assert "compare" not in needs(assessed([*ONCE, *tiny]))
    assert "output_tokens differs by 1900 %" in needs(assessed([*ONCE, *tiny], metric=PER_TOKEN))


@pytest.mark.parametrize(
    ("candidate", "why"),
    [
        (measured("candidate", "2000", "10", 20.0, 20.1, 20.2), "twice the tokens of each request"),
        ([a_run("candidate", i, 20.0 + i, work=(("requests_completed", "20"),)) for i in range(3)], "other kinds"),
        (change(TWICE, "c0", placement="host-1"), ""),
    ],
)
def test_nothing_is_offered_where_the_work_differs_in_kind(candidate: Any, why: str) -> None:
    assert ("which divides the size out" in needs(assessed([*ONCE, *candidate]))) == (not why)


def test_nothing_is_offered_where_the_lengths_have_another_mix() -> None:
    runs = [*an_arm("baseline", (20, 20)), *an_arm("candidate", (4, 36))]

    assert "divides the size out" not in needs(assessed(runs))


def test_for_a_rate_the_way_out_is_the_same_amount_of_work() -> None:
    runs = [*ONCE, *TWICE]
    rates = [a_run(r.arm, int(r.label[1:]), 5.0 + int(r.label[1:]), measured={"metric": "output_throughput"},
                   work=[(s.name, s.value) for s in r.reading.settings if s.role == "work"]) for r in runs]  # fmt: skip

    said = needs(assessed(rates, metric="output_throughput", better="higher", margin=Fraction("0.98")))
    assert said.endswith("output_throughput is per unit of work already, so run both arms with the same amount of it.")


def test_what_is_divided_is_a_number_of_the_whole_run() -> None:
    result = assessed([*ONCE, *TWICE], metric=PER_TOKEN, stat="mean")

    assert result.refusal is not None
    assert result.refusal.code == "not_of_a_whole_run"


def test_work_that_is_not_stated_divides_nothing() -> None:
    result = assessed([*ONCE, *measured("candidate", "1000", "10", 9.0, 9.1)], metric="wall_time_per_epoch")

    assert result.refusal is not None
    assert result.refusal.code == "work_not_stated"


def test_a_metric_that_was_measured_by_that_name_is_none_of_ours() -> None:
    named = {"metric": PER_TOKEN}
    runs = [a_run(arm, i, 1.0 + i / 100, measured=named) for arm in ("baseline", "candidate") for i in range(3)]

    assert assessed(runs, metric=PER_TOKEN).runs[0].value == 1.0
