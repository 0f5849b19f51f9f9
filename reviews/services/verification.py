"""Whether the records of a memo say what was written: digests, statements, decisions and state against the trail.

The database refuses to change history, and somebody with the right to do so can switch that off. What they then change
shows here: a row that no event speaks of, an event that no row answers, or bytes that have another digest.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from reviews import passkeys
from reviews.digests import sha256_of
from reviews.models import Event, Memo, Signature, TraceComparison
from reviews.sections import digest_of, revision_digest, section_digests
from reviews.services import events, stored_files
from reviews.services.percents import text_of
from reviews.vocabulary import State, WaiverState

Said = list[Mapping[str, object]]
STATED: Final = frozenset(
    {"signer", "role", "position", "kinds", "scope_percent", "covered", "rollout_digest", "rules_version"}
)


def faults(memo: Memo) -> tuple[str, ...]:
    """Everything that does not hold, in sentences; empty when the memo's records are what was written."""
    chain = list(events.chain_of(memo))
    said: Said = [event.detail for event in chain]
    return (
        *(fault.sentence for fault in events.verify(memo)),
        *_revisions(memo, said),
        *_assessments(memo, said),
        *_traces(memo, said),
        *_signatures(memo, said),
        *_waivers(memo, chain),
        *_decisions(memo, chain),
        *_state(memo, said),
        *stored_files.faults(memo),
    )


def _revisions(memo: Memo, said: Said) -> Iterator[str]:
    for row in memo.revisions.order_by("number"):
        digests = section_digests(row.sections)
        if digests != row.section_digests or revision_digest(digests) != row.digest:
            yield f"revision {row.number} is not what its digest says"
        if not _tells(said, revision=row.number, digest=row.digest):
            yield f"no event tells of revision {row.number}"


def _assessments(memo: Memo, said: Said) -> Iterator[str]:
    for row in memo.assessments.order_by("pk"):
        if digest_of(row.result) != row.digest or digest_of(row.inputs) != row.inputs_digest:
            yield f"the assessment of {row.comparison} at look {row.look} is not what its digests say"
        if not (_tells(said, digest=row.digest) or _tells(said, assessment=row.digest)):
            yield f"no event tells of the assessment of {row.comparison} at look {row.look}"


def _traces(memo: Memo, said: Said) -> Iterator[str]:
    rows = TraceComparison.objects.filter(evidence_set__memo=memo).select_related("evidence_set")
    for row in rows.order_by("pk"):
        number = row.evidence_set.number
        if digest_of(row.result) != row.digest or digest_of(row.inputs) != row.inputs_digest:
            yield f"the comparison of the traces of set {number} is not what its digests say"
        if not _tells(said, set=number, digest=row.digest):
            yield f"no event tells of the comparison of the traces of set {number}"


def _signatures(memo: Memo, said: Said) -> Iterator[str]:
    for row in memo.signatures.order_by("pk"):
        if sha256_of(bytes(row.statement)) != row.statement_sha256:
            yield f"the statement that {row.signer_name} signed is not what its digest says"
        elif _row_says(row) != _statement_says(row):
            yield f"the signature of {row.signer_name} as {row.role} is not what its statement says"
        yield from _passkey(row)
        if not _tells(said, role=row.role, statement_sha256=row.statement_sha256):
            yield f"no event tells of the signature of {row.signer_name} as {row.role}"


def _passkey(row: Signature) -> Iterator[str]:
    """What does not hold of a signature that a passkey gave: its bytes, and its enrolment by the signer, before it."""
    if row.authentication.get("method") != "passkey" or "passkey" not in row.authentication:
        return
    try:
        kept = passkeys.SignedWithPasskey.from_json(row.authentication["passkey"])
    except ValueError as error:
        yield f"the passkey of {row.signer_name} cannot be checked: {error}"
        return
    for fault in passkeys.faults(bytes(row.statement), kept):
        yield f"the passkey of {row.signer_name} did not sign the statement: {fault}"
    enrolled = row.signer.passkeys.filter(credential_id=kept.credential_id, enrolled_at__lte=row.signed_at).first()
    if enrolled is None or passkeys.to_text(bytes(enrolled.public_key)) != kept.public_key:
        yield f"the passkey that signed was not enrolled by {row.signer_name}"


def _statement_says(row: Signature) -> Mapping[str, object]:
    """What was signed, as far as the row says it too."""
    return {name: value for name, value in json.loads(bytes(row.statement)).items() if name in STATED}


def _row_says(row: Signature) -> Mapping[str, object]:
    return {
        "signer": row.signer.get_username(),
        "role": row.role,
        "position": row.position,
        "kinds": row.decision_kinds,
        "scope_percent": text_of(row.greatest_scope_percent),
        "covered": row.section_digests,
        "rollout_digest": row.rollout_digest,
        "rules_version": row.rules_version,
    }


def _waivers(memo: Memo, chain: list[Event]) -> Iterator[str]:
    answered = memo.waivers.filter(approval__isnull=False).order_by("pk").select_related("approval")
    for state in (WaiverState.APPROVED, WaiverState.DECLINED):
        told = [event.detail["requirement"] for event in chain if event.action == f"waiver_{state.value}"]
        for row in answered:
            if row.state != state:
                continue
            code = f"{row.requirement}:{row.subject}"
            if code in told:
                told.remove(code)
            else:
                yield f"no event tells that the waiver of {code} was {state.value}"


def _decisions(memo: Memo, chain: list[Event]) -> Iterator[str]:
    for row in memo.decisions.order_by("number"):
        name = f"decision {row.number}"
        if sha256_of(row.dossier.encode()) != row.dossier_sha256:
            yield f"the dossier of {name} is not what its digest says"
        told = [
            event for event in chain if event.detail.get("decision") == row.number and "dossier_sha256" in event.detail
        ]
        if not told:
            yield f"no event tells of {name}"
        for event in told:
            if event.previous_hash != row.chain_head or event.detail["dossier_sha256"] != row.dossier_sha256:
                yield f"{name} is not the one that event {event.sequence} tells of"


def _state(memo: Memo, said: Said) -> Iterator[str]:
    after = str(next((detail["after"] for detail in reversed(said) if "after" in detail), State.DRAFT.value))
    if memo.state != after:
        yield f"the memo is {State(memo.state).label}, and its last event left it {State(after).label}"


def _tells(said: Said, **parts: object) -> bool:
    return any(all(detail.get(name) == value for name, value in parts.items()) for detail in said)
