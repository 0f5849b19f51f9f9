"""A result as its frozen JSON has it, typed again, for pages and charts. Numbers have the 10 digits that were kept."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from analysis.results import AssessmentResult

FRAME: Final = ("scale", "unit", "scope", "estimand", "counted")
FRAMED: Final = ("estimate", "interval", "secondary", "with_excluded")


def from_json(value: Mapping[str, Any]) -> AssessmentResult:
    """The result that `results.to_json` wrote.

    Raises:
        msgspec.ValidationError: JSON of another shape; the message names the path.
    """
    members = {
        **value,
        **{name: _framed(value[name]) for name in FRAMED},
        "widened": _widened(value["widened"]),
        "attribution": {"rung": value["ladder_rung"], "sentence": value["attribution"]},
    }
    return msgspec.convert(members, AssessmentResult, strict=False, dec_hook=_fraction)


def _framed(claim: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A claim with the members of its frame back in their place."""
    if claim is None:
        return None
    return {**claim, "frame": {name: claim[name] for name in FRAME}}


def _widened(claim: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if claim is None else {**claim, "statistical": _framed(claim["statistical"])}


def _fraction(_wanted: type, value: Any) -> Fraction:
    """The one type of a result that JSON has no word for."""
    return Fraction(value)
