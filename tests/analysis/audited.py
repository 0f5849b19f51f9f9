"""Two runs per arm with their settings and work, and the rows of their audit."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from analysis import work
from analysis.assess import Explained
from analysis.work import AuditRow
from tests.analysis.props import a_plan, a_request, a_run

Told = Sequence[tuple[str, str]]


def arms(baseline: Told = (), candidate: Told = (), *, tokens: tuple[Any, Any] = ("100", "100")) -> list[Any]:
    """Two runs per arm with these settings; tokens: output tokens of each arm, None when not counted."""
    return [
        a_run(arm, i, 1.0, settings=settings, work=() if count is None else (("output_tokens", count),))
        for arm, settings, count in (("baseline", baseline, tokens[0]), ("candidate", candidate, tokens[1]))
        for i in range(2)
    ]


def rows(runs: Any, *, failed: Sequence[str] = (), **parts: Any) -> dict[str, AuditRow]:
    plan = parts.pop("plan", a_plan())
    return {row.setting: row for row in work.audit(a_request(runs, plan, **parts), failed=failed)}


def explained(setting: str, effect: str | None, *, accepted: bool = True) -> Explained:
    return Explained(setting, None if effect is None else Fraction(effect), accepted, "no matter", "ann")
