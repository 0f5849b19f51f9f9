"""What of live traffic went to which arm and host, as the files of an observation record it."""

import re
from collections.abc import Iterable
from typing import Any

from analysis.assess import LabelledRun
from analysis.work import COMPLETED_REQUESTS


def traffic_json(runs: Iterable[LabelledRun]) -> list[dict[str, Any]]:
    """One JSON object per run that counts: its arm, its host, and the requests tried, None where it does not say."""
    return [
        {"arm": run.arm, "host": run.placement, "requests": _requests(run)}
        for run in sorted(runs, key=lambda run: run.label)
        if not run.excluded
    ]


def _requests(run: LabelledRun) -> int | None:
    """As the file counts what was tried; else what was completed and failed together."""
    if run.run.attempted is not None:
        return run.run.attempted
    done = [s.value for s in run.reading.settings_of(run.run.key) if s.name == COMPLETED_REQUESTS and s.role == "work"]
    if not done or not re.fullmatch(r"[0-9]{1,15}", done[0]):
        return None
    return int(done[0]) + (run.run.failed or 0)
