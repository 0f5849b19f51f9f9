"""Everything that the page of a memo shows, in a number of queries that does not grow with the memo."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User

from analysis.families import ALONE
from reviews.memo_text.difference import RecordChange
from reviews.models import Decision, FollowUp, Memo, Observation, Outcome, Plan, ProductionEvent, Revision
from reviews.policies import anchors, completeness, flags, lifecycle
from reviews.policies import preview as outlook
from reviews.policies.facts import GateFacts
from reviews.policies.flags import Flags
from reviews.policies.preview import Preview
from reviews.queries import changes, comments, comparisons, memo_people, people, rollout_page
from reviews.queries.comments import Thread
from reviews.queries.comparisons import Compared, Headline
from reviews.queries.gate import gate_facts
from reviews.queries.intervals import ShownInterval, shown
from reviews.queries.memo_people import Dissent, OwnerRow, WaiverRow
from reviews.queries.memos import verdict_of
from reviews.queries.rollout_page import Running
from reviews.queries.together import Together, together
from reviews.sections import Comparison, Hypothesis, Prediction, Unfilled
from reviews.vocabulary import Action, ComparisonRole, SectionName, StandingRole, State


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """A comparison and what came of it.

    verdict: (kind of sign, value); None while it is not computed, and for a claim or a screening: see `together`.
    """

    row: Comparison
    primary: bool
    verdict: tuple[str, str] | None
    sentence: str
    interval: ShownInterval | None
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What an assessment says of a prediction. comparison: its key."""

    comparison: str
    outcome: str
    sentence: str
    post_hoc: bool


@dataclass(frozen=True, slots=True)
class PredictionRow:
    """plan: the one that registered the prediction, None when it is only written down."""

    prediction: Prediction
    plan: Plan | None
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class HypothesisRow:
    hypothesis: Hypothesis
    predictions: tuple[PredictionRow, ...]


@dataclass(frozen=True, slots=True)
class After:
    """What was decided, and what followed."""

    decisions: tuple[Decision, ...]
    observations: tuple[Observation, ...]
    production_events: tuple[ProductionEvent, ...]
    follow_ups: tuple[FollowUp, ...]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class MemoPage:
    """allowed: what the person may do now. edits: the sections that the person may change now.

    compared: the comparisons with their assessments. placeholders: fields that the text still leaves open.
    open_comments: threads that nobody has resolved. fields: section -> what of it can be commented on by itself.
    owed: the follow-ups that the person may meet. rollout: its latest bounded rollout, None when there never was one.
    """

    memo: Memo
    revision: Revision
    revisions: tuple[Revision, ...]
    facts: GateFacts
    preview: Preview
    flags: Flags
    allowed: frozenset[Action]
    edits: frozenset[SectionName]
    headline: Headline
    verdict: tuple[str, str] | None
    interval: ShownInterval | None
    compared: tuple[Compared, ...]
    comparisons: tuple[ComparisonRow, ...]
    together: Together
    hypotheses: tuple[HypothesisRow, ...]
    plans: tuple[Plan, ...]
    owners: tuple[OwnerRow, ...]
    dissent: tuple[Dissent, ...]
    waivers: tuple[WaiverRow, ...]
    threads: Mapping[str, tuple[Thread, ...]]
    open_comments: int
    fields: Mapping[str, tuple[str, ...]]
    placeholders: tuple[Unfilled, ...]
    after: After
    owed: frozenset[int]
    rollout: Running | None


def memo_page(person: User, memo: Memo) -> MemoPage:
    """The page of a memo that `people.memo_for` gave to the person."""
    facts = gate_facts(memo.pk, decider=None, requested_percent=None)
    revisions = tuple(memo.revisions.defer("sections", "section_digests").order_by("-number"))
    compared = comparisons.compared(memo, facts.content)
    headline = comparisons.headline(compared)
    plans = tuple(memo.plans.order_by("pk"))
    signatures = memo_people.signatures_of(memo)
    preview = outlook.preview(facts)
    after = _after(memo)
    standing = rollout_page.standing_of(memo, after.decisions, facts.now)
    live = rollout_page.is_live(memo, after.decisions, facts.now)
    state, roles = State(memo.state), people.roles_on(person, memo)
    said = comments.said_on(memo)
    return MemoPage(
        memo=memo,
        revision=revisions[0],
        revisions=revisions,
        facts=facts,
        preview=preview,
        flags=flags.flags(facts, preview, live_without_authority=live),
        rollout=rollout_page.of(memo, facts, standing, roles),
        allowed=frozenset(lifecycle.allowed(state, roles)),
        edits=lifecycle.reach(Action.EDIT, state, roles),
        headline=headline,
        verdict=verdict_of(headline),
        interval=shown(headline.result) if headline.result else None,
        compared=compared,
        comparisons=tuple(_comparison(one, facts) for one in sorted(compared, key=_importance)),
        together=together(facts.content, compared),
        hypotheses=tuple(_hypothesis(h, plans, compared) for h in facts.content.hypotheses.hypotheses),
        plans=plans,
        owners=memo_people.owners(facts, signatures),
        dissent=memo_people.dissent(signatures),
        waivers=memo_people.waiver_rows(memo, facts),
        threads=comments.threads(said),
        open_comments=comments.open_threads(said),
        fields=_fields(memo),
        placeholders=completeness.placeholders(facts.content),
        after=after,
        owed=_owed(person, roles, after),
    )


