"""Codes of authenticator apps and recovery codes, each of which counts once."""

from typing import Final

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db import transaction

METHODS: Final = {Authenticator.Type.TOTP: "totp", Authenticator.Type.RECOVERY_CODES: "recovery_code"}


@transaction.atomic
def use_code(*, actor: User, code: str) -> str:
    """What the code is, "totp" or "recovery_code", and it is used up; "" when it is none of the actor's."""
    if not actor.is_active:
        return ""
    for row in Authenticator.objects.select_for_update().filter(user=actor, type__in=METHODS).order_by("pk"):
        if row.wrap().validate_code(code):
            row.record_usage()
            return METHODS[row.type]
    return ""
