"""Constraints that one row alone can keep, for the database to keep them too."""

from django.db.models import CheckConstraint, F, Q, TextChoices
from django.db.models.functions import Length
from django.db.models.lookups import Exact, GreaterThan

SHA256_LENGTH = 64


def one_of(field: str, words: type[TextChoices], *, or_empty: bool = False) -> CheckConstraint:
    """A constraint that `field` holds a word of the vocabulary, or "" when `or_empty`."""
    values = [*words.values, ""] if or_empty else list(words.values)
    return CheckConstraint(condition=Q(**{f"{field}__in": values}), name=f"%(class)s_{field}_is_known")


def filled(*fields: str) -> tuple[CheckConstraint, ...]:
    """Constraints that each text field is not empty."""
    return tuple(CheckConstraint(condition=~Q(**{field: ""}), name=f"%(class)s_{field}_is_filled") for field in fields)


def sha256(field: str) -> CheckConstraint:
    """A constraint that `field` has the length of a SHA-256 in hexadecimal."""
    return CheckConstraint(condition=Exact(Length(field), SHA256_LENGTH), name=f"%(class)s_{field}_is_a_digest")


def sha256_or_empty(field: str) -> CheckConstraint:
    """A constraint that `field` is "" or has the length of a SHA-256 in hexadecimal."""
    return CheckConstraint(
        condition=Q(**{field: ""}) | Q(Exact(Length(field), SHA256_LENGTH)), name=f"%(class)s_{field}_is_a_digest"
    )


def after(later: str, earlier: str) -> CheckConstraint:
    """A constraint that the time `later` is after the time `earlier`."""
    return CheckConstraint(condition=GreaterThan(F(later), F(earlier)), name=f"%(class)s_{later}_is_after_{earlier}")


def percent(field: str) -> CheckConstraint:
    """A constraint that `field` is null or a percentage, 0 < p <= 100."""
    return CheckConstraint(
        condition=Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__gt": 0, f"{field}__lte": 100}),
        name=f"%(class)s_{field}_is_a_percentage",
    )


def positive(field: str) -> CheckConstraint:
    """A constraint that `field` is at least 1."""
    return CheckConstraint(condition=Q(**{f"{field}__gte": 1}), name=f"%(class)s_{field}_counts_from_one")


def together(first: str, second: str) -> CheckConstraint:
    """A constraint that `first` and `second` are both null or both set."""
    null, present = ({f"{first}__isnull": yes, f"{second}__isnull": yes} for yes in (True, False))
    return CheckConstraint(condition=Q(**null) | Q(**present), name=f"%(class)s_{first}_goes_with_{second}")