def _owed(person: User, roles: frozenset[lifecycle.Role], after: After) -> frozenset[int]:
    """The open follow-ups that the person may call met: for the board, all but their own."""
    if StandingRole.BOARD not in roles:
        return frozenset()
    waiting = (row for row in after.follow_ups if not hasattr(row, "done"))
    return frozenset(row.pk for row in waiting if row.owner_id != person.pk)


def changed_since(page: MemoPage, number: int) -> tuple[RecordChange, ...]:
    """What changed from revision `number` to the one on the page. Raises NotVisible."""
    current = page.memo.current_revision
    assert current is not None  # noqa: S101 (a page has one)
    return changes.since(page.memo, number, current)


def _importance(one: Compared) -> int:
    """By role: the primary ones first, those that are only named last."""
    return [*ComparisonRole.values, ""].index(one.row.role)


def _comparison(one: Compared, facts: GateFacts) -> ComparisonRow:
    result = one.result
    said = comparisons.sentence_of(result) if result else one.row.absent_reason or "Not computed yet."
    alone = one.row.role in ALONE and result is not None and result["outcome"] == "verdict"
    return ComparisonRow(
        row=one.row,
        primary=one.row.role == ComparisonRole.PRIMARY,
        verdict=None if alone or result is None else verdict_of(Headline(one.row.key, said, result["outcome"], result)),
        sentence=said,
        interval=shown(result) if result else None,
        notices=(*(n["sentence"] for n in result["notices"]), *_gone(one.row, facts)) if result else (),
    )


def _gone(row: Comparison, facts: GateFacts) -> Iterable[str]:
    """Of each redacted file among those that the comparison read, that it is."""
    read = {
        part.artifact
        for one in facts.content.evidence.sets
        if one.number == row.evidence_set
        for part in one.attachments
    }
    for file in (facts.artifacts[digest] for digest in sorted(read & facts.artifacts.keys())):
        if file.redacted:
            yield f"{file.name}, which it read, was {file.redacted}: it cannot be computed again."


def _hypothesis(hypothesis: Hypothesis, plans: Iterable[Plan], compared: Iterable[Compared]) -> HypothesisRow:
    known = {plan.nonce: plan for plan in plans}
    rows = tuple(
        PredictionRow(p, known.get(p.plan), tuple(_judged(hypothesis.key, p.key, compared)))
        for p in hypothesis.predictions
    )
    return HypothesisRow(hypothesis, rows)


def _judged(hypothesis: str, prediction: str, compared: Iterable[Compared]) -> Iterable[Judged]:
    for one in compared:
        for row in one.result["judgements"] if one.result else ():
            if (row["hypothesis"], row["key"]) == (hypothesis, prediction):
                yield Judged(one.row.key, row["outcome"], row["sentence"], row["post_hoc"])


def _fields(memo: Memo) -> Mapping[str, tuple[str, ...]]:
    current = memo.current_revision
    assert current is not None  # noqa: S101 (a page has one)
    return {name: anchors.fields(section) for name, section in current.sections.items()}


def _after(memo: Memo) -> After:
    return After(
        decisions=tuple(memo.decisions.select_related("pdf").defer("dossier", "gate").order_by("-number")),
        observations=tuple(memo.observations.select_related("assessment").order_by("-observed_at")),
        production_events=tuple(memo.production_events.select_related("ratification").order_by("-happened_at")),
        follow_ups=tuple(memo.follow_ups.select_related("done").order_by("due_at")),
        outcomes=tuple(memo.outcomes.order_by("-recorded_at")),
    )
