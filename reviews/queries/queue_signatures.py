"""Signatures, objections, waivers and decisions that wait for a person."""

from collections.abc import Iterator
from typing import Final

from reviews.policies import standing, wanted
from reviews.policies.case import Case
from reviews.policies.facts import SignatureFacts
from reviews.policies.lifecycle import REVIEW
from reviews.policies.numbers import listed
from reviews.policies.objections import clock_ends
from reviews.policies.staleness import stale_sections
from reviews.queries.queue_items import SOON, QueueItem, ends, item, pressing
from reviews.queries.queue_rows import Open, Waiting
from reviews.template_content import RoleRule
from reviews.told_words import gap
from reviews.vocabulary import DecisionKind, Position, StandingRole, State, WaiverState

SETTLERS: Final = frozenset({StandingRole.BOARD.value, StandingRole.ESCALATION_OWNER.value})


def signatures_wanted(seen: Waiting) -> Iterator[QueueItem]:
    """A required role that the person holds and nobody has signed for."""
    for one, rule, mine in _roles_to_sign(seen):
        if mine is None and not wanted.somebody_stands(one.facts, rule):
            said = f"Sign as {rule.title}, or object."
            yield item(one.memo, said, "sign", "Sign", one.memo.submitted_at or one.memo.created_at)


def signatures_lent(seen: Waiting) -> Iterator[QueueItem]:
    """A required role that somebody lent to the person, and nobody has signed for."""
    for one in seen.memos:
        rules = {rule.role: rule for rule in wanted.required(one.facts)} if one.memo.state in REVIEW else {}
        for row in seen.lent_for(one.memo):
            rule, holder = rules.get(row.role), row.holder.get_username()
            if rule is None or not wanted.may_keep(one.facts, rule, holder) or wanted.somebody_stands(one.facts, rule):
                continue
            said = f"Sign as {rule.title} for {row.holder_name}, who delegated it until {row.ends_at:%Y-%m-%d}."
            yield item(one.memo, said, "sign", "Sign", row.starts_at)


def conditions_to_meet(seen: Waiting) -> Iterator[QueueItem]:
    """An open condition of an approval that stands, which the person sees to, made, or may clear for the board."""
    name = seen.person.get_username()
    for one in seen.memos:
        board = StandingRole.BOARD in seen.held(one.memo)
        for said in standing.latest(Case(one.facts, DecisionKind.SHIP)):
            waits = [] if said.withdrawn else [c for c in said.conditions if not c.cleared_by]
            for condition in waits:
                if name in (condition.owner, said.signer, said.acting_for) or board:
                    told = f"{said.signer} approves on the condition: {condition.text} Owner: {condition.owner}."
                    yield item(one.memo, told, "sign", "Show or clear it", said.at)


def signatures_gone_stale(seen: Waiting) -> Iterator[QueueItem]:
    """A signature of the person whose sections have changed since."""
    for one, rule, mine in _roles_to_sign(seen):
        if mine is None or mine.position not in standing.APPROVING:
            continue
        changed = stale_sections(mine.covered, one.revision.section_digests)
        if changed:
            said = f"You signed as {rule.title}; sections that you signed changed: {listed(changed)}."
            yield item(one.memo, said, "sign", "See what changed", one.revision.created_at, "warn")


def _roles_to_sign(seen: Waiting) -> Iterator[tuple[Open, RoleRule, SignatureFacts | None]]:
    """(memo, role, the person's last word that is not withdrawn) for each role that the person may sign for."""
    name = seen.person.get_username()
    for one in seen.memos:
        if one.memo.state not in REVIEW:
            continue
        held = seen.held(one.memo)
        for rule in wanted.required(one.facts):
            if rule.role in held and wanted.may_keep(one.facts, rule, name):
                given = [s for s in one.facts.signatures if (s.signer, s.role) == (name, rule.role) and not s.withdrawn]
                yield one, rule, given[-1] if given else None


# The board


def ready_to_decide(seen: Waiting) -> Iterator[QueueItem]:
    """Every required owner has signed for a decision, and nobody objects: the gate's other rules stand on the page."""
    for one in seen.memos:
        name = seen.person.get_username()
        wrote = {contribution.name for contribution in one.facts.contributions}
        if one.memo.state not in REVIEW or StandingRole.BOARD not in seen.held(one.memo) or name in wrote:
            continue
        kinds = [kind for kind in _open_to(one) if _is_signed(one, kind)]
        if kinds and not _objections(one):
            said = f"Every required owner has signed for {listed([str(kind.label) for kind in kinds])}."
            last = max(signature.at for signature in one.facts.signatures)
            yield item(one.memo, said, "decide", "Decide", last)


def _open_to(one: Open) -> tuple[DecisionKind, ...]:
    """What the board may be waited for: once it rolls out, that it ships; going back is nothing that waits."""
    return (DecisionKind.SHIP,) if one.memo.state == State.ROLLING_OUT else wanted.SIGNED_FOR


def _is_signed(one: Open, kind: DecisionKind) -> bool:
    rules = wanted.required_for(one.facts, kind)
    return bool(rules) and all(standing.counting(Case(one.facts, kind), rule) for rule in rules)


def _objections(one: Open) -> list[SignatureFacts]:
    given = (s for s in one.facts.signatures if s.position == Position.OBJECT)
    return [s for s in given if not (s.withdrawn or s.resolved_by)]


def objections_to_answer(seen: Waiting) -> Iterator[QueueItem]:
    """An objection stands: the author answers it; escalation owner and board see when they may end it."""
    for one in seen.memos:
        if one.memo.created_by_id != seen.person.pk and not SETTLERS & seen.held(one.memo):
            continue
        for objection in _objections(one):
            ends = clock_ends(objection, one.template.deadlock_days)
            clock = "may end it now" if seen.now >= ends else f"may end it from {ends:%Y-%m-%d} on"
            said = f"{objection.signer} objects: {objection.objection} It would clear if: {objection.would_clear_if}"
            yield item(one.memo, f"{said} The escalation owner {clock}.", "sign", "Answer", objection.spoken_at, "bad")


def waivers_to_answer(seen: Waiting) -> Iterator[QueueItem]:
    """Somebody else asked the board to waive a gap."""
    for waiver in seen.waivers:
        asked = waiver.state is WaiverState.REQUESTED and waiver.requested_by_id != seen.person.pk
        if asked and StandingRole.BOARD in seen.held(waiver.memo):
            what = gap(waiver.requirement, waiver.subject)
            said = f"{waiver.requested_by_name} asks to waive {what}: {waiver.reason}"
            yield item(waiver.memo, said, "waivers", "Approve or decline", waiver.requested_at)


def waivers_running_out(seen: Waiting) -> Iterator[QueueItem]:
    """An approved waiver that the person owns, asked for or sits on the board for ends within 14 days, or has ended."""
    for waiver in seen.waivers:
        left = waiver.expires_at - seen.now
        mine = seen.person.pk in (waiver.owner_id, waiver.requested_by_id)
        if waiver.state is not WaiverState.APPROVED or left > SOON:
            continue
        if mine or StandingRole.BOARD in seen.held(waiver.memo):
            said = f"The waiver of {gap(waiver.requirement, waiver.subject)} {ends(left)}."
            yield item(waiver.memo, said, "waivers", "See the waiver", waiver.requested_at, pressing(left))
