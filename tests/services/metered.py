"""A memo whose comparison is of energy: its plan declares the metering, its runs hold an energy counter."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from reviews.models import Assessment, Memo
from reviews.plan_content import PlanContent, PlannedMetering
from reviews.services import evidence, plans
from tests import cases
from tests.services import deeds

COUNTER = PlannedMetering(source="counter", between="range", floor="0", cap="700", relative="0.01", one_meter=True)
START = datetime(2026, 11, 1, tzinfo=UTC)
JOULES = {"baseline": 12000, "candidate": 11000}


def a_plan(metering: PlannedMetering | None = COUNTER) -> PlanContent:
    """The usual plan with C1 for energy per request."""
    usual = cases.plan_content()
    changed = {"metric": "energy_per_request", "stat": "mean", "better": "lower", "margin": "1.02"}
    row, *rest = usual.comparisons
    return replace(usual, comparisons=(replace(row, **changed, metering=metering), *rest), predictions=())  # type: ignore[arg-type]


def a_file() -> bytes:
    """The usual runs, each with a counter that is read at both ends of its window."""
    document = json.loads(cases.runs_file(cases.AS_MEASURED, START))
    for at, run in enumerate(document["runs"]):
        counted = JOULES[run["run"].partition("-")[2]] + at**2
        row = {"metric": "energy_counter", "unit": "1", "values": [0, counted], "at": [0, 60]}
        run |= {"window_start": 0, "window_end": 60, "measurements": [*run["measurements"], row]}
        run["identity"] |= {"counter_unit": "1 J"}
    return json.dumps(document).encode()


def registered(memo: Memo, content: PlanContent) -> None:
    plans.register(
        actor=cases.person("ann"), memo_id=memo.pk, content=content, nonce=f"plan-of-{memo.number}", registered_at=None
    )


def a_memo_with_energies(metering: PlannedMetering | None = COUNTER) -> Memo:
    """A draft with C1 computed from its sealed set."""
    memo = cases.a_draft()
    registered(memo, a_plan(metering))
    row = deeds.open_set(cases.again(memo))
    deeds.attach(row, deeds.file_of(a_file(), "energy.json"), *deeds.arms())
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    deeds.compute(cases.again(memo))
    return cases.again(memo)


def assessed(memo: Memo) -> Any:
    """The result of C1."""
    return Assessment.objects.get(memo=memo, comparison="C1").result
