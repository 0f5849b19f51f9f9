"""A memo whose runs record stages and counters: C4 checks a fix, C5 replays it on runs of its own."""

import json
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np
from django.utils import timezone

from reviews.models import Memo
from reviews.plan_content import PlanContent, PlannedComparison
from reviews.services import assessments, evidence, plans
from tests import cases

STAGES: Final = {"wait": 0.2, "run": 0.5, "answer": 0.1}
BLOCKS: Final = 6
START: Final = datetime.fromisoformat("2026-11-02T10:00:00+00:00")
QUEUE: Final = {"idle_gap_share": (0.1, 0.1, "1"), "queue_wait": (0.02, 0.004, "s"), "clock": (1.5e9, 0.0, "1/s"),
                "cycles": (2e9, 0.0, "1")}  # fmt: skip
"""The counters of the scheduling mechanism: what they are, by how much they move in the candidate, and their unit."""


def runs_file(seed: int, *, slow: str = "run", counters: bool = True, staged: bool = True) -> bytes:
    """Six blocks in which one stage of the candidate is a fifth slower."""
    noise = np.random.default_rng(seed).standard_normal((BLOCKS, 2, 8))
    runs = [
        _run(f"k{block}-{arm}", 2 * block + at, noise[block, at], slow=slow if at else "")
        for block in range(BLOCKS)
        for at, arm in enumerate(("baseline", "candidate"))
    ]
    kept = [one for one, on in (("stage", staged), ("counter", counters)) if on]
    for run in runs:
        rows = [row for row in run["measurements"] if row.pop("part") in ("whole", *kept)]  # type: ignore[attr-defined]
        run["measurements"] = rows
    return json.dumps({"countersign": "measurements/1", "tool": "batchbench 1", "runs": runs}).encode()


def _run(key: str, order: int, noise: "np.typing.NDArray[np.float64]", *, slow: str) -> dict[str, object]:
    shaken = [float(1 + 0.004 * one) for one in noise]
    times = {
        name: usual * shake * (1.2 if name == slow else 1.0)
        for (name, usual), shake in zip(STAGES.items(), shaken, strict=False)
    }
    counted = [
        {"part": "counter", "metric": metric, "unit": unit, "value": (usual + (moved if slow else 0.0)) * shake}
        for (metric, (usual, moved, unit)), shake in zip(QUEUE.items(), shaken[3:], strict=False)
    ]
    return {
        "run": key,
        "started_at": (START + timedelta(minutes=order)).isoformat(),
        "settings": {"model": "chat-7b", "dataset": "prompts-1024", "seed": 7, "max_batch": 16 if slow else 4},
        "work": {"requests_completed": 1200},
        "identity": {"host": "host-1"},
        "measurements": [
            {"part": "whole", "metric": "wall_time", "unit": "s", "value": sum(times.values()) + 0.05},
            *({"part": "stage", "metric": "wall_time", "unit": "s", "value": t, "stage": s} for s, t in times.items()),
            *counted,
        ],
    }


def planned(key: str, purpose: str, **changes: Any) -> PlanContent:
    """One comparison of the wall time, with what is said of its parts."""
    row = PlannedComparison(
        key=key, metric="wall_time", stat="value", slice="", role="primary", better="lower", scale="ratio",
        margin="1.02", purpose=purpose, match="same_requests", warmup_steps=0, exclusion_rules=(), **changes,
    )  # fmt: skip
    return PlanContent(
        title=f"The stages of {key}", purpose="Find where it begins.", design="blocks", varied=("max_batch",),
        hardware_varied=False, looks=1, comparisons=(row,), predictions=(), runs=(),
    )  # fmt: skip


def with_comparison(memo: Memo, content: PlanContent, file: bytes) -> None:
    """The plan registered, its runs sealed, and its comparison computed."""
    (row,) = content.comparisons
    nonce = f"{row.key}-of-{memo.number}"
    plans.register(
        actor=cases.person("ann"), memo_id=memo.pk, content=content, nonce=nonce, registered_at=timezone.now()
    )
    opened = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title=row.key, plan=nonce)
    labels = [
        cases.labels("benchmark_run", arm=arm, run=f"k{block}-{arm}", block=f"k{block}")
        for block in range(BLOCKS)
        for arm in ("baseline", "candidate")
    ]
    cases.attach(opened, f"{row.key}-of-{memo.number}.json", file, labels)
    evidence.seal(actor=cases.person("sam"), set_id=opened.pk)
    assessments.compute(actor=cases.person("sam"), memo_id=memo.pk, comparison=row.key)


def a_memo(*, again: bytes | None = None) -> Memo:
    """C4 on its runs; C5, a replay, on those of `again`."""
    memo = cases.a_draft()
    with_comparison(memo, planned("C4", "fix_check"), runs_file(1))
    if again is not None:
        with_comparison(memo, planned("C5", "replay"), again)
    return cases.again(memo)
