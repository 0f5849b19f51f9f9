"""How many notifications the person of a request has not read, for the bar of every page: asked where it is shown."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.http import HttpRequest

from reviews.queries import notifications


def unread(request: HttpRequest) -> dict[str, Callable[[], int]]:
    """The context of templates: `unread_notifications` is counted when a template asks for it."""

    def count() -> int:
        person = getattr(request, "user", None)
        return notifications.unread(person) if isinstance(person, User) else 0

    return {"unread_notifications": count}
