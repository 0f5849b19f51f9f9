"""Passkeys that people enrol to sign with: written once, named in their person's trail, taken away by a new row."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews import passkeys
from reviews.authentication import Authentication, PasskeyAnswer
from reviews.digests import sha256_of
from reviews.errors import BadInput, NotSignedIn, NotVisible, StalePage
from reviews.models import Passkey, PasskeyRemoval
from reviews.services import authentications, events, wellformed


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPasskey:
    """What an authenticator made, as bytes. The caller has checked that it answers a challenge of this server."""

    name: str
    credential_id: bytes
    public_key: bytes
    rp_id: str
    attestation_object: bytes
    client_data_json: bytes


@transaction.atomic
def enrol(*, actor: User, new: NewPasskey, authentication: Authentication) -> Passkey:
    """A passkey of `actor` from now on.

    Raises:
        NotSignedIn: the proof of identity is too old.
        BadInput: no name, or one that is too long; the key is somebody's already.
    """
    authentications.require_fresh(authentication)
    wellformed.require_text(new.name, "name", longest=100, code="no_name")
    credential_id = passkeys.to_text(new.credential_id)
    if Passkey.objects.filter(credential_id=credential_id).exists():
        raise BadInput("This passkey is enrolled already.", needs="Use another authenticator.", code="passkey_known")
    row = Passkey.objects.create(
        person=actor,
        person_name=events.name_of(actor),
        name=new.name,
        credential_id=credential_id,
        public_key=new.public_key,
        rp_id=new.rp_id,
        enrolment={
            "attestation_object": passkeys.to_text(new.attestation_object),
            "client_data_json": passkeys.to_text(new.client_data_json),
        },
        authentication=authentications.as_json(authentication),
        enrolled_at=timezone.now(),
    )
    events.append(actor, actor, "enrol_passkey", name=row.name, **_named(row))
    return row


@transaction.atomic
def remove(*, actor: User, passkey_id: int, authentication: Authentication) -> PasskeyRemoval:
    """The passkey signs no more, nor signs in; without any other second step the recovery codes go too.

    Raises:
        NotSignedIn: the proof of identity is too old.
        NotVisible: it is none of the actor's, or is removed already.
    """
    authentications.require_fresh(authentication)
    row = Passkey.objects.filter(person=actor, removal__isnull=True, pk=passkey_id).first()
    if row is None:
        raise NotVisible("There is no such passkey of yours.")
    removal = PasskeyRemoval.objects.create(passkey=row, by=actor, by_name=events.name_of(actor), at=timezone.now())
    steps = Authenticator.objects.filter(user=actor)
    steps.filter(type=Authenticator.Type.WEBAUTHN, data__credential__rawId=row.credential_id).delete()
    if not steps.exclude(type=Authenticator.Type.RECOVERY_CODES).exists():
        steps.delete()
    events.append(actor, actor, "remove_passkey", name=row.name, **_named(row))
    return removal


def proof_of(actor: User, statement: bytes, answer: PasskeyAnswer) -> Mapping[str, str]:
    """What the signature keeps: all that anybody needs to check it without us.

    Raises:
        NotSignedIn: the statement was shown too long ago.
        StalePage: another statement than this was shown; the memo changed meanwhile.
        BadInput: the passkey is not one of the person's, or it did not sign the statement.
    """
    age = timezone.now() - answer.stated_at
    if not timedelta(0) <= age <= timedelta(seconds=settings.STEP_UP_SECONDS):
        raise NotSignedIn("What you were to sign was shown too long ago.", needs="Sign again.", code="step_up_needed")
    if not passkeys.statement_is_meant(statement, answer.client_data_json):
        raise StalePage(
            "The memo changed after the statement was shown.", needs="Read it and sign again.", code="statement_changed"
        )
    row = Passkey.objects.filter(person=actor, removal__isnull=True, credential_id=answer.credential_id).first()
    if row is None:
        raise BadInput(
            "This passkey is not enrolled for your account.",
            needs="Use one of yours, or sign with your password.",
            code="passkey_unknown",
            where="passkey",
        )
    kept = kept_of(row, answer)
    if found := passkeys.faults(statement, kept):
        raise BadInput(
            f"This passkey did not sign the statement: {found[0]}.",
            needs="Try again, or sign with your password.",
            code="passkey_refused",
            where="passkey",
        )
    return kept.as_json()


def kept_of(row: Passkey, answer: PasskeyAnswer) -> passkeys.SignedWithPasskey:
    """The answer of a passkey beside its enrolment."""
    return passkeys.SignedWithPasskey(
        credential_id=row.credential_id,
        public_key=passkeys.to_text(bytes(row.public_key)),
        rp_id=row.rp_id,
        enrolled_at=row.enrolled_at.isoformat(),
        authenticator_data=passkeys.to_text(answer.authenticator_data),
        client_data_json=passkeys.to_text(answer.client_data_json),
        signature=passkeys.to_text(answer.signature),
    )


def _named(row: Passkey) -> dict[str, str]:
    return {"credential_id": row.credential_id, "public_key_sha256": sha256_of(bytes(row.public_key))}
