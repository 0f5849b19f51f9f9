"""All comparisons together: roles, what has no verdict, and every kind of interval that may govern one."""

from dataclasses import replace
from typing import Any

import pytest

from analysis import assess, restored
from analysis.assess import AssessmentResult, Explained
from analysis.exact import parse_exact
from analysis.families import Declared, judge_claims, judge_together, verdict_of, why_none
from analysis.notices import Refusal
from tests.analysis import props

RUNS = props.blocked(props.BASELINE, props.CANDIDATE)
SLIGHT = tuple(value * (1.004 if i % 2 else 1.001) for i, value in enumerate(props.BASELINE))


def result(runs: Any = RUNS, **plan: Any) -> AssessmentResult:
    """As it is stored, and read back."""
    return restored.from_json(assess.to_json(assess.assess(props.a_request(runs, props.a_plan(**plan)))))


SLOWER = result()
ALIKE = result(props.blocked(props.BASELINE, SLIGHT))
EVEN = result(props.blocked(props.BASELINE, props.BASELINE[::-1]))
WITHHELD = result(RUNS[:2] + RUNS[5:7])
REFUSED = result((RUNS[0], RUNS[5]))
CRASHED = result(tuple(props.change(RUNS, "c1", run=replace(RUNS[6].run, status="failed"))))
OTHER_WORK = result(tuple(replace(r, reading=replace(r.reading, settings=())) for r in RUNS))


def one(name: str, role: str, found: AssessmentResult | None = SLOWER, absent: str = "") -> Declared:
    return Declared(name, role, found, absent)


def test_the_results_are_what_their_names_say() -> None:
    assert [r.outcome for r in (SLOWER, ALIKE, WITHHELD, REFUSED, CRASHED, OTHER_WORK)] == [
        "verdict", "verdict", "withheld", "refused", "failed_to_serve", "not_comparable",
    ]  # fmt: skip
    assert SLOWER.verdict is not None
    assert SLOWER.verdict.materiality == "worse_than_margin"


def test_every_comparison_has_one_part() -> None:
    found = judge_together(
        [one("C1", "primary"), one("C2", "guardrail"), one("C3", "claim"), one("C4", "screening"), one("C5", "")]
    )

    assert [g.name for g in found.guardrails] == ["C2"]
    assert [c.name for c in found.claims] == ["C3"]
    assert [s.name for s in found.screened] == ["C4"]
    assert found.apart == ("C5",)


def test_no_comparison_says_nothing() -> None:
    found = judge_together([])
    assert (found.ship, found.guardrails, found.claims, found.screened, found.apart) == (None, (), (), (), ())


def test_a_guardrail_passes_by_its_verdict_alone() -> None:
    found = judge_together([one("C2", "guardrail", ALIKE), one("C3", "guardrail", SLOWER)])
    assert found.ship is not None

    assert [(g.name, g.passes) for g in found.guardrails] == [("C2", True), ("C3", False)]
    assert (found.ship.ships, found.ship.failing) == (False, ("C3",))
    assert "2 guardrails" in found.ship.notices[0].sentence
    assert "Regression of at least 2% established" in found.guardrails[1].sentence


WITHOUT = [
    (WITHHELD, "", "withheld"),
    (REFUSED, "", "refused"),
    (OTHER_WORK, "", "not comparable"),
    (CRASHED, "", "failed to serve"),
    (None, "", "not computed yet"),
    (None, "There will be no number: the counter is broken.", "counter is broken"),
]


@pytest.mark.parametrize(("found", "absent", "said"), WITHOUT)
def test_a_guardrail_without_a_verdict_is_named_and_does_not_pass(found: Any, absent: str, said: str) -> None:
    together = judge_together([one("C2", "guardrail", ALIKE), one("C3", "guardrail", found, absent)])
    assert together.ship is not None

    assert together.ship.failing == ("C3",)
    assert said in together.guardrails[1].sentence


@pytest.mark.parametrize(("found", "absent", "said"), WITHOUT)
def test_a_claim_without_a_verdict_is_named_and_stays_in_the_family(found: Any, absent: str, said: str) -> None:
    alone = judge_claims([one("C3", "claim")])[0]
    strong, without = judge_claims([one("C3", "claim"), one("C4", "claim", found, absent)])

    assert strong.adjusted_p == pytest.approx(2 * alone.adjusted_p, rel=1e-12)
    assert (without.p_value, without.adjusted_p, without.direction, without.materiality) == (
        1.0, 1.0, "not_established", "undecided",
    )  # fmt: skip
    assert without.simultaneous is None
    assert said in without.sentence
    assert "stays in the family of 2" in without.sentence


