"""How a person can prove who they are: for their own page, and for the page that asks."""

from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User

from reviews.errors import NotVisible
from reviews.models import Passkey

CODES = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)


@dataclass(frozen=True, slots=True)
class ProofsOf:
    """What somebody has. app: an authenticator app. recovery_codes: how many are unused. provided: single sign-on."""

    password: bool
    passkeys: tuple[Passkey, ...]
    app: bool
    recovery_codes: int
    provided: bool

    @property
    def codes(self) -> bool:
        """Whether a code proves the person."""
        return self.app or self.recovery_codes > 0


def proofs_of(person: User) -> ProofsOf:
    """Everything that proves the person; three queries."""
    rows = {row.type: row.wrap() for row in Authenticator.objects.filter(user=person, type__in=CODES)}
    codes = rows.get(Authenticator.Type.RECOVERY_CODES)
    return ProofsOf(
        password=person.has_usable_password(),
        passkeys=tuple(passkeys_in_use(person)),
        app=Authenticator.Type.TOTP in rows,
        recovery_codes=len(codes.get_unused_codes()) if codes else 0,
        provided=SocialAccount.objects.filter(user=person, provider=settings.OIDC_PROVIDER_ID).exists(),
    )


def passkeys_in_use(person: User) -> tuple[Passkey, ...]:
    """The passkeys that the person may sign with, oldest first."""
    return tuple(Passkey.objects.filter(person=person, removal__isnull=True).order_by("pk"))


def passkey_of(person: User, passkey_id: int) -> Passkey:
    """One of the person's passkeys in use. Raises NotVisible."""
    found = Passkey.objects.filter(person=person, removal__isnull=True, pk=passkey_id).first()
    if found is None:
        raise NotVisible("There is no such passkey of yours.")
    return found


def number_of_steps(person: int, kind: str) -> int:
    """How many second steps of that kind the person has for logging in."""
    return int(Authenticator.objects.filter(user_id=person, type=kind).count())
