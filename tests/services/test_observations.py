"""After a decision: what is seen, what is rechecked, what production did, and what came of it."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.errors import BadInput, Incomplete, NotPermitted, NotVisible, Unreadable, WrongState
from reviews.models import ApiToken, Assessment, EvidenceSet, Memo, Observation, Outcome
from reviews.services import assessments, observations, rechecks, tokens
from reviews.services.labels import Labels
from reviews.services.rechecks import RecheckWish
from reviews.vocabulary import SetState, State
from tests import cases
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def shipped() -> Memo:
    """A memo that was decided; from rolling out it has come to shipped."""
    memo = cases.a_memo_rolling_out()
    deeds.put_into(memo, State.SHIPPED)
    return memo


def soon() -> datetime:
    return timezone.now() + timedelta(minutes=1)


def recheck(
    memo: Memo,
    comparison: str = "C1",
    *,
    data: bytes | None = None,
    labels: tuple[Labels, ...] = (),
    name: str = "sam",
    token: ApiToken | None = None,
    **special: Any,
) -> Observation:
    content = cases.runs_file(cases.AS_MEASURED, soon()) if data is None else data
    artifact = deeds.file_of(content, "again.json").sha256
    usual = RecheckWish(
        comparison=comparison, title="A week later", text="Ordinary traffic.",
        files=tuple((artifact, one) for one in labels or deeds.arms()),
    )  # fmt: skip
    return rechecks.recheck(actor=cases.person(name), memo_id=memo.pk, wish=replace(usual, **special), token=token)


def observe(memo: Memo, text: str = "Quiet.", assessment: str = "", name: str = "sam") -> Observation:
    return observations.observe(actor=cases.person(name), memo_id=memo.pk, text=text, assessment=assessment, token=None)


def a_token(name: str = "olga") -> ApiToken:
    return tokens.issue(
        actor=cases.person(name), name="ci", scopes=("report",), expires_at=timezone.now() + timedelta(days=1)
    )[0]


def test_a_remark_stands_beside_the_latest_decision() -> None:
    memo = cases.a_memo_rolling_out()

    row = observe(memo)

    assert (row.decision, row.assessment, row.observed_by_name) == (memo.decisions.get(), None, "Sam")


def test_a_token_observes_under_its_own_name() -> None:
    memo = cases.a_memo_rolling_out()
    row = observations.observe(
        actor=cases.person("olga"), memo_id=memo.pk, text="Quiet.", assessment="", token=a_token()
    )

    assert (row.observed_by, row.observed_by_name) == (None, "token ci of Olga")


def test_a_remark_needs_words_a_decision_and_a_contributor() -> None:
    with refused(WrongState):
        observe(cases.a_memo_in_review())
    memo = cases.a_memo_rolling_out()
    with refused(BadInput, "no_text"):
        observe(memo, " ")
    for name in ("ann", "olga", "aud"):
        with refused(NotPermitted):
            observe(memo, name=name)
    with refused(NotVisible, where="assessment"):
        observe(memo, assessment="f" * 64)


def test_what_was_measured_before_the_decision_is_no_observation_of_what_came_of_it() -> None:
    memo = cases.a_memo_rolling_out()

    with refused(BadInput, "before_the_decision", "assessment"):
        observe(memo, assessment=Assessment.objects.get(comparison="C1").digest)


def test_what_was_sealed_during_the_rollout_is() -> None:
    memo = cases.a_memo_rolling_out()
    deeds.sealed(memo, cases.runs_file(cases.AS_MEASURED, soon()))
    made = deeds.compute(memo)

    assert observe(memo, assessment=made.digest).assessment == made


def test_a_recheck_has_a_sealed_set_and_an_assessment_of_its_own_outside_the_revision() -> None:
    memo = shipped()
    base = cases.base_of(memo)

    seen = recheck(memo)

    assert seen.assessment is not None
    assert seen.evidence_set is not None
    assert (seen.assessment.outcome, seen.assessment.look) == ("verdict", 1)
    assert (seen.evidence_set.state, seen.evidence_set.number) == (SetState.SEALED, 2)
    assert cases.base_of(memo) == base
    assert assessments.recompute(seen.assessment)


def test_a_recheck_is_no_look_of_the_plan() -> None:
    memo = cases.a_memo_rolling_out()
    recheck(memo)

    assert deeds.compute(memo).look == 1


def test_a_token_rechecks() -> None:
    assert recheck(shipped(), name="olga", token=a_token()).observed_by_name == "token ci of Olga"


@pytest.mark.parametrize(
    ("special", "kind", "code"),
    [
        ({"title": " "}, BadInput, "no_title"),
        ({"text": " "}, BadInput, "no_text"),
        ({"comparison": "C9"}, NotVisible, ""),
        ({"files": ()}, WrongState, "empty_set"),
        ({"files": (("f" * 64, deeds.RUN),)}, NotVisible, ""),
        ({"labels": (replace(deeds.RUN, arm="left"),)}, BadInput, ""),
        ({"labels": (deeds.RUN, deeds.RUN)}, BadInput, "attached_already"),
        ({"labels": (replace(deeds.RUN, excluded="it was odd"),)}, BadInput, "no_such_exclusion_rule"),
        ({"data": b"no format at all", "labels": (deeds.RUN,)}, Unreadable, ""),
        ({"name": "ann"}, NotPermitted, ""),
        ({"name": "eve"}, NotVisible, ""),
    ],
)
def test_a_recheck_that_does_not_fit_leaves_nothing(special: dict[str, Any], kind: Any, code: str) -> None:
    memo = shipped()
    special = dict(special)

    with refused(kind, code):
        recheck(memo, special.pop("comparison", "C1"), **special)
    assert EvidenceSet.objects.count() == 1
    assert not Observation.objects.exists()


def test_the_runs_of_the_decision_do_not_check_it() -> None:
    memo = shipped()
    part = deeds.content(memo).evidence.sets[0].attachments[0]

    with refused(BadInput, "runs_of_the_decision"):
        recheck(memo, files=((part.artifact, replace(deeds.RUN, run=part.run)),))


def test_runs_from_before_the_decision_do_not_check_it() -> None:
    early = cases.runs_file(cases.Runs(baseline=("1", "2", "3")), timezone.now() - timedelta(days=1))

    with refused(BadInput, "run_before_the_decision"):
        recheck(shipped(), data=early)


def test_a_memo_without_a_decision_is_not_rechecked() -> None:
    memo = cases.a_memo_with_evidence()
    with refused(WrongState):
        recheck(memo)
    deeds.put_into(memo, State.SHIPPED)
    with refused(WrongState, "no_decision"):
        recheck(memo)


def record(memo: Memo, text: str = "It held.", name: str = "ann") -> Outcome:
    return observations.record_outcome(actor=cases.person(name), memo_id=memo.pk, text=text)


def test_an_outcome_asks_for_a_recheck_of_the_primary_comparison() -> None:
    memo = shipped()

    with refused(Incomplete) as caught:
        record(memo)
    assert "recheck:C1" in {gap.code for gap in caught.value.missing}
    observe(memo)
    with refused(Incomplete):
        record(memo)


def test_an_outcome_closes_the_memo_with_what_moved() -> None:
    memo = shipped()
    seen = recheck(memo)
    with refused(BadInput, "no_text"):
        record(memo, " ")

    outcome = record(memo)
    outcome.refresh_from_db()

    assert cases.again(memo).state == State.CLOSED
    assert seen.assessment is not None
    assert outcome.assessments == [seen.assessment.digest]
    ((moved,), decision) = outcome.movements, outcome.decision
    assert (moved["metric"], moved["expected"], moved["seen"]) == ("throughput", ["1.02", "1.08"], "inside")
    assert decision == memo.decisions.get()


def test_an_outcome_is_for_author_and_contributor_after_a_decision() -> None:
    with refused(WrongState):
        record(cases.a_memo_in_review())
    memo = shipped()
    for name in ("olga", "bea", "aud"):
        with refused(NotPermitted):
            record(memo, name=name)
