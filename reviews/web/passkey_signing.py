"""Signing with a passkey in two steps: the statement is made and shown, and then the passkey signs its digest.

The session keeps what was asked for; the service makes the statement again, and takes none but the one that was shown.
"""

from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST
from fido2.webauthn import AuthenticationResponse

from reviews import passkeys
from reviews.authentication import Authentication, PasskeyAnswer
from reviews.errors import NotSignedIn
from reviews.models import Memo
from reviews.queries import people
from reviews.queries.second_steps import passkeys_in_use
from reviews.services import signatures
from reviews.services.signatures import ConditionWish, SignatureWish
from reviews.vocabulary import DecisionKind, Position
from reviews.web.acting import done, values_of
from reviews.web.door import actor_of, site_of
from reviews.web.forms.account import SignByPasskey

_KEY: Final = "passkey_signing"


def begin(request: HttpRequest, memo: Memo, base: str, wish: SignatureWish) -> HttpResponse:
    """The page that shows the statement and asks the passkey. Raises what signing raises."""
    actor = actor_of(request)
    stated = signatures.statement_for(actor=actor, memo_id=memo.pk, base=base, wish=wish)
    kept = {"person": actor.pk, "memo": memo.pk, "base": base, "wish": asdict(wish), "at": stated.at.isoformat()}
    request.session[_KEY] = kept
    challenge = passkeys.challenge_of(stated.statement)
    context = {
        "memo": memo,
        "wish": wish,
        "position": Position(wish.position),
        "kinds": [DecisionKind(kind).label for kind in wish.kinds],
        "statement": stated.statement.decode(),
        "challenge": challenge.hex(),
        "options": {"publicKey": _options(request, challenge)},
        "crumbs": [
            ("Memos", reverse("memos")),
            (memo.number, reverse("memo", args=[memo.number])),
            ("Sign", reverse("sign", args=[memo.number])),
            ("With a passkey", ""),
        ],
    }
    return render(request, "reviews/sign_passkey.html", context)


@require_POST
def finish(request: HttpRequest, number: str) -> HttpResponse:
    """The passkey's answer, and the signature. Raises NotSignedIn when no statement waits for one."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    answer = values_of(SignByPasskey(request.POST))["credential"]
    kept = request.session.pop(_KEY, None)
    if kept is None or (kept["person"], kept["memo"]) != (actor.pk, memo.pk):
        raise NotSignedIn("No statement waits for your passkey.", needs="Sign again.", code="no_statement")
    signed = signatures.sign(
        actor=actor,
        memo_id=memo.pk,
        base=kept["base"],
        wish=_wish(kept["wish"]),
        authentication=_proof(answer, datetime.fromisoformat(kept["at"])),
    )
    said = ("Signed with your passkey, in your name.", *(f"{n[:1].upper()}{n[1:]}." for n in signed.notices))
    return done(request, f"{reverse('sign', args=[number])}#signatures", " ".join(said))


def _options(request: HttpRequest, challenge: bytes) -> dict[str, object]:
    """PublicKeyCredentialRequestOptions as JSON."""
    held = passkeys_in_use(actor_of(request))
    return {
        "challenge": passkeys.to_text(challenge),
        "rpId": site_of(request),
        "allowCredentials": [{"type": "public-key", "id": one.credential_id} for one in held],
        "userVerification": "required",
    }


def _proof(answer: Any, stated_at: datetime) -> Authentication:
    read = AuthenticationResponse.from_dict(answer)
    given = PasskeyAnswer(
        credential_id=passkeys.to_text(read.raw_id),
        authenticator_data=bytes(read.response.authenticator_data),
        client_data_json=bytes(read.response.client_data),
        signature=bytes(read.response.signature),
        stated_at=stated_at,
    )
    return Authentication(method="passkey", at=timezone.now(), passkey=given)


def _wish(kept: dict[str, Any]) -> SignatureWish:
    conditions = tuple(ConditionWish(**one) for one in kept["conditions"])
    return SignatureWish(**{**kept, "kinds": tuple(kept["kinds"]), "conditions": conditions})
