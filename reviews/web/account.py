"""A person's own page: passkeys, authenticator app, recovery codes, provider; and the page that asks for a proof."""

from typing import Any

from allauth.mfa.base.internal.flows import post_authentication
from allauth.mfa.webauthn.internal import auth
from allauth.mfa.webauthn.views import AddWebAuthnView
from django.conf import settings
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_safe
from fido2 import cbor
from fido2.webauthn import RegistrationResponse

from reviews.queries.second_steps import passkey_of, proofs_of
from reviews.services import passkeys
from reviews.services.passkeys import NewPasskey
from reviews.web import step_up
from reviews.web.acting import done
from reviews.web.door import actor_of, site_of
from reviews.web.forms import account as forms


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """What proves the person, and how to change it."""
    actor = actor_of(request)
    context = {
        "proofs": proofs_of(actor),
        "provider": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
        "site": site_of(request),
        "crumbs": [("Your account", "")],
    }
    return render(request, "reviews/account/account.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def prove(request: HttpRequest) -> HttpResponse:
    """Password or code without JavaScript; a passkey with it; the provider where the person came through it."""
    actor = actor_of(request)
    onward = _onward(request)
    typed = step_up.Prove(request, request.POST if "password" in request.POST else None)
    touched = forms.SecondStepByPasskey(request.POST if "credential" in request.POST else None, user=actor)
    if typed.is_bound and typed.is_valid():
        return redirect(onward)
    if touched.is_bound and touched.is_valid():
        post_authentication(request, touched.cleaned_data["credential"])
        step_up.keep(request, "passkey")
        return redirect(onward)
    proofs = proofs_of(actor)
    context = {
        "form": typed if proofs.password or proofs.codes else None,
        "refused": bool(touched.errors),
        "options": auth.begin_authentication(actor) if proofs.passkeys else None,
        "proofs": proofs,
        "provider": settings.OIDC_NAME if proofs.provided else "",
        "next": onward,
        "crumbs": [("Prove who you are", "")],
    }
    return render(request, "reviews/account/prove.html", context, status=422 if request.method == "POST" else 200)


class AddPasskey(AddWebAuthnView):  # type: ignore[misc]
    """A new passkey: kept by allauth to log in with, and by us, for ever, to sign statements with."""

    template_name = "reviews/account/passkey.html"
    form_class = forms.AddPasskey

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """A passkey that its authenticator can find by itself, and that checks who uses it."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        context["options"] = auth.begin_registration(actor_of(self.request), passwordless=True)
        context["site"] = site_of(self.request)
        context["crumbs"] = [("Your account", "/account/"), ("New passkey", "")]
        return context

    @transaction.atomic
    def form_valid(self, form: Form) -> HttpResponse:
        """Both records, or none."""
        answer: HttpResponse = super().form_valid(form)
        passkeys.enrol(
            actor=actor_of(self.request),
            new=_enrolled(self.request, form),
            authentication=step_up.authentication_of(self.request),
        )
        return answer


@require_http_methods(["GET", "HEAD", "POST"])
def remove_passkey(request: HttpRequest, passkey_id: int) -> HttpResponse:
    """Asks once, then takes it away."""
    actor = actor_of(request)
    row = passkey_of(actor, passkey_id)
    if not step_up.is_proved(request):
        return redirect(step_up.other_ways(request))
    if request.method == "POST":
        passkeys.remove(actor=actor, passkey_id=row.pk, authentication=step_up.authentication_of(request))
        return done(request, reverse("account"), f"{row.name} signs no more; what it signed stays signed.")
    crumbs = [("Your account", reverse("account")), ("Remove a passkey", "")]
    return render(request, "reviews/account/remove_passkey.html", {"passkey": row, "crumbs": crumbs})


def _enrolled(request: HttpRequest, form: Form) -> NewPasskey:
    """What the form brought, which allauth has checked against its challenge."""
    answer = RegistrationResponse.from_dict(form.cleaned_data["credential"])
    held = answer.response.attestation_object.auth_data.credential_data
    return NewPasskey(
        name=form.cleaned_data["name"],
        credential_id=held.credential_id,
        public_key=cbor.encode(dict(held.public_key)),
        rp_id=site_of(request),
        attestation_object=bytes(answer.response.attestation_object),
        client_data_json=bytes(answer.response.client_data),
    )


def _onward(request: HttpRequest) -> str:
    """Where a proof was asked for; the account for a place outside."""
    wanted = request.POST.get("next", request.GET.get("next", ""))
    own = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if own else reverse("account")
