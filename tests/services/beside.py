"""A memo whose runs have no power of their own: logs of power, a log of the server and captures stand beside them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from reviews.models import Artifact, EvidenceSet, Memo
from reviews.plan_content import PlannedMetering
from reviews.services import evidence, parsing
from reviews.services.labels import Labels
from tests import cases
from tests.services import deeds, metered

SAMPLES = PlannedMetering(source="samples", between="range", floor="50", cap="400")
START = datetime(2026, 11, 1, 12, tzinfo=UTC)
MINUTES = 6


def runs() -> bytes:
    """The usual runs, one a minute from 12:00 on, each of which ends after half a minute."""
    document = json.loads(cases.runs_file(cases.AS_MEASURED, START))
    for run in document["runs"]:
        run["ended_at"] = (datetime.fromisoformat(run["started_at"]) + timedelta(seconds=30)).isoformat()
    return json.dumps(document).encode()


def power(watts: float = 100.0, *, ahead: int = 1) -> bytes:
    """A log of nvidia-smi of six minutes, on a wall clock that is so many hours ahead of UTC."""
    local = START + timedelta(hours=ahead)
    rows = [
        f"{local + timedelta(seconds=second):%Y/%m/%d %H:%M:%S}.000, 0, {watts + second // 60:.2f} W"
        for second in range(60 * MINUTES)
    ]
    return "\n".join(["timestamp, index, power.draw [W]", *rows]).encode()


def a_set() -> tuple[Memo, EvidenceSet]:
    """A draft whose plan asks for energy per request, and an open set with the runs."""
    memo = cases.a_draft()
    metered.registered(memo, metered.a_plan(SAMPLES))
    row = deeds.open_set(cases.again(memo))
    deeds.attach(row, deeds.file_of(runs(), "runs.json"), *deeds.arms())
    return memo, row


def attach(row: EvidenceSet, name: str, content: bytes, *labels: Labels, **provenance: str) -> Artifact:
    """A file in the set, read, with what was captured of it."""
    said = {key: {"value": value, "source": "capture"} for key, value in provenance.items()}
    sam = cases.person("sam")
    artifact = evidence.take_in(actor=sam, name=name, chunks=[content], provenance=said)
    parsing.parse(artifact, asked="")
    deeds.attach(row, artifact, *labels)
    return artifact


def computed(memo: Memo, row: EvidenceSet) -> Any:
    """The set sealed, and the result of C1."""
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    deeds.compute(cases.again(memo))
    return metered.assessed(memo)
