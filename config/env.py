"""Typed reading of environment variables; the only place that touches os.environ."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

PREFIX = "COUNTERSIGN_"


def text(name: str, *, default: str | None = None) -> str:
    """The value of COUNTERSIGN_<name>, or of the file that COUNTERSIGN_<name>_FILE points at, or `default`."""
    if path := os.environ.get(f"{PREFIX}{name}_FILE"):
        return Path(path).read_text().strip()
    value = os.environ.get(f"{PREFIX}{name}", default)
    if value is None:
        raise ImproperlyConfigured(f"Set {PREFIX}{name} or {PREFIX}{name}_FILE.")
    return value


def flag(name: str, *, default: bool) -> bool:
    """True for 1, true, yes, on; False for 0, false, no, off; anything else is refused."""
    value = text(name, default="1" if default else "0").lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{PREFIX}{name} must be yes or no, not {value!r}.")


def number(name: str, *, default: int) -> int:
    """A whole number."""
    value = text(name, default=str(default))
    try:
        return int(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{PREFIX}{name} must be a whole number, not {value!r}.") from error


def words(name: str, *, default: str) -> list[str]:
    """A comma-separated list without empty words."""
    return [word.strip() for word in text(name, default=default).split(",") if word.strip()]


def outside(name: str) -> str | None:
    """The value of a variable of another program, such as CUDA_VISIBLE_DEVICES; None when it is not set."""
    return os.environ.get(name)


def of_child(**added: str) -> dict[str, str]:
    """The environment for a command that is started from here: ours, and what is added to it."""
    return {**os.environ, **added}
