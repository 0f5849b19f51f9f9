"""The recorded case under examples/: its memo, the plan that was registered before the runs, and its files."""

import csv
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from reviews.batch_policy.content import KIND
from reviews.plan_content import PlanContent
from reviews.services import plans
from reviews.services.evidence import Labels
from reviews.vocabulary import Source

FOLDER: Final = Path(settings.BASE_DIR) / "examples" / "batch_policy"
TEMPLATE: Final = "batch-size-effects"


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """One file of evidence, with its labels."""

    path: Path
    name: str
    labels: Labels


def memo_text() -> str:
    """The memo as its author wrote it."""
    return (FOLDER / "memo.txt").read_text(encoding="utf-8")


def nonce() -> str:
    """The nonce that the runs carry."""
    return (FOLDER / "plan.nonce").read_text(encoding="utf-8").strip()


def plan() -> tuple[PlanContent, datetime]:
    """The plan, and when it was registered: before the runs."""
    stated: Any = json.loads((FOLDER / "plan.json").read_text(encoding="utf-8"))
    times = {row["prediction"]["registered_at"] for row in stated["predictions"]}
    return plans.content_from(stated), max(map(datetime.fromisoformat, times))


def files() -> tuple[RecordedFile, ...]:
    """The files of the manifest, in its order; not the curve pack that was kept, as the story makes its own."""
    with (FOLDER / "evidence" / "manifest.csv").open(encoding="utf-8", newline="") as manifest:
        return tuple(_file(row) for row in csv.DictReader(manifest) if row["kind"] != KIND)


def _file(row: dict[str, str]) -> RecordedFile:
    labels = Labels(
        kind=row["kind"],
        arm=row["arm"],
        run="",
        block=row["block"],
        placement=row["placement"],
        placement_source=Source.TYPED.value,
        use=row["use"],
        excluded="",
    )
    return RecordedFile(FOLDER / "evidence" / row["file"], row["file"], labels)
