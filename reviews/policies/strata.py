"""Which parts of the fleet (SKU × driver × firmware) the evidence covers, by what its runs state of themselves.

The audit gathers the values of all runs of an arm. Where two of the three parts have several values, it does not say
which of them went together, and so no combination of them counts as covered.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from reviews.policies.evidence_facts import AssessmentFacts, StratumFacts
from reviews.sections import Stratum
from reviews.vocabulary import AuditState

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "sku": ("sku", "gpu_name", "gpu", "name", "device_name", "gpu_model", "accelerator", "hardware"),
    "driver": ("driver_version", "driver"),
    "firmware": ("firmware", "firmware_version", "vbios_version", "vbios"),
}
"""By which settings files state each part."""

Parts = tuple[tuple[str, str], ...]


def strata_of(scope: Iterable[Stratum], assessments: Iterable[AssessmentFacts]) -> tuple[StratumFacts, ...]:
    """Each part of the scope, covered by one of the assessments, or excluded by name, or why it is neither."""
    known = [found for found in assessments if found.interval is not None]
    return tuple(_stratum(row, known) for row in scope)


def name_of(row: Stratum) -> str:
    """How sentences call it: "H100 SXM × driver 550.54 × firmware 96.00"."""
    return " × ".join(value if part == "sku" else f"{part} {value}" for part, value in _parts(row))


def _parts(row: Stratum) -> Parts:
    said = (("sku", row.sku), ("driver", row.driver), ("firmware", row.firmware))
    return tuple((part, value) for part, value in said if value)


def _stratum(row: Stratum, assessments: list[AssessmentFacts]) -> StratumFacts:
    lacks = [_lack(_parts(row), found) for found in assessments]
    covered = any(not lack for lack in lacks)
    why = row.excluded.strip() or ("" if covered else next(iter(lacks), "nothing has an interval"))
    return StratumFacts(name=name_of(row), covered=covered, excluded=bool(row.excluded.strip()), why=why)


def _lack(parts: Parts, assessment: AssessmentFacts) -> str:
    """Why the assessment does not cover these parts, "" when it does."""
    missing = [part for part, value in parts if not _states(assessment, part, value)]
    if missing:
        return f"no run of both arms states this {' and '.join(missing)}"
    several = [part for part, _ in parts if len(_values(assessment, part)) > 1]
    if len(several) > 1:
        return f"the runs state several values of {' and '.join(several)}, and not which went together"
    return ""


def _states(assessment: AssessmentFacts, part: str, value: str) -> bool:
    """Whether runs of both arms state the value; of what was varied on purpose, runs of the candidate."""
    wanted = value.strip().casefold()
    return any(
        wanted in _plain(row.candidate)
        and (wanted in _plain(row.baseline) or row.state == AuditState.DIFFERS_AS_DECLARED)
        for row in assessment.audit
        if row.setting in SETTINGS[part]
    )


def _values(assessment: AssessmentFacts, part: str) -> set[str]:
    return {value for row in assessment.audit if row.setting in SETTINGS[part] for value in _plain(row.candidate)}


def _plain(values: Iterable[str]) -> Iterator[str]:
    return (value.strip().casefold() for value in values)
