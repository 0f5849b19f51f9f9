"""The page on which a person signs, takes a signature back, clears a condition, or answers and ends an objection."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from reviews.errors import BadInput, Incomplete
from reviews.models import Memo, Signature
from reviews.queries import people, records
from reviews.queries.second_steps import passkeys_in_use
from reviews.queries.sign_page import SignPage, sign_page
from reviews.queries.signatures_given import Given
from reviews.services import conditions, objections, signatures
from reviews.services.signatures import SignatureWish
from reviews.web import passkey_signing
from reviews.web.acting import done, values_of
from reviews.web.door import actor_of
from reviews.web.forms.refused import say
from reviews.web.forms.signing import Because, Meeting, Prove, Say, Sign
from reviews.web.step_up import authentication_of


@dataclass(frozen=True, slots=True)
class GivenCard:
    """A signature with its forms; None where the person may not use them. clear: a form for each open condition."""

    given: Given
    withdraw: Because | None
    answer: Say | None
    resolve: Because | None
    hear: Meeting | None
    override: Meeting | None
    clear: Mapping[int, Prove]


@require_http_methods(["GET", "HEAD", "POST"])
def sign(request: HttpRequest, number: str) -> HttpResponse:
    """The page; a form that was made from an older revision comes back with what changed since."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    data = request.POST if request.method == "POST" else None
    role = (data or request.GET).get("role", "")
    acting_for = (data or request.GET).get("acting_for", "")
    page = sign_page(actor, memo, role=role, acting_for=acting_for, seen=data.get("base", "") if data else "")
    if data is not None and page.since_seen is not None:
        return _page(request, page, Sign(request, None, initial=_kept(page, data)), status=409)
    form = Sign(request, data, initial=_initial(page))
    answer = _answer(request, memo, form) if form.is_valid() else None
    return answer or _page(request, page, form, status=422 if form.is_bound else 200)


@require_POST
def withdraw(request: HttpRequest, number: str, signature_id: int) -> HttpResponse:
    """The person's own signature taken back."""
    actor = actor_of(request)
    row = records.signature(people.memo_for(actor, number), signature_id)
    reason = values_of(Because(request.POST, place=""))["reason"]
    signatures.withdraw_signature(actor=actor, signature_id=row.pk, reason=reason)
    return done(request, reverse("sign", args=[number]), "Your signature is withdrawn; both stay on record.")


@require_POST
def answer(request: HttpRequest, number: str, signature_id: int) -> HttpResponse:
    """A word on an objection."""
    actor, row = _signature(request, number, signature_id)
    text = values_of(Say(request.POST, place=""))["text"]
    objections.answer(actor=actor, signature_id=row.pk, text=text)
    return done(request, reverse("sign", args=[number]), "Answered; the clock of the objection begins anew.")


@require_POST
def resolve(request: HttpRequest, number: str, signature_id: int) -> HttpResponse:
    """An objection ended by its raiser, or by the escalation owner after the silence."""
    actor, row = _signature(request, number, signature_id)
    reason = values_of(Because(request.POST, place=""))["reason"]
    objections.resolve(actor=actor, signature_id=row.pk, reason=reason)
    return done(request, reverse("sign", args=[number]), "The objection is resolved; both names stay on record.")


@require_POST
def hear(request: HttpRequest, number: str, signature_id: int) -> HttpResponse:
    """The board's first meeting on an objection."""
    actor, row = _signature(request, number, signature_id)
    values = values_of(Meeting(request.POST, place="", says="What was said"))
    objections.hear(actor=actor, signature_id=row.pk, held_at=values["held_at"], note=values["reason"])
    return done(request, reverse("sign", args=[number]), "The first meeting is on record.")


@require_POST
def override(request: HttpRequest, number: str, signature_id: int) -> HttpResponse:
    """A lone objection overridden at the board's second meeting."""
    actor, row = _signature(request, number, signature_id)
    values = values_of(Meeting(request.POST, place="", says="Reason"))
    objections.resolve(actor=actor, signature_id=row.pk, reason=values["reason"], held_at=values["held_at"])
    return done(request, reverse("sign", args=[number]), "The objection is overridden; it is printed as dissent.")


