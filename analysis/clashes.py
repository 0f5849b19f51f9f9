"""Settings of which two sources of one run disagree: nobody knows what that run was, so they block in either arm."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from analysis.heard import clashes
from analysis.inputs import AssessmentRequest
from analysis.work import AuditRow

LIFT: Final = "Find out which is right, and attach the other source to no run; or explain its greatest effect."


def marked(rows: Iterable[AuditRow], request: AssessmentRequest) -> tuple[AuditRow, ...]:
    """The audit, with the rows of which a run's own sources disagree; an accepted explanation lifts them as any."""
    found: dict[str, str] = {}
    for run in request.runs:
        if not run.excluded and run.companions:
            for name, said in clashes(run).items():
                found.setdefault(name, f"Of {name} the sources of {run.label} disagree: {said}.")
    return tuple(_marked(row, found[row.setting], request) if row.setting in found else row for row in rows)


def _marked(row: AuditRow, sentence: str, request: AssessmentRequest) -> AuditRow:
    accepted = next((e for e in request.explained if e.setting == row.setting and e.accepted), None)
    effect = accepted.greatest_effect if accepted else None
    if row.state == "not_recorded" or effect is None or effect <= 0:
        return replace(row, state="differs", blocks=True, sentence=f"{sentence} {LIFT}")
    said = f"{sentence} Explained and accepted, with a greatest effect of {float(max(effect, 1 / effect)):g}."
    return replace(row, state="differs", greatest_effect=max(effect, 1 / effect), blocks=False, sentence=said)
