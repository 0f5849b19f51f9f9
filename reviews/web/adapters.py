"""How allauth does what it does here: nobody signs up, proofs are ours, secrets at rest are sealed."""

import base64
import hashlib
from collections.abc import Sequence
from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from cryptography.fernet import Fernet
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.urls import reverse

from reviews.queries.second_steps import number_of_steps
from reviews.web import single_sign_on, step_up

_SEALED_FOR: Final = b"countersign/second-steps/1\n"


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]
    """An administrator makes accounts, or the provider of identities does."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Nobody makes an account on a page of ours."""
        return False

    def is_reauthentication_required(self, *, app: str) -> bool:  # noqa: ARG002
        """Whether the person has to prove who they are before they change how they do it."""
        return not step_up.is_proved(self.request)

    def get_reauthentication_methods(self, user: AbstractBaseUser | AnonymousUser) -> Sequence[dict[str, str]]:
        """The one page on which it is proved."""
        if not user.is_authenticated:
            return []
        return [{"id": "prove", "description": "Prove who you are", "url": reverse("prove")}]


class SecondSteps(DefaultMFAAdapter):  # type: ignore[misc]
    """Passkeys, authenticator apps and recovery codes."""

    def encrypt(self, text: str) -> str:
        """A secret as the database keeps it: who copies the database alone makes no codes."""
        return _seal().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The secret again."""
        return _seal().decrypt(encrypted_text.encode()).decode()

    def generate_authenticator_name(self, user: AbstractBaseUser, type: Any) -> str:  # noqa: A002 - allauth's name
        """ "passkey 2" """
        return f"passkey {number_of_steps(user.pk, type) + 1}"


class Provided(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Accounts that the provider of identities speaks for, by issuer and subject. It gives nobody a role."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:  # noqa: ARG002
        """Whether a subject that nobody here is makes an account, without a role."""
        return bool(settings.OIDC_NEW_ACCOUNTS)

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """A person who is signed in already, and proves it again, goes on from there."""
        single_sign_on.settle(request, sociallogin)

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:  # noqa: ARG002
        """Back to the account."""
        return reverse("account")


def _seal() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(_SEALED_FOR + settings.SECRET_KEY.encode()).digest()))