@require_POST
def clear(request: HttpRequest, number: str, condition_id: int) -> HttpResponse:
    """A condition cleared, with its proof."""
    actor = actor_of(request)
    row = records.condition(people.memo_for(actor, number), condition_id)
    proof = values_of(Prove(request.POST, place=""))["proof"]
    conditions.clear(actor=actor, condition_id=row.pk, proof=proof)
    return done(request, reverse("sign", args=[number]), "The condition is cleared, with its proof.")


def _signature(request: HttpRequest, number: str, signature_id: int) -> tuple[User, Signature]:
    actor = actor_of(request)
    return actor, records.signature(people.memo_for(actor, number), signature_id)


def _answer(request: HttpRequest, memo: Memo, form: Sign) -> HttpResponse | None:
    """The way on when it is signed, or the passkey is asked; None, and what is lacking said at the form, otherwise."""
    values = form.cleaned_data
    try:
        if form.by_passkey:
            return passkey_signing.begin(request, memo, values["base"], _wish(values))
        signed = signatures.sign(
            actor=actor_of(request),
            memo_id=memo.pk,
            base=values["base"],
            wish=_wish(values),
            authentication=authentication_of(request),
        )
    except (BadInput, Incomplete) as refusal:
        say(form, refusal)
        return None
    messages.success(request, "Signed, in your name.")
    for notice in signed.notices:
        messages.warning(request, f"{notice[:1].upper()}{notice[1:]}.")
    return redirect(f"{reverse('sign', args=[memo.number])}#signatures")


def _wish(values: dict[str, Any]) -> SignatureWish:
    return SignatureWish(
        role=values["role"],
        position=values["position"],
        kinds=tuple(values["kinds"]),
        scope_percent=values["scope_percent"],
        text=values["text"],
        would_clear_if=values["would_clear_if"],
        conditions=values["conditions"],
        acting_for=values["acting_for"],
    )


def _initial(page: SignPage) -> dict[str, str]:
    role, acting_for = (page.chosen.slug, page.chosen.acting_for) if page.chosen else ("", "")
    return {
        "base": page.revision.digest,
        "role": role,
        "acting_for": acting_for,
        "scope_percent": page.greatest_percent,
    }


def _kept(page: SignPage, data: Any) -> dict[str, Any]:
    """What was typed, on the revision as it is now."""
    typed = {name: data.get(name, "") for name in ("position", "scope_percent", "text", "would_clear_if", "conditions")}
    return {**typed, "kinds": data.getlist("kinds"), **_initial(page), "scope_percent": typed["scope_percent"]}


def _page(request: HttpRequest, page: SignPage, form: Sign, *, status: int) -> HttpResponse:
    number = page.memo.number
    context = {
        "page": page,
        "memo": page.memo,
        "chosen": page.chosen,
        "form": form if page.may_sign else None,
        "passkeys": passkeys_in_use(actor_of(request)),
        "cards": [_card(given) for given in page.given],
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Sign", "")],
    }
    return render(request, "reviews/sign.html", context, status=status)


def _card(given: Given) -> GivenCard:
    place = given.signature.pk
    open_, waits = given.objection, [row.pk for row in given.conditions if not hasattr(row, "clearance")]
    return GivenCard(
        given,
        withdraw=Because(None, place=f"withdraw-{place}") if given.may_withdraw else None,
        answer=Say(None, place=f"answer-{place}") if open_ and open_.may_answer else None,
        resolve=Because(None, place=f"resolve-{place}") if open_ and open_.may_resolve else None,
        hear=Meeting(None, place=f"hear-{place}", says="What was said") if open_ and open_.may_hear else None,
        override=Meeting(None, place=f"over-{place}", says="Reason") if open_ and open_.may_override else None,
        clear={pk: Prove(None, place=f"clear-{pk}") for pk in waits} if given.may_clear else {},
    )
