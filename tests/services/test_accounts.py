"""Accounts: opened by an operator, or by whoever holds the shell."""

import pytest
from django.contrib.auth.models import User

from reviews.errors import BadInput, NotPermitted
from reviews.services import accounts
from tests import cast

pytestmark = pytest.mark.django_db


def open_account(actor: User | None, name: str = "eve", *, operator: bool = False) -> User:
    return accounts.open_account(
        actor=actor, username=name, first_name=name.title(), password=cast.PASSWORD, operator=operator
    )


def test_the_shell_opens_the_first_operator_and_an_operator_opens_the_others() -> None:
    adi = open_account(None, "adi", operator=True)
    eve = open_account(adi)

    assert (adi.is_superuser, eve.is_superuser) == (True, False)
    assert eve.check_password(cast.PASSWORD)
    assert eve.get_full_name() == "Eve"


def test_nobody_else_opens_an_account() -> None:
    with pytest.raises(NotPermitted):
        open_account(cast.a_person("ann"))


def test_a_name_is_taken_once() -> None:
    open_account(None)

    with pytest.raises(BadInput, match="an account eve already"):
        open_account(None)
