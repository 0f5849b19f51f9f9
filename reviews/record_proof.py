"""Whether the signatures in a decision record hold, from its bytes alone: statements, digests and passkeys."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reviews import passkeys
from reviews.authentication import METHODS
from reviews.digests import sha256_of
from reviews.errors import BadInput

JSON = Mapping[str, Any]
# What a signature prints, and the name under which its statement says it.
SAID_TWICE: Final = {
    "signer": "signer",
    "acting_for": "acting_for",
    "role": "role",
    "position": "position",
    "kinds": "kinds",
    "scope_percent": "scope_percent",
    "revision": "revision",
}


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found of one signature. faults: why it does not hold; told: what stands behind it when it does."""

    signer: str
    role: str
    faults: tuple[str, ...]
    told: str


def proofs(record: JSON) -> tuple[Proof, ...]:
    """One for each signature of a decision record, in its order.

    Raises:
        BadInput: it is no decision record of ours.
    """
    memo, signatures = record.get("memo"), record.get("signatures")
    if not isinstance(memo, Mapping) or not isinstance(signatures, list) or not all(map(_is_one, signatures)):
        raise BadInput(
            "This is no decision record: it has no memo, or no signatures with statements.",
            needs="Give the file dossier.json of a decided memo.",
            code="no_decision_record",
        )
    return tuple(_proof(one, str(memo.get("number"))) for one in signatures)


def _is_one(found: object) -> bool:
    wanted = ("statement", "statement_sha256", "signer_name", "role")
    if not isinstance(found, Mapping) or not isinstance(found.get("authentication"), Mapping):
        return False
    return all(isinstance(found.get(name), str) for name in wanted)


def _proof(one: JSON, number: str) -> Proof:
    statement, authentication = one["statement"].encode(), one["authentication"]
    by_passkey = "passkey" in authentication
    faults = (
        *_statement_faults(one, statement, number),
        *(_passkey_faults(statement, authentication["passkey"]) if by_passkey else ()),
    )
    return Proof(one["signer_name"], one["role"], faults, _told(authentication))


def _told(authentication: JSON) -> str:
    kept = authentication.get("passkey")
    if isinstance(kept, Mapping):
        return f"a passkey signed the statement, on {kept.get('rp_id')}; the key was enrolled {kept.get('enrolled_at')}"
    method = str(authentication.get("method"))
    return f"the statement is whole; who gave it was proved by {METHODS.get(method, method)}, which only the server saw"


def _statement_faults(one: JSON, statement: bytes, number: str) -> Iterator[str]:
    if sha256_of(statement) != one["statement_sha256"]:
        yield "the statement is not what its digest says"
    try:
        said = json.loads(statement)
    except (ValueError, RecursionError):
        yield "the statement cannot be read"
        return
    if not isinstance(said, Mapping):
        yield "the statement cannot be read"
        return
    if said.get("memo") != number:
        yield f"the statement is of {said.get('memo')}, not of {number}"
    for name, in_statement in SAID_TWICE.items():
        if one.get(name) != said.get(in_statement):
            yield f"the record says {name} {one.get(name)!r}, and the statement {said.get(in_statement)!r}"
    if one.get("sections") != sorted(said.get("covered") or ()):
        yield "the record says other sections than the statement"


def _passkey_faults(statement: bytes, kept: object) -> tuple[str, ...]:
    try:
        return passkeys.faults(statement, passkeys.SignedWithPasskey.from_json(kept))
    except ValueError as error:
        return (f"what is kept of the passkey cannot be read: {error}",)
