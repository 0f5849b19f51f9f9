"""A result as its frozen JSON has it, typed again, for pages and charts. Numbers have the 10 digits that were kept."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from analysis.results import SLO_NAMES, AssessmentResult

FRAME: Final = ("scale", "unit", "scope", "estimand", "counted")
FRAMED: Final = ("estimate", "interval", "secondary", "with_excluded", "single_look")


def from_json(value: Mapping[str, Any]) -> AssessmentResult:
    """The result that `results.to_json` wrote, now or as analysis 1, which knew neither `single_look` nor `slo`.

    A result of before `steps` and `worst_case` has neither.

    Raises:
        msgspec.ValidationError: JSON of another shape; the message names the path.
    """
    members = {
        **value,
        **{name: _framed(value.get(name)) for name in FRAMED},
        "plan": {"slo": None, **value["plan"]},
        "slo": _slo(value.get("slo")),
        "steps": _steps(value.get("steps")),
        "worst_case": _framed(value.get("worst_case")),
        "widened": _widened(value["widened"]),
        "equivalence": _equivalence(value.get("equivalence")),
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


def _equivalence(claim: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if claim is None:
        return None
    framed = {name: _framed(claim[name]) for name in ("interval", "with_excluded")}
    return {**framed, "widened": _widened(claim["widened"])}


def _slo(answer: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    named = {name: answer[said] for name, said in SLO_NAMES.items() if said in answer}
    check = None if answer["refusal"] else {**answer, **named}
    return {"limit": answer["limit"], "check": check, "refusal": answer["refusal"]}


def _steps(report: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if report is None or report["other"] is None:
        return None if report is None else dict(report)
    claims = {name: _framed(report["other"][name]) for name in ("estimate", "interval")}
    wide = _widened(report["other"].get("widened"))
    return {**report, "other": {**report["other"], **claims, "widened": wide}}


def _fraction(_wanted: type, value: Any) -> Fraction:
    """The one type of a result that JSON has no word for."""
    return Fraction(value)
