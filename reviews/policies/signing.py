"""What a signature needs, what it covers, and the statement that is signed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

from reviews.errors import BadInput, Incomplete, Missing, NotPermitted, StalePage
from reviews.policies.case import Case
from reviews.policies.facts import Condition, GateFacts
from reviews.policies.numbers import listed
from reviews.policies.staleness import stale_sections
from reviews.policies.standing import APPROVING, DEFAULT_SIGNS, latest, sections_of
from reviews.vocabulary import DecisionKind, Position, SectionName, StandingRole

STATEMENT: Final = "countersign/statement/2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A signature that somebody is about to give. Fields as in `SignatureFacts`.

    replaces: SHA-256 of the statement of the signer's former word in the role, "" for the first.
    """

    signer: str
    acting_for: str
    delegation_in_force: bool
    role: str
    position: Position
    kinds: tuple[DecisionKind, ...]
    scope_percent: Fraction | None
    conditions: tuple[Condition, ...]
    objection: str
    would_clear_if: str
    replaces: str = ""


def sections_covered(facts: GateFacts, role: str) -> tuple[str, ...]:
    """The sections that a signature for the role covers, in the order of the page; over all decision kinds.

    Raises:
        BadInput: neither the template nor the memo's text knows the role.
    """
    if role == StandingRole.ROLLBACK_OWNER:
        return (SectionName.ROLLOUT.value,)
    rules = [rule for asked in facts.template.decisions.values() for rule in asked.roles if rule.role == role]
    if rules:
        signed = {name for rule in rules for name in sections_of(rule)}
        return tuple(name for name in SectionName.values if name in signed)
    if any(owner.role == role for owner in facts.content.signoff.required_owners):
        return DEFAULT_SIGNS
    raise BadInput(f"No decision on this memo asks for the role “{role}”.", where="role")


def check(facts: GateFacts, wanted: Wanted) -> tuple[str, ...]:
    """What the signer has to be told ("own work"), when the signature may be given.

    Raises:
        BadInput: a role that is not asked for, a scope out of range, or fields that the position does not have.
        NotPermitted: the role is not held, or the person has signed for another required role already.
        Incomplete: what the position needs is not there.
    """
    sections_covered(facts, wanted.role)
    _refuse_without_the_role(facts, wanted)
    _refuse_a_second_role(facts, wanted)
    _refuse_after_a_recusal(facts, wanted)
    _refuse_what_the_position_does_not_have(wanted)
    lacks = tuple(_lacks(wanted))
    if lacks:
        raise Incomplete(f"To {wanted.position.label}, more has to be said.", missing=lacks)
    wrote = Case(facts, DecisionKind.SHIP).contributors
    if wanted.signer in wrote:
        return ("own work: this signature stands, and does not count to the quorum",)
    if wanted.acting_for in wrote:
        return (f"{wanted.acting_for} wrote content of this memo: this signature does not count to the quorum",)
    return ()


def check_seen(seen: Mapping[str, str], facts: GateFacts) -> None:
    """Nothing, when the sections that the signer saw are the present ones; raises StalePage naming what changed."""
    if changed := stale_sections(seen, facts.section_digests):
        raise StalePage(f"{listed(changed)} changed since the page was made.", needs="Read the changes and sign again.")


def _refuse_without_the_role(facts: GateFacts, wanted: Wanted) -> None:
    holder = wanted.acting_for or wanted.signer
    holders = facts.role_holders.get(wanted.role, ())
    if holder not in holders:
        whom = listed(holders, last="or") or "an administrator, who can name a holder"
        raise NotPermitted(f"{holder} does not hold the role “{wanted.role}”.", needs=f"Ask {whom}.")
    if wanted.acting_for and not wanted.delegation_in_force:
        raise NotPermitted(
            f"No delegation from {wanted.acting_for} to {wanted.signer} is in force for this memo.",
            needs=f"{wanted.acting_for} can sign, or delegate.",
        )


def _refuse_a_second_role(facts: GateFacts, wanted: Wanted) -> None:
    """One required role per person, in one's own name and in another's, signed by oneself or by a delegate.

    A withdrawn signature and the acceptance of the rollout leave room for one.
    """
    if wanted.position not in APPROVING or wanted.role == StandingRole.ROLLBACK_OWNER:
        return
    last = [s for s in latest(Case(facts, DecisionKind.SHIP)) if not s.withdrawn and s.position in APPROVING]
    for name in filter(None, (wanted.signer, wanted.acting_for)):
        held = {s.role for s in last if name in (s.signer, s.acting_for)}
        others = sorted(held - {wanted.role, StandingRole.ROLLBACK_OWNER})
        if others:
            raise NotPermitted(
                f"{name} has signed for {listed(others)}: one person signs for one required role.",
                needs="Withdraw that signature, or let another holder sign.",
                code="second_role",
            )


