"""What production leaves to be done: rollouts to watch or to end, rollbacks to ratify."""

from collections.abc import Iterator
from typing import Final

from reviews.policies.contract import Contract
from reviews.queries.queue_items import QueueItem, item
from reviews.queries.queue_rows import Open, Waiting
from reviews.queries.recalled import Cited
from reviews.vocabulary import ProductionEventKind, StandingRole, State

STOPPERS: Final = frozenset({StandingRole.BOARD.value, StandingRole.ROLLBACK_OWNER.value})


def live_without_authority(seen: Waiting) -> Iterator[QueueItem]:
    """An expired rollout runs still: whoever can end it or decide on it is told."""
    for one in seen.memos:
        live = seen.live.get(one.memo.pk)
        if live and (STOPPERS & seen.held(one.memo) or one.memo.created_by_id == seen.person.pk):
            expired = f"The rollout expired on {live.ended_at:%Y-%m-%d}"
            said = f"{expired} and is still live without authority: end it, or decide."
            yield item(one.memo, said, "decide", "Decide", live.ended_at, "bad")


def rollbacks_to_ratify(seen: Waiting) -> Iterator[QueueItem]:
    """Production reported a rollback, and nobody has decided since."""
    for one in seen.memos:
        if not STOPPERS & seen.held(one.memo):
            continue
        standing = seen.standings.get(one.memo.pk)
        for event in standing.events if standing else ():
            if event.kind == ProductionEventKind.ROLLED_BACK and not event.ratified_by:
                said = f"{event.by} reported that {event.what} was rolled back: ratify it by a decision."
                yield item(one.memo, said, "decide", "Ratify", event.at, "bad")


def thresholds_passed(seen: Waiting) -> Iterator[QueueItem]:
    """An abort threshold of a running rollout says abort: its owner and the board roll back."""
    for one, contract in _running(seen):
        for passed in contract.thresholds:
            if passed.answer == "abort":
                said = f"{passed.name} says abort: roll back. {passed.sentence}"
                yield item(one.memo, said, "rollout", "See the rollout", contract.stage_began_at, "bad")


def stages_to_begin(seen: Waiting) -> Iterator[QueueItem]:
    """A stage has soaked: the next one begins, or the thresholds say what is not known."""
    for one, contract in _running(seen):
        answers = {passed.answer for passed in contract.thresholds}
        if contract.following and contract.soaked_at <= seen.now and "abort" not in answers:
            wants = "nothing stands before the next." if answers == {"continue"} else "a threshold holds."
            said = f"Stage {contract.stage} has soaked: {wants}"
            yield item(one.memo, said, "rollout", "See the rollout", contract.soaked_at)


def recalled_evidence(seen: Waiting) -> Iterator[QueueItem]:
    """A file that a memo stands on was recalled: its signers, its rollback owner, its author and the board are told."""
    for cited in _concerning(seen):
        for row in cited.recalls:
            reason = row.reason.strip().rstrip(".")
            said = f"{row.artifact.name} was recalled by {row.by_name}: {reason}. The memo stands on it."
            yield item(cited.memo, said, "evidence", "See the evidence", row.at, "bad")


def redacted_evidence(seen: Waiting) -> Iterator[QueueItem]:
    """The bytes of a file that a memo stands on were taken away: the same people are told."""
    for cited in _concerning(seen):
        for row in cited.redactions:
            said = f"{row.artifact.name} was {row.said}. The memo stands on it."
            yield item(cited.memo, said, "evidence", "See the evidence", row.at, "bad")


def _concerning(seen: Waiting) -> Iterator[Cited]:
    """The memos on lost files that the person has signed, has written, owns the rollback of, or decides on."""
    for cited in seen.lost:
        memo, name = cited.memo, seen.person.get_username()
        concerned = {*cited.signers, cited.rollback_owner, memo.created_by.get_username()}
        if name in concerned or StandingRole.BOARD in seen.held(memo):
            yield cited


def _running(seen: Waiting) -> Iterator[tuple[Open, Contract]]:
    for one in seen.memos:
        standing = seen.standings.get(one.memo.pk)
        if one.memo.state == State.ROLLING_OUT and STOPPERS & seen.held(one.memo) and standing and standing.contract:
            yield one, standing.contract
