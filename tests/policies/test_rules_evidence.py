"""How the evidence was made, sentence by sentence."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies.evidence_facts import OpenSet, PlacementFacts, RefusalFacts, StratumFacts
from reviews.policies.facts import GateFacts
from reviews.sections import Explanation
from reviews.vocabulary import DecisionKind, RequirementState

from .asking import lines, said, state
from .open_gate import (
    CONTENT,
    CURVES,
    OPEN,
    a_comparison,
    an_artifact,
    an_assessment,
    an_attachment,
    an_interval,
    with_assessment,
    with_comparisons,
    with_section,
)

INTERVAL = "every_claimed_effect_has_an_interval"
WORK = "both_arms_did_the_same_work"
ARTIFACTS = "required_artifacts_are_attached"
REACH = "evidence_reaches_the_scope"
C1, C2 = CONTENT.comparisons.comparisons
FEW = RefusalFacts(code="too_few_runs", message="One run per arm.", needs="Three are needed.")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"outcome": "withheld", "refusal": FEW},
            "C1 (throughput rate) has no interval: One run per arm. Three are needed.",
        ),
        ({"outcome": "withheld"}, "C1 (throughput rate) has no interval."),
        ({"interval": None}, "C1 (throughput rate) has no interval."),
        (
            {"outcome": "failed_to_serve", "failed": 4},
            "C1 (throughput rate) has no interval: the candidate failed to serve in 4 of 6 runs.",
        ),
    ],
)
def test_what_has_no_interval_says_why(fields: dict[str, Any], sentence: str) -> None:
    assert said(INTERVAL, with_assessment(OPEN, "C1", **fields)) == [sentence]


def test_a_comparison_that_was_not_computed_has_no_interval() -> None:
    facts = with_comparisons(OPEN, replace(C1, assessment=""), C2)

    assert said(INTERVAL, facts) == ["C1 (throughput rate) is not computed yet."]
    assert said(WORK, facts) == ["The work of C1 (throughput rate) was not audited."]


def test_an_assessment_that_is_not_in_the_store_is_an_error() -> None:
    facts = with_comparisons(OPEN, replace(C1, assessment="elsewhere"), C2)

    assert said(INTERVAL, facts) == ["The assessment of C1 (throughput rate) is not in the store."]
    assert state(INTERVAL, facts) == RequirementState.ERROR


def test_an_unknown_outcome_is_an_error() -> None:
    assert state(INTERVAL, with_assessment(OPEN, "C1", outcome="fine")) == RequirementState.ERROR


def with_audit(state: str) -> GateFacts:
    row = replace(an_assessment().audit[0], state=state, blocks=True, sentence="model differs: a, b.")
    return with_assessment(OPEN, "C1", audit=(row,))


def test_a_difference_is_to_be_explained() -> None:
    assert said(WORK, with_audit("differs")) == [
        "C1 (throughput rate): model differs: a, b; explain it with its greatest effect."
    ]


def test_silence_is_to_be_stated() -> None:
    assert said(WORK, with_audit("not_recorded"))[0].endswith("; state it.")


def test_arms_that_are_not_comparable_did_not_do_the_same_work() -> None:
    assert said(WORK, with_assessment(OPEN, "C1", outcome="not_comparable")) == [
        "C1 (throughput rate): the arms are not comparable."
    ]


@pytest.mark.parametrize(("accepted_by", "stands"), [("pat", True), ("", False), ("ann", False), ("sam", False)])
def test_an_explanation_is_accepted_by_somebody_who_did_not_write_it(accepted_by: str, stands: bool) -> None:
    told = Explanation(setting="driver", text="same", greatest_effect="1.01", by="sam", accepted_by=accepted_by)
    facts = with_comparisons(OPEN, replace(C1, explanations=(told,)), C2)

    assert (state(WORK, facts) == RequirementState.MET) is stands


def test_a_run_that_nobody_accounts_for_is_named_with_the_code_of_its_waiver() -> None:
    plan = OPEN.plans[0]
    lost = replace(plan, runs=(plan.runs[0], replace(plan.runs[1], accounted="")))

    [line] = lines("every_started_run_is_accounted_for", replace(OPEN, plans=(lost,)))

    assert line.code == "every_started_run_is_accounted_for:n1/r2"
    assert line.sentence == "The run r2 of the plan “replay” is neither attached nor accounted for."


def with_artifact(**fields: Any) -> GateFacts:
    return replace(OPEN, artifacts={**OPEN.artifacts, CURVES: an_artifact(**fields)})


def with_attachments(*attachments: Any) -> GateFacts:
    sealed = replace(CONTENT.evidence.sets[0], attachments=attachments)
    return with_section(OPEN, "evidence", sets=(sealed,))


@pytest.mark.parametrize(
    ("fields", "detail"),
    [
        ({"parse_state": "refused", "parse_message": "not JSON"}, "curves.json was refused: not JSON"),
        ({"parse_state": ""}, "curves.json is not read yet"),
    ],
)
def test_an_artifact_that_was_not_read_does_not_count(fields: dict[str, Any], detail: str) -> None:
    assert said(ARTIFACTS, with_artifact(**fields)) == [f"Curve pack is not attached: {detail}."]


def of_any_format(facts: GateFacts) -> GateFacts:
    """The facts, with a template whose required kind is a document of any kind."""
    ship = facts.template.decisions["ship"]
    ruled = replace(ship, artifacts=tuple(replace(rule, format="") for rule in ship.artifacts))
    return replace(facts, template=replace(facts.template, decisions={**facts.template.decisions, "ship": ruled}))


def test_a_document_counts_without_a_format_where_the_template_asks_for_none() -> None:
    facts = with_artifact(parse_state="unrecognised", format="")

    assert state(ARTIFACTS, of_any_format(facts)) == RequirementState.MET


@pytest.mark.parametrize(("format_", "read_as"), [("", "a plain document"), ("hyperfine", "hyperfine")])
def test_a_kind_with_a_format_of_its_own_is_no_other_file(format_: str, read_as: str) -> None:
    facts = with_artifact(parse_state="parsed" if format_ else "unrecognised", format=format_)

    assert said(ARTIFACTS, facts) == [
        f"Curve pack is not attached: curves.json is no curve-pack: it was read as {read_as}."
    ]


def test_a_measurement_of_an_arm_counts_only_when_it_was_read() -> None:
    facts = with_artifact(parse_state="unrecognised", format="")
    facts = replace(facts, content=with_attachments(an_attachment(arm="baseline")).content)

    assert said(ARTIFACTS, facts) == [
        "Curve pack is not attached: curves.json stands for an arm, and no format recognises it."
    ]


def test_one_good_artifact_of_a_kind_is_enough() -> None:
    facts = with_attachments(an_attachment(artifact="e" * 64, name="old.json"), an_attachment())

    assert state(ARTIFACTS, facts) == RequirementState.MET


def test_an_artifact_that_is_not_in_the_store_does_not_count() -> None:
    facts = with_attachments(an_attachment(artifact="e" * 64))

    assert said(ARTIFACTS, facts) == ["Curve pack is not attached: curves.json is not in the store."]


def test_an_open_set_is_named() -> None:
    facts = replace(with_attachments(), open_sets=(OpenSet(number=2, title="more", files=3),))

    assert said(ARTIFACTS, facts) == ["Curve pack is not attached: set 2 is still open."]


def test_recalled_evidence_closes_the_gate_wherever_the_memo_cites_it() -> None:
    other = an_attachment(artifact="e" * 64, name="run.json", kind="benchmark")
    facts = with_attachments(an_attachment(), other)
    recalled = an_artifact(recalled=True, recalled_by="sam", recall_reason="wrong clock")
    facts = replace(facts, artifacts={**OPEN.artifacts, "e" * 64: recalled})

    assert said(ARTIFACTS, facts) == ["run.json was recalled by sam (wrong clock), and the memo cites it."]
    assert state(ARTIFACTS, facts, DecisionKind.ROLLBACK) == RequirementState.MET


def test_a_recalled_artifact_of_a_required_kind_does_not_count_even_for_a_rollback() -> None:
    facts = with_artifact(recalled=True, recalled_by="sam", recall_reason="wrong clock")

    assert said(ARTIFACTS, facts, DecisionKind.ROLLBACK) == [
        "Curve pack is not attached: curves.json was recalled by sam (wrong clock)."
    ]


GONE = "redacted by Adi on 2026-12-01 (a secret: the key of the pool)"


def test_redacted_evidence_closes_the_gate_wherever_the_memo_cites_it() -> None:
    other = an_attachment(artifact="e" * 64, name="run.json", kind="benchmark")
    facts = with_attachments(an_attachment(), other)
    facts = replace(facts, artifacts={**OPEN.artifacts, "e" * 64: an_artifact(redacted=GONE)})

    assert said(ARTIFACTS, facts) == [
        f"run.json was {GONE}: what rests on it cannot be computed again, and the memo cites it."
    ]
    assert state(ARTIFACTS, facts, DecisionKind.ROLLBACK) == RequirementState.MET


def test_a_redacted_artifact_of_a_required_kind_does_not_count_even_for_a_rollback() -> None:
    assert said(ARTIFACTS, with_artifact(redacted=GONE), DecisionKind.ROLLBACK) == [
        f"Curve pack is not attached: curves.json was {GONE}."
    ]


@pytest.mark.parametrize(
    ("covered", "excluded", "open_"), [(True, False, True), (False, True, True), (False, False, False)]
)
def test_each_stratum_of_the_scope_is_covered_or_excluded_by_name(covered: bool, excluded: bool, open_: bool) -> None:
    facts = replace(OPEN, strata=(StratumFacts(name="H100 × 550 × 1.2", covered=covered, excluded=excluded),))

    assert (state(ARTIFACTS, facts) == RequirementState.MET) is open_


def test_the_line_says_when_the_scope_names_no_strata() -> None:
    assert said(ARTIFACTS, OPEN) == ["1 required kind(s) attached; the scope names no strata."]


def test_the_line_says_why_the_artifact_is_sufficient() -> None:
    [sentence] = said(ARTIFACTS, with_artifact(shows="Sufficient: two points."))

    assert sentence.endswith("names no strata. Curve pack, curves.json: Sufficient: two points.")


HOSTS = an_assessment().placements


def test_seeds_on_placements_like_these_reach_as_far_as_runs_on_them() -> None:
    wide = an_interval(scope="this benchmark on placements like these")

    assert said(REACH, with_assessment(OPEN, "C1", interval=wide)) == said(REACH, OPEN)
    assert said(REACH, with_assessment(OPEN, "C1", interval=an_interval(scope="this benchmark"))) != said(REACH, OPEN)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"interval": an_interval(scope="this placement only")},
            "speaks for “this placement only”, and a ship reaches further.",
        ),
        ({"interval": an_interval(scope="")}, "speaks for “an unknown placement”, and a ship reaches further."),
        (
            {"interval": an_interval(kind="bounds")},
            "rests on bounds alone, which speak only for the runs that they bound.",
        ),
        (
            {"order_confounded": True},
            "was measured with one arm after the other, so the change cannot be told from the time.",
        ),
        ({"placements": HOSTS[:2]}, "was verified on 2 host(s); 3 are needed to speak for others."),
        (
            {"placements": (HOSTS[0], HOSTS[1], replace(HOSTS[2], verified=False))},
            "was verified on 2 host(s) (1 placement(s) typed, not verified); 3 are needed to speak for others.",
        ),
        (
            {"placements": (HOSTS[0], HOSTS[1], replace(HOSTS[2], host=""))},
            "was verified on 2 host(s) (1 placement(s) typed, not verified); 3 are needed to speak for others.",
        ),
        (
            {"placements": (HOSTS[0], HOSTS[1], PlacementFacts(label="other devices", host="h1", verified=True))},
            "was verified on 2 host(s); 3 are needed to speak for others.",
        ),
    ],
)
def test_evidence_that_falls_short_supports_at_most_a_bounded_rollout(fields: dict[str, Any], sentence: str) -> None:
    assert said(REACH, with_assessment(OPEN, "C1", **fields)) == [
        f"C1 (throughput rate) {sentence} At most a bounded rollout is supported."
    ]


def test_a_result_without_an_interval_reaches_nothing_and_supports_nothing() -> None:
    assert said(REACH, with_assessment(OPEN, "C1", interval=None)) == [
        "C1 (throughput rate) has no interval, and reaches nothing."
    ]


@pytest.mark.parametrize(
    ("hosts", "placements", "reaches"),
    [
        (("h1",), HOSTS[:1], True),
        (("h1", "h2"), HOSTS[:1], False),
        (("h1",), (HOSTS[0], replace(HOSTS[1], verified=False)), False),
        ((), HOSTS[:1], False),
    ],
)
def test_a_named_scope_is_reached_when_its_very_hosts_were_measured(
    hosts: tuple[str, ...], placements: tuple[PlacementFacts, ...], reaches: bool
) -> None:
    facts = replace(OPEN, scope_hosts=hosts)
    for key in ("C1", "C2"):
        facts = with_assessment(facts, key, placements=placements, interval=an_interval(scope="this placement only"))

    assert all(line.state == RequirementState.MET for line in lines(REACH, facts)) is reaches


def test_a_fix_check_takes_the_place_of_the_symptom_for_the_same_metric_and_slice() -> None:
    narrow = an_assessment(interval=an_interval(scope="this placement only"))
    fix = a_comparison("C3", "throughput", "rate", role="primary", purpose="fix_check", assessment="of C3")
    facts = with_comparisons(OPEN, replace(C1, purpose="symptom"), C2, fix)
    facts = replace(facts, assessments={**facts.assessments, "assessment of C1": narrow, "of C3": an_assessment()})

    assert state(REACH, facts) == RequirementState.MET

    elsewhere = replace(fix, slice="batch")
    facts = replace(facts, content=with_comparisons(facts, replace(C1, purpose="symptom"), C2, elsewhere).content)

    assert state(REACH, facts) == RequirementState.UNMET
