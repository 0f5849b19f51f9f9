import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis import canonical
from analysis.assess import ANALYSIS_VERSION, Explained, Predicted, Stated, assess, inputs_digest, to_json
from tests.analysis.props import (
    BASELINE,
    BLOCKED,
    CANDIDATE,
    INDEPENDENT,
    a_plan,
    a_request,
    a_run,
    change,
    interleaved,
)

FULL = a_request(
    INDEPENDENT.runs,
    explained=(Explained("dtype", Fraction("1.01"), accepted=True, text="no matter", by="ann"),),
    stated=(Stated("driver", "baseline", "570", "ann"), Stated("driver", "candidate", "570", "ann")),
    predictions=(Predicted("P1", "H1", "wall_time", "value", None, Fraction(1), 0),),
)


def numbers_in(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [found for inner in value.values() for found in numbers_in(inner)]
    if isinstance(value, list):
        return [found for inner in value for found in numbers_in(inner)]
    return [value] if isinstance(value, float) else []


def test_the_result_is_json_without_a_single_float() -> None:
    said = to_json(assess(FULL))

    assert numbers_in(said) == []
    assert json.loads(json.dumps(said)) == said


def test_every_claim_carries_its_kind_method_scope_and_assumptions() -> None:
    runs = [*interleaved(BASELINE, (), work=(("output_tokens", "10040"),)), *interleaved((), CANDIDATE)]
    said: Any = to_json(assess(a_request(runs)))

    assert said["kind"] == "assessment"
    assert said["analysis_version"] == ANALYSIS_VERSION
    assert said["inputs_digest"] == inputs_digest(a_request(runs))
    assert said["estimate"]["kind"] == "effect_estimate"
    assert (said["interval"]["kind"], said["interval"]["method"]) == ("confidence_interval", "welch_log")
    assert said["interval"]["scope"] == said["widened"]["scope"] == "this placement only"
    assert (said["widened"]["kind"], said["widened"]["method"]) == ("widened_interval", "welch_log widened")
    assert said["widened"]["assumptions"][-1] == "the stated greatest effects hold"
    assert said["widened"]["statistical"] == said["interval"]
    assert said["secondary"] is None


def test_numbers_are_rounded_to_ten_significant_digits() -> None:
    said: Any = to_json(assess(INDEPENDENT))

    assert said["interval"]["estimate"] == "1.101359092"
    assert all(len(re.sub(r"^0\.0*|\.", "", p["value"])) <= 10 for p in said["runs"])


def test_a_refused_comparison_still_shows_its_points_and_its_audit() -> None:
    said: Any = to_json(assess(a_request(interleaved([99.0], [109.0]))))

    assert said["outcome"] == "refused"
    assert said["refusal"]["code"] == "too_few_runs"
    assert said["interval"] is None
    assert [p["value"] for p in said["runs"]] == ["99", "109"]
    assert {row["setting"] for row in said["audit"]} == {"image", "output_tokens"}


def test_an_empty_request_has_a_result_too() -> None:
    said: Any = to_json(assess(a_request(())))

    assert (said["outcome"], said["estimate"]) == ("refused", None)


def test_the_digest_does_not_depend_on_the_order_of_anything() -> None:
    turned = replace(
        FULL,
        runs=FULL.runs[::-1],
        stated=FULL.stated[::-1],
        plan=a_plan(varied=("image", "image"), required=("output_tokens",) * 2),
    )

    assert inputs_digest(turned) == inputs_digest(FULL)


def changed_reading(**changes: Any) -> Any:
    first = FULL.runs[0]
    return replace(FULL, runs=(replace(first, reading=replace(first.reading, **changes)), *FULL.runs[1:]))


@pytest.mark.parametrize(
    "request_",
    [
        replace(FULL, plan=a_plan(look=2)),
        replace(FULL, plan=a_plan(margin=Fraction("1.03"))),
        replace(FULL, plan=a_plan(tolerances={})),
        replace(FULL, runs=FULL.runs[1:]),
        replace(FULL, runs=change(FULL.runs, "b0", artifact="other")),
        replace(FULL, runs=change(FULL.runs, "b0", placement="host-2")),
        replace(FULL, runs=change(FULL.runs, "b0", placement_verified=False)),
        replace(FULL, runs=change(FULL.runs, "b0", excluded="throttled")),
        replace(FULL, explained=()),
        replace(FULL, stated=()),
        replace(FULL, predictions=()),
        changed_reading(parser_version=2),
        changed_reading(format="other"),
    ],
)
def test_whatever_goes_in_changes_the_digest(request_: Any) -> None:
    assert inputs_digest(request_) != inputs_digest(FULL)


def test_a_difference_beyond_ten_digits_is_none() -> None:
    near = replace(FULL, plan=a_plan(margin=Fraction("1.02") + Fraction(1, 10**14)))

    assert inputs_digest(near) == inputs_digest(FULL)


def test_a_value_without_a_canonical_form_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="no canonical form for a set"):
        canonical.as_json({1})


def test_the_result_does_not_depend_on_the_order_of_attachment() -> None:
    turned = replace(BLOCKED, runs=BLOCKED.runs[::-1])

    assert to_json(assess(turned)) == to_json(assess(BLOCKED))


def test_a_run_that_was_dropped_says_why() -> None:
    lost = a_run("candidate", 9, None, measured={"reason": "no power counter"})
    said: Any = to_json(assess(a_request([*INDEPENDENT.runs, lost])))

    assert said["refusal"]["message"].startswith("Run c9: wall_time value was not measured (no power counter)")
    assert said["runs"][-1]["status"] == "no_value"
