"""Evidence, drafts, rollouts and follow-ups that wait for a person."""

from collections.abc import Iterator
from typing import Final

from reviews.memo_text.text import slug
from reviews.policies import completeness
from reviews.policies.facts import RuleError
from reviews.policies.lifecycle import REVIEW
from reviews.policies.numbers import listed, moment
from reviews.queries.queue_items import SOON, QueueItem, ends, item, pressing
from reviews.queries.queue_rows import Open, Waiting
from reviews.vocabulary import StandingRole, State

ANSWER: Final = {StandingRole.ESCALATION_OWNER, StandingRole.BOARD}

# Evidence


def evidence_missing(seen: Waiting) -> Iterator[QueueItem]:
    """Missing evidence whose owner, by name or role, is the person."""
    for one in seen.memos:
        mine = _called(seen, one)
        for missing in one.content.hypotheses.missing_evidence:
            if missing.owner and slug(missing.owner) in mine:
                said = f"Evidence is missing that you own: {missing.what}"
                yield item(one.memo, said, "evidence", "Attach it", one.memo.created_at)


def _called(seen: Waiting, one: Open) -> set[str]:
    """How a text may call the person on that memo: by name, or by a role as it is titled there."""
    held = seen.held(one.memo)
    titles = {r.title for asked in one.template.decisions.values() for r in asked.roles if r.role in held}
    titles |= {owner.title for owner in one.content.signoff.required_owners if owner.role in held}
    return {slug(name) for name in (*titles, *held, seen.person.get_username(), seen.person.get_full_name())}


def comparisons_without_runs(seen: Waiting) -> Iterator[QueueItem]:
    """Comparisons of a memo in review that nobody has computed: contributors attach the runs."""
    for one in seen.memos:
        rows = [c for c in one.content.comparisons.comparisons if not c.assessment and not c.absent_reason]
        if not rows or one.memo.state not in REVIEW or StandingRole.CONTRIBUTOR not in seen.held(one.memo):
            continue
        keys = listed([row.key for row in rows])
        sealed = all(row.evidence_set for row in rows)
        said = f"{keys}: the evidence is sealed and not computed." if sealed else f"{keys}: no runs are sealed yet."
        yield item(one.memo, said, "evidence", "Compute" if sealed else "Attach runs", one.revision.created_at)


def sets_left_open(seen: Waiting) -> Iterator[QueueItem]:
    """A set that the person opened and nobody has sealed."""
    for row in seen.open_sets:
        files = row.files  # type: ignore[attr-defined]  # annotated
        said = f"Evidence set {row.number}, “{row.title}”, is open with {files} file(s): complete it and seal it."
        yield item(row.memo, said, "evidence", "Open the set", row.opened_at)


def explanations_to_accept(seen: Waiting) -> Iterator[QueueItem]:
    """An explanation of a difference waits for a contributor who neither gave it nor wrote the memo."""
    for one in seen.memos:
        if one.memo.created_by_id == seen.person.pk or StandingRole.CONTRIBUTOR not in seen.held(one.memo):
            continue
        for row in one.content.comparisons.comparisons:
            for given in row.explanations:
                if not given.accepted_by and given.by != seen.person.get_username():
                    said = f"{given.by} explains the difference in {given.setting} of {row.key}: {given.text}"
                    yield item(one.memo, said, "#comparisons", "Read and accept", one.revision.created_at)


# Own work


def drafts(seen: Waiting) -> Iterator[QueueItem]:
    """The person's drafts, with what they lack before they can be submitted."""
    for one in seen.memos:
        if one.memo.state != State.DRAFT or one.memo.created_by_id != seen.person.pk:
            continue
        lacks = completeness.missing(one.content, seen.person.get_username())
        if not lacks:
            yield item(one.memo, "Your draft lacks nothing: submit it.", "memo", "Submit", one.revision.created_at)
            continue
        more = f" And {len(lacks) - 1} more." if len(lacks) > 1 else ""
        yield item(
            one.memo, f"{lacks[0].sentence}{more}", "memo-edit", "Go on writing", one.revision.created_at, "quiet"
        )


def rollouts_ending(seen: Waiting) -> Iterator[QueueItem]:
    """A rollout of the person's ends within 14 days, has ended, or says no date any more."""
    for one in seen.memos:
        mine = one.content.rollout.owner == seen.person.get_username() or one.memo.created_by_id == seen.person.pk
        if one.memo.state != State.ROLLING_OUT or not (mine or StandingRole.BOARD in seen.held(one.memo)):
            continue
        if one.memo.pk in seen.live:
            continue
        since = one.memo.decided_at or one.revision.created_at
        try:
            left = moment(one.content.rollout.ends_at, "The end of the rollout") - seen.now
        except RuleError as error:
            yield item(one.memo, str(error), "#rollout", "See the rollout", since, "bad")
            continue
        if left <= SOON:
            said = f"The rollout {ends(left)}: ship, roll back, or let it lapse."
            yield item(one.memo, said, "decide", "Decide", since, pressing(left))


def escalations_to_answer(seen: Waiting) -> Iterator[QueueItem]:
    """An escalated question waits for whom it names, escalation owners, and the board, which goes on from there."""
    for one in seen.memos:
        asked = one.content.signoff.escalation
        theirs = ANSWER & seen.held(one.memo) or slug(asked.to) in _called(seen, one)
        if one.memo.state != State.ESCALATED or not theirs:
            continue
        since = one.memo.decided_at or one.revision.created_at
        try:
            left = moment(asked.by, "The date of the escalation") - seen.now
        except RuleError as error:
            yield item(one.memo, str(error), "#signoff", "See the question", since, "bad")
            continue
        said = f"{asked.question} Asked of {asked.to}; the time to answer {ends(left)}."
        yield item(one.memo, said, "#signoff", "See the question", since, pressing(left))


def follow_ups_owed(seen: Waiting) -> Iterator[QueueItem]:
    """What the person still owes after a decision."""
    for row in seen.follow_ups:
        late = row.due_at <= seen.now
        said = f"{row.text} {'Was due' if late else 'Due'} on {row.due_at:%Y-%m-%d}."
        yield item(row.memo, said, "memo", "See the memo", row.created_at, "bad" if late else "info")
