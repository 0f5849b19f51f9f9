"""What stands beside numbers: notices never change one, refusals stand where one cannot honestly be given."""

from dataclasses import dataclass

from analysis.errors import Refused


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the reader of the memo, and its stable code."""

    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A `Refused` as a value: why there is no number, and what would lift it."""

    code: str
    message: str
    needs: str


def as_value(refused: Refused) -> Refusal:
    """The exception as a value that a result can hold."""
    return Refusal(refused.code, refused.message, refused.needs)


def named(labels: list[str] | tuple[str, ...]) -> str:
    """Labels as people list them, the first six by name: "a, b and 3 more"."""
    shown, rest = labels[:6], len(labels) - 6
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")