@pytest.mark.parametrize(("found", "absent", "said"), WITHOUT)
def test_a_slice_without_a_verdict_is_named_and_counted(found: Any, absent: str, said: str) -> None:
    alone = judge_together([one("C3", "screening")]).screened[0]
    noted, without = judge_together([one("C3", "screening"), one("C4", "screening", found, absent)]).screened

    assert noted.adjusted_p == pytest.approx(2 * alone.adjusted_p, rel=1e-12)
    assert (noted.noted, without.noted, without.p_value) == (True, False, 1.0)
    assert said in without.sentence


def test_a_claim_alone_has_its_own_interval_and_verdict() -> None:
    (found,) = judge_claims([one("C3", "claim")])
    assert SLOWER.interval is not None
    assert found.simultaneous is not None

    assert (found.direction, found.materiality) == ("regression_established", "worse_than_margin")
    assert (found.simultaneous.lo, found.simultaneous.hi) == pytest.approx(
        (SLOWER.interval.lo, SLOWER.interval.hi), rel=1e-8
    )
    assert found.sentence == "Regression established among 1 declared claim (Holm)."


def test_a_family_can_take_back_what_a_claim_says_alone() -> None:
    weak = next(
        r
        for scale in range(100, 130)
        if (r := result(props.blocked(props.BASELINE, [v * (1 + (scale / 100 - 1) / 20) for v in SLIGHT]))).interval
        and 0.02 < r.interval.p_value < 0.05
    )
    alone, first, *_ = *judge_claims([one("C3", "claim", weak)]), *judge_claims(
        [one("C3", "claim", weak), one("C4", "claim", ALIKE), one("C5", "claim", None)]
    )  # fmt: skip

    assert alone.direction == "regression_established"
    assert first.direction == "not_established"
    assert first.sentence == "Difference not established among 3 declared claims (Holm)."


def test_a_widened_interval_is_the_one_that_counts() -> None:
    runs = tuple(
        props.a_run(run.arm, int(run.label[1:]), (0.1 + 0.001 * i,), settings=(("clock", run.arm),))
        for i, run in enumerate(props.interleaved(props.BASELINE, props.CANDIDATE))
    )
    explained = Explained("clock", parse_exact("1.05"), accepted=True, text="capped", by="sam")
    widened = assess.assess(props.a_request(runs, explained=(explained,)))
    assert widened.widened is not None
    assert widened.interval is not None

    (found,) = judge_claims([one("C3", "claim", widened)])

    assert found.p_value > widened.interval.p_value
    assert found.simultaneous is not None
    assert (found.simultaneous.lo, found.simultaneous.hi) == pytest.approx(
        (widened.widened.lo, widened.widened.hi), rel=1e-8
    )


def test_a_look_that_was_not_declared_is_judged_by_the_interval_for_every_look() -> None:
    late = result(look=2)
    assert late.interval is not None
    assert late.single_look is not None

    (found,) = judge_claims([one("C3", "claim", late)])

    assert found.p_value == late.interval.p_value > late.single_look.p_value
    assert found.simultaneous is not None
    assert (found.simultaneous.lo, found.simultaneous.hi) == pytest.approx(
        (late.interval.lo, late.interval.hi), rel=1e-8
    )


def test_a_declared_look_brings_its_share_of_the_error() -> None:
    first = result(looks=2, look=1)
    assert first.interval is not None

    assert judge_claims([one("C3", "claim", first)])[0].p_value == pytest.approx(2 * first.interval.p_value, rel=1e-8)


def test_a_verdict_that_is_shown_and_withheld_supports_nothing() -> None:
    limited = replace(SLOWER, outcome="withheld", refusal=Refusal("rate_limited", "Bounded by the load.", "Saturate."))

    assert verdict_of(limited) is None
    assert why_none(one("C3", "claim", limited)) == "No verdict, withheld: Bounded by the load."
    assert why_none(one("C3", "claim", replace(limited, refusal=None))) == "No verdict."
    assert why_none(one("C3", "claim")) == ""


def test_a_name_is_counted_once() -> None:
    """Two claims of one name are a mistake of the caller, and not a smaller family."""
    with pytest.raises(ValueError, match="zip"):
        judge_claims([one("C3", "claim"), one("C3", "claim")])


def test_a_slice_is_worth_a_new_run_set_or_not() -> None:
    noted, not_noted = judge_together([one("C3", "screening"), one("C4", "screening", EVEN)]).screened

    assert (noted.noted, noted.sentence) == (True, "Worth a new run set.")
    assert (not_noted.noted, not_noted.sentence) == (False, "Nothing stands out.")


def test_a_difference_is_judged_in_its_unit() -> None:
    found = result(scale="difference", margin=parse_exact("0.002"))
    (claim,) = judge_claims([one("C3", "claim", found)])

    assert (claim.direction, claim.materiality) == ("regression_established", "worse_than_margin")
