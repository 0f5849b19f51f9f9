"""A token is shown once, lasts until its end, and does what its scopes say."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.digests import sha256_of
from reviews.errors import BadInput, NotSignedIn, NotVisible
from reviews.models import ApiToken
from reviews.services import events, tokens
from tests.cast import a_person
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def issue(**special: Any) -> tuple[ApiToken, str]:
    usual = {"name": "ci", "scopes": ("attach",), "expires_at": timezone.now() + timedelta(days=1)}
    return tokens.issue(actor=a_person("sam"), **{**usual, **special})


def test_only_the_digest_of_a_secret_is_kept() -> None:
    token, secret = issue()

    assert token.digest == sha256_of(secret.encode())
    assert secret.startswith(token.start)
    assert len(secret) > 40
    assert secret not in str(vars(token)) + str(list(events.chain_of(a_person("sam")).values()))


@pytest.mark.parametrize(
    ("special", "code"),
    [
        ({"scopes": ()}, ""),
        ({"scopes": ("sign",)}, ""),
        ({"scopes": ("attach", "decide")}, ""),
        ({"name": " "}, "no_name"),
        ({"name": "n" * 201}, "too_long"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, "end_in_the_past"),
    ],
)
def test_a_token_without_name_scope_or_future_is_refused(special: dict[str, Any], code: str) -> None:
    with refused(BadInput, code):
        issue(**special)


def test_a_token_that_is_used_is_known_and_dated() -> None:
    token, secret = issue()

    assert tokens.authenticate(secret) == token
    token.refresh_from_db()
    assert token.last_used_at is not None


def test_a_token_that_is_unknown_revoked_expired_or_orphaned_is_refused() -> None:
    token, secret = issue()
    expired, old = issue()
    ApiToken.objects.filter(pk=expired.pk).update(
        issued_at=timezone.now() - timedelta(days=9), expires_at=timezone.now()
    )
    orphan, orphaned = tokens.issue(
        actor=a_person("pat"), name="x", scopes=("read",), expires_at=timezone.now() + timedelta(days=1)
    )
    orphan.owner.is_active = False
    orphan.owner.save()
    tokens.revoke(actor=a_person("sam"), token_id=token.pk)

    for bad in ("cs_unknown", secret, old, orphaned):
        with refused(NotSignedIn, "bad_token"):
            tokens.authenticate(bad)


def test_a_token_is_revoked_by_its_owner_and_stays_so() -> None:
    token, _ = issue()
    with refused(NotVisible):
        tokens.revoke(actor=a_person("pat"), token_id=token.pk)

    first = tokens.revoke(actor=a_person("sam"), token_id=token.pk).revoked_at
    assert tokens.revoke(actor=a_person("sam"), token_id=token.pk).revoked_at == first
