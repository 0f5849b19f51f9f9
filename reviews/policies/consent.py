"""Whether the people whose word a running rollout stands on still stand by it."""

from collections.abc import Collection, Iterator

from reviews.errors import Missing
from reviews.policies.facts import SignatureFacts
from reviews.sections import Rollout
from reviews.vocabulary import DecisionKind, Position, StandingRole

ACCEPTING = (Position.APPROVE, Position.APPROVE_WITH_CONDITIONS)


def refused_by(
    signatures: Collection[SignatureFacts], keepers: Collection[str], rollout: Rollout, digest: str
) -> tuple[Missing, ...]:
    """Who no longer stands by the contract: its owner's acceptance is gone, or somebody objects. () for nobody.

    keepers: who holds the role of rollback owner now. digest: of the contract, which the acceptance names.
    """
    return (*_acceptance(signatures, keepers, rollout, digest), *_objections(signatures))


def _acceptance(
    signatures: Collection[SignatureFacts], keepers: Collection[str], rollout: Rollout, digest: str
) -> Iterator[Missing]:
    given = [s for s in signatures if s.role == StandingRole.ROLLBACK_OWNER and s.signer == rollout.owner]
    last = max(given, key=lambda s: s.at, default=None)
    if last is None or last.rollout_digest != digest or not _accepts(last) or rollout.owner not in keepers:
        sentence = f"{rollout.owner}, who owns the rollout, does not stand by it with a signature any more."
        yield Missing("acceptance", sentence, rollout.owner, "sign")


def _accepts(signature: SignatureFacts) -> bool:
    cleared = all(condition.cleared_by for condition in signature.conditions)
    approves = signature.position in ACCEPTING and DecisionKind.BOUNDED in signature.kinds
    return approves and cleared and not signature.withdrawn


def _objections(signatures: Collection[SignatureFacts]) -> Iterator[Missing]:
    for one in signatures:
        if one.position == Position.OBJECT and not one.withdrawn and not one.resolved_by:
            yield Missing("objection", f"{one.signer} objects: {one.objection}", one.signer, "#signoff")