def _refuse_after_a_recusal(facts: GateFacts, wanted: Wanted) -> None:
    """Who has recused in one role approves in none."""
    left = [s for s in latest(Case(facts, DecisionKind.SHIP)) if s.position == Position.RECUSE and not s.withdrawn]
    roles = sorted({s.role for s in left if s.signer == wanted.signer} - {wanted.role})
    if roles and wanted.position in APPROVING:
        raise NotPermitted(
            f"{wanted.signer} has recused as {listed(roles)}: who leaves a memo leaves it in every role.",
            needs="Withdraw the recusal first.",
            code="recused",
        )


def _refuse_what_the_position_does_not_have(wanted: Wanted) -> None:
    label = wanted.position.label
    if wanted.conditions and wanted.position is not Position.APPROVE_WITH_CONDITIONS:
        raise BadInput(f"“{label}” has no conditions.", where="conditions")
    if (wanted.objection or wanted.would_clear_if) and wanted.position is not Position.OBJECT:
        raise BadInput(f"“{label}” has no objection.", where="objection")
    if wanted.kinds and wanted.position not in APPROVING:
        raise BadInput(f"“{label}” approves no decision.", where="kinds")
    if wanted.scope_percent is not None and DecisionKind.BOUNDED not in wanted.kinds:
        raise BadInput("Only the approval of a bounded rollout has a greatest scope.", where="scope_percent")
    if wanted.scope_percent is not None and not 0 < wanted.scope_percent <= 100:
        raise BadInput("The greatest scope lies above 0 and at most at 100 %.", where="scope_percent")


def _lacks(wanted: Wanted) -> Iterator[Missing]:
    who = wanted.signer
    if wanted.position in APPROVING and not wanted.kinds:
        yield Missing("kinds", "An approval names the decisions that it approves.", who, "sign")
    if DecisionKind.BOUNDED in wanted.kinds and wanted.scope_percent is None:
        yield Missing("scope_percent", "The approval of a bounded rollout names its greatest scope.", who, "sign")
    if wanted.position is Position.APPROVE_WITH_CONDITIONS and not any(c.text.strip() for c in wanted.conditions):
        yield Missing("conditions", "An approval with conditions names at least one.", who, "sign")
    for one in wanted.conditions:
        if one.text.strip() and not (one.owner.strip() and one.proof.strip()):
            said = f"The condition “{one.text.strip()}” names who sees to it, and what will show it."
            yield Missing("conditions", said, who, "sign")
    if wanted.position is Position.OBJECT and not wanted.objection.strip():
        yield Missing("objection", "An objection says what is wrong.", who, "sign")
    if wanted.position is Position.OBJECT and not wanted.would_clear_if.strip():
        yield Missing("would_clear_if", "An objection says what would clear it.", who, "sign")


def covered(facts: GateFacts, role: str) -> dict[str, str]:
    """Section name -> digest of what a signature for the role covers now."""
    return {name: facts.section_digests[name] for name in sections_covered(facts, role)}


def rollout_digest(facts: GateFacts, wanted: Wanted) -> str:
    """The digest of the rollout contract, for an approval of a bounded rollout; "" otherwise."""
    return facts.section_digests[SectionName.ROLLOUT] if DecisionKind.BOUNDED in wanted.kinds else ""


def statement(
    facts: GateFacts, wanted: Wanted, *, revision: int, revision_digest: str, at: datetime
) -> dict[str, object]:
    """What is signed, as JSON values to be written canonically: all that decides what the signature means."""
    return {
        "statement": STATEMENT,
        "memo": facts.number,
        "revision": revision,
        "revision_digest": revision_digest,
        "signer": wanted.signer,
        "acting_for": wanted.acting_for,
        "role": wanted.role,
        "position": wanted.position.value,
        "kinds": sorted(kind.value for kind in wanted.kinds),
        "scope_percent": "" if wanted.scope_percent is None else _decimal(wanted.scope_percent),
        "conditions": [{"text": one.text, "owner": one.owner, "proof": one.proof} for one in wanted.conditions],
        "objection": wanted.objection,
        "would_clear_if": wanted.would_clear_if,
        "covered": covered(facts, wanted.role),
        "rollout_digest": rollout_digest(facts, wanted),
        "rules_version": facts.template.rules_version,
        "replaces": wanted.replaces,
        "at": at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
    }


def _decimal(value: Fraction) -> str:
    """A percentage as a decimal without exponent; raises BadInput for one that no decimal of six places is."""
    text = f"{float(value):.6f}".rstrip("0").rstrip(".")
    if Fraction(text) != value:
        raise BadInput("The greatest scope has more than six decimal places.", where="scope_percent")
    return text
