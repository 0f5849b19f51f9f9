"""When a waiver counts: approved by somebody else on the board, whole, inside the cap, and not yet expired."""

from datetime import timedelta

from reviews.policies.facts import GateFacts, WaiverFacts
from reviews.vocabulary import WaiverState


def lapse(waiver: WaiverFacts, facts: GateFacts) -> str:
    """Why the waiver does not count now, "" when it does."""
    checks = (
        (waiver.state == WaiverState.APPROVED and bool(waiver.approved_by), "it is not approved"),
        (_is_whole(waiver), "it lacks an owner, a reason or a compensating control"),
        (waiver.approver_on_board, "it was approved by somebody who was not on the board"),
        (waiver.approved_by != waiver.requested_by, "it was approved by the person who asked for it"),
        (_is_inside(waiver, facts.template.waiver_cap_days), "it runs longer than the template allows"),
        (facts.now < waiver.expires_at, "it has expired"),
    )
    return next((said for holds, said in checks if not holds), "")


def in_force(facts: GateFacts, code: str) -> WaiverFacts | None:
    """The waiver that closes the gap `code` ("<rule>:<subject>"), or None."""
    return next((w for w in facts.waivers if w.requirement == code and not lapse(w, facts)), None)


def _is_whole(waiver: WaiverFacts) -> bool:
    return all((waiver.owner.strip(), waiver.reason.strip(), waiver.compensating_control.strip()))


def _is_inside(waiver: WaiverFacts, cap_days: int) -> bool:
    return waiver.approved_at is not None and waiver.expires_at <= waiver.approved_at + timedelta(days=cap_days)
