"""Accounts. Who may do what comes from assignments (services/teams.py), never from the account."""

from django.contrib.auth.models import User
from django.db import transaction

from reviews.errors import BadInput, NotPermitted


@transaction.atomic
def open_account(*, actor: User | None, username: str, first_name: str, password: str, operator: bool) -> User:
    """A new account. actor: None for whoever holds the shell of this installation. operator: may make teams.

    Raises:
        NotPermitted: the actor is no operator of this installation.
        BadInput: the user name is taken.
    """
    if actor is not None and not actor.is_superuser:
        raise NotPermitted("Only an operator of this installation opens accounts.", needs="Ask one of them.")
    if User.objects.filter(username=username).exists():
        raise BadInput(f"There is an account {username} already.", needs="Choose another name.", where="username")
    make = User.objects.create_superuser if operator else User.objects.create_user
    return make(username, password=password, first_name=first_name)
