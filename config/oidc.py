"""What the settings of a provider of identities become for allauth. Accounts are found by issuer and subject alone."""

import hashlib

from django.core.exceptions import ImproperlyConfigured


def provider_id(issuer: str) -> str:
    """The name under which accounts of this issuer are kept: another issuer has another, whatever its subjects are."""
    return f"oidc-{hashlib.sha256(issuer.encode()).hexdigest()[:20]}" if issuer else ""


def providers(issuer: str, name: str, *, client_id: str, client_secret: str) -> dict[str, dict[str, object]]:
    """SOCIALACCOUNT_PROVIDERS; empty without an issuer. Raises ImproperlyConfigured for half a provider."""
    if not issuer:
        return {}
    if not client_id or not client_secret:
        raise ImproperlyConfigured(
            "COUNTERSIGN_OIDC_ISSUER needs COUNTERSIGN_OIDC_CLIENT_ID and COUNTERSIGN_OIDC_CLIENT_SECRET."
        )
    app = {
        "provider_id": provider_id(issuer),
        "name": name,
        "client_id": client_id,
        "secret": client_secret,
        "settings": {"server_url": issuer, "oauth_pkce_enabled": True, "fetch_userinfo": False},
    }
    return {"openid_connect": {"APPS": [app]}}
