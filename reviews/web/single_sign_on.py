"""Signing in through the provider of identities: authorization code with PKCE, state and nonce, a signed ID token.

A person is found by issuer and subject alone, never by an e-mail address. The provider says who somebody is, and gives
nobody a role. Somebody who is signed in can have the provider ask again, which proves them for an act.
"""

import secrets
import time
from typing import Any, Final

import jwt
from allauth.account.internal.decorators import login_not_required
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from requests import RequestException

from reviews.errors import NotSignedIn
from reviews.web import step_up

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
LEEWAY_SECONDS: Final = 60
LOGIN, CONNECT, PROVE = "login", "connect", "prove"


class Provider(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Trusts an ID token only with the signature of a key that the issuer publishes now."""

    @property
    def openid_config(self) -> dict[str, Any]:
        """What the issuer says of itself. Raises OAuth2Error when it calls itself otherwise than the settings do."""
        found: dict[str, Any] = super().openid_config
        if str(found.get("issuer", "")).rstrip("/") != settings.OIDC_ISSUER:
            raise OAuth2Error("The provider calls itself by another issuer than COUNTERSIGN_OIDC_ISSUER.")
        return found

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:  # noqa: ARG002
        """One address, whichever the issuer is: it is what the provider has to be told."""
        return request.build_absolute_uri(reverse("provider-callback"))

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> SocialLogin:
        """The subject of the ID token. Raises OAuth2Error without one, or for one that does not hold."""
        if not kwargs["response"].get("id_token"):
            raise OAuth2Error("The provider sent no ID token.")
        return super().complete_login(request, app, token, **kwargs)

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        with get_adapter().get_requests_session() as session:
            answer = session.get(self.openid_config["jwks_uri"])
            answer.raise_for_status()
        try:
            kid = jwt.get_unverified_header(id_token).get("kid")
            keys = [key for key in jwt.PyJWKSet.from_dict(answer.json()).keys if kid is None or key.key_id == kid]
            if len(keys) != 1:
                raise OAuth2Error("No key of the provider is the one of the ID token.")
            claims: dict[str, Any] = jwt.decode(
                id_token,
                keys[0],
                algorithms=ALGORITHMS,
                audience=app.client_id,
                issuer=self.openid_config["issuer"],
                leeway=LEEWAY_SECONDS,
                options={"require": ["iss", "sub", "aud", "exp", "iat"]},
            )
        except (jwt.PyJWTError, ValueError) as error:
            raise OAuth2Error("The ID token does not hold.") from error
        return claims


@login_not_required  # type: ignore[untyped-decorator]
@require_POST
def start(request: HttpRequest, purpose: str) -> HttpResponse:
    """To the provider, by a page: a form may not lead to another site (the content policy), a page may.

    purpose: "login", "connect" (a person who is signed in adds the provider), "prove" (who they are, for an act).
    """
    if not settings.OIDC_ISSUER or purpose not in (LOGIN, CONNECT, PROVE):
        raise Http404
    if purpose != LOGIN and not request.user.is_authenticated:
        raise NotSignedIn("Nobody is signed in.", needs="Log in, then try again.")
    nonce = secrets.token_urlsafe(24)
    provider = get_adapter().get_provider(request, settings.OIDC_PROVIDER_ID)
    provider.oauth2_adapter_class = Provider  # on this object alone
    asked = {"nonce": nonce} | ({"prompt": "login", "max_age": "0"} if purpose == PROVE else {})
    try:
        sent = provider.redirect(
            request,
            CONNECT if purpose == CONNECT else LOGIN,
            next_url=_next(request),
            data={"nonce": nonce, "purpose": purpose, "asked_at": int(time.time())},
            auth_params=asked,
        )
    except (RequestException, OAuth2Error, ValueError, KeyError):
        return failed(request)
    return render(request, "reviews/account/to_provider.html", {"url": sent.url, "name": settings.OIDC_NAME})


@login_not_required  # type: ignore[untyped-decorator]
def callback(request: HttpRequest) -> HttpResponse:
    """Back from the provider."""
    if not settings.OIDC_ISSUER:
        raise Http404
    try:
        answer: HttpResponse = OAuth2CallbackView.adapter_view(Provider(request, settings.OIDC_PROVIDER_ID))(request)
    except (RequestException, OAuth2Error, ValueError, KeyError):
        return failed(request)
    return answer


def failed(request: HttpRequest) -> HttpResponse:
    """The page that says that the provider did not prove anybody."""
    return render(request, "socialaccount/authentication_error.html", {"name": settings.OIDC_NAME}, status=401)


def settle(request: HttpRequest, login: SocialLogin) -> None:
    """What is checked before anybody is signed in, connected or proved by the provider's answer.

    Raises:
        ImmediateHttpResponse: with the page that goes on, when it ends here.
    """
    asked, claims = login.state.get("data") or {}, login.account.extra_data.get("id_token", {})
    if not asked.get("nonce") or claims.get("nonce") != asked["nonce"]:
        raise ImmediateHttpResponse(failed(request))
    if asked["purpose"] == PROVE:
        raise ImmediateHttpResponse(_proved(request, login, claims))
    if login.is_existing and not login.user.is_active:
        raise ImmediateHttpResponse(redirect("account_inactive"))


def _proved(request: HttpRequest, login: SocialLogin, claims: dict[str, Any]) -> HttpResponse:
    """Onward when the provider asked this very person anew: `auth_time` is not before we sent them there."""
    proved_at, asked_at = claims.get("auth_time"), login.state["data"]["asked_at"]
    fresh = isinstance(proved_at, int) and asked_at - LEEWAY_SECONDS <= proved_at <= time.time() + LEEWAY_SECONDS
    if not (fresh and request.user.is_authenticated and login.is_existing and login.user.pk == request.user.pk):
        messages.error(request, f"Not proved: {settings.OIDC_NAME} did not ask you anew, or named somebody else.")
        return redirect(reverse("prove"))
    step_up.keep(request, "single_sign_on")
    return redirect(login.state.get("next") or reverse("account"))


def _next(request: HttpRequest) -> str:
    """Where to go on, inside this site; "" elsewhere."""
    wanted = request.POST.get("next", "")
    own = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if own else ""
