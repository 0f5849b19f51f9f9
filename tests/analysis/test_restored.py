"""A frozen result can be typed again, and says the same."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from analysis import assess
from analysis.assess import AssessmentRequest, Explained, Predicted
from analysis.inputs import MeasurementError
from analysis.restored import from_json
from tests.analysis import props, recorded, scores, served

RUNS = props.blocked(props.BASELINE, props.CANDIDATE)
EXPLAINED = Explained(setting="clock", greatest_effect=Fraction("1.005"), accepted=True, text="capped", by="sam")
PREDICTED = Predicted(
    key="P1", hypothesis="H1", metric="wall_time", stat="value", low=Fraction("1.05"), high=None, registered_ns=1
)
CLOCKS = tuple(
    props.a_run(run.arm, int(run.label[1:]), (0.1 + 0.001 * i,), settings=(("clock", run.arm),))
    for i, run in enumerate(props.interleaved(props.BASELINE, props.CANDIDATE))
)


def parts_of(arm: str, place: int) -> list[recorded.Row]:
    slower = (1.05 if arm == "candidate" else 1.0) + 0.002 * ((place * 3) % 5)
    return [
        *recorded.stages(load=0.1 * slower, send=0.2 + 0.001 * place),
        recorded.row("cycles", 1e9 * slower, "1"),
        recorded.row("throttle_share", 0.1, "1"),
    ]


REQUESTS = {
    "a verdict": props.a_request(RUNS, predictions=(PREDICTED,)),
    "widened": props.a_request(CLOCKS, explained=(EXPLAINED,)),
    "not comparable": props.a_request(CLOCKS),
    "a look that was not declared": props.a_request(RUNS, props.a_plan(look=2)),
    "kept to a limit": props.a_request(RUNS, props.a_plan(slo=Fraction("0.2"))),
    "refused a limit": props.a_request(RUNS[:2] + RUNS[5:7], props.a_plan(slo=Fraction("0.2"))),
    "one run per arm": props.a_request((RUNS[0], RUNS[5])),
    "stages and counters": props.a_request(
        [
            run
            for arm in ("baseline", "candidate")
            for run in recorded.runs_of(arm, [parts_of(arm, i) for i in range(5)])
        ],
        props.a_plan(stages="summed", unit_of_work="output_tokens", counter_margin=Fraction("0.05")),
    ),
    "stages and counters of one run": props.a_request(
        [run for arm in ("baseline", "candidate") for run in recorded.runs_of(arm, [parts_of(arm, 0)])],
        props.a_plan(stages="summed"),
    ),
    "equivalent at 90 %": props.a_request(
        props.change(RUNS, "b0", excluded="too hot"),
        props.a_plan(
            margin=Fraction("1.5"),
            equivalence_level=0.9,
            measurement_error=MeasurementError(Fraction("1.005"), Fraction(1)),
        ),
    ),
    "by item": props.a_request(scores.one_each(), scores.by_item()),
    "means": props.a_request(props.INDEPENDENT.runs, props.a_plan(estimator="ratio_of_means")),
    "sweeps": props.a_request(served.BLOCKS, served.a_plan_of("max")),
    "goodput": props.a_request(served.THREE, served.a_plan_of("rate")),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_result_read_back_writes_the_same_json(request_: AssessmentRequest) -> None:
    written = assess.to_json(assess.assess(request_))

    assert assess.to_json(from_json(written)) == written


def test_the_cases_above_cover_a_widened_interval_and_none() -> None:
    seen = {name: assess.assess(asked) for name, asked in REQUESTS.items()}

    assert seen["widened"].widened is not None
    assert seen["one run per arm"].interval is None
    assert seen["stages and counters"].stages is not None
    assert len(seen["stages and counters"].splits) == 2
    assert seen["stages and counters"].mechanisms is not None
    alone = seen["stages and counters of one run"].stages
    assert alone is not None
    assert alone.refusal is not None
    assert seen["a look that was not declared"].single_look is not None
    kept, refused = seen["kept to a limit"].slo, seen["refused a limit"].slo
    assert kept is not None
    assert kept.check is not None
    assert refused is not None
    assert refused.refusal is not None
    equivalent = seen["equivalent at 90 %"]
    assert equivalent.equivalence is not None
    assert equivalent.equivalence.widened is not None
    assert equivalent.equivalence.with_excluded is not None
    assert equivalent.allowances
    assert seen["sweeps"].sweeps
    written: Any = assess.to_json(assess.assess(REQUESTS["sweeps"]))
    assert (written["sweeps"][0]["kind"], written["sweeps"][0]["unit"]) == ("sweep", "1/s")


NAMED = ("unit", "estimator", "equivalence_level", "measurement_error", "service_level")


def test_a_result_from_before_procedures_could_be_named_is_read_as_the_usual_ones() -> None:
    written: dict[str, Any] = assess.to_json(assess.assess(REQUESTS["a verdict"]))
    older = {key: value for key, value in written.items() if key not in ("allowances", "equivalence", "sweeps")}
    older["plan"] = {key: value for key, value in written["plan"].items() if key not in NAMED}

    assert from_json(older) == from_json(written)


def test_a_result_of_the_first_analysis_is_read_with_neither_a_limit_nor_a_second_interval() -> None:
    written: dict[str, Any] = assess.to_json(assess.assess(REQUESTS["a verdict"]))
    first = {key: value for key, value in written.items() if key not in ("single_look", "slo")}
    first["plan"] = {key: value for key, value in written["plan"].items() if key != "slo"}
    read = from_json(first)

    assert (read.single_look, read.slo, read.plan.slo) == (None, None, None)
    assert read.interval == from_json(written).interval


def test_a_plan_that_leaves_its_newest_members_at_their_default_is_written_without_them() -> None:
    """So that the digest of what went in, and of the result, is that of before the members existed."""
    request = REQUESTS["a verdict"]
    written: Any = assess.to_json(assess.assess(request))

    assert {"stages", "splits", "mechanisms"}.isdisjoint(written)
    for plan in (written["plan"], assess.inputs_json(request)["plan"]):
        assert isinstance(plan, dict)
        assert {"stages", "unit_of_work", "counter_margin"}.isdisjoint(plan)
    said: Any = assess.inputs_json(REQUESTS["stages and counters"])["plan"]
    assert (said["stages"], said["unit_of_work"], said["counter_margin"]) == ("summed", "output_tokens", "0.05")


def test_json_of_another_shape_is_refused_by_its_path() -> None:
    written = assess.to_json(assess.assess(REQUESTS["a verdict"]))

    with pytest.raises(msgspec.ValidationError, match="runs"):
        from_json({**written, "runs": "none"})


def test_a_margin_that_is_no_fraction_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        from_json({**assess.to_json(assess.assess(REQUESTS["a verdict"])), "plan": {"margin": []}})
