"""Runs that bring their steps: a measurements file of step times, and a memo whose plan cuts their warmup."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
from django.utils import timezone

from reviews.models import Memo
from reviews.services import plans
from tests import cases

START: Final = datetime(2026, 11, 1, tzinfo=UTC)
LENGTH: Final = 200
WARM: Final = 40


def steps_file(start: datetime, *, length: int = LENGTH) -> bytes:
    """Three blocks, of runs of 200 steps of about 0.1 s, of which the first 40 take half as long again."""
    rows = []
    for order, (block, arm) in enumerate((b, a) for b in cases.BLOCKS for a in ("baseline", "candidate")):
        key = f"{block}-{arm}"
        noise = np.random.default_rng(order).standard_normal(length + 1)
        level = 0.1 * (1.05 if arm == "candidate" else 1.0) * np.exp(0.003 * noise[-1])
        values = level * (1 + 0.02 * noise[:-1] + 0.5 * (np.arange(length) < WARM))
        rows.append(
            {
                "run": key,
                "status": "completed",
                "started_at": (start + timedelta(minutes=order)).isoformat(),
                "settings": {
                    "model": "chat-7b",
                    "dataset": "d",
                    "seed": 7,
                    "max_batch": 4 if arm == "baseline" else 16,
                },
                "work": {"requests_completed": length},
                "identity": {"host": "host-1"},
                "measurements": [
                    {
                        "metric": "step_time",
                        "unit": "s",
                        "stat": "value",
                        "values": [round(v, 9) for v in values.tolist()],
                    }
                ],
            }
        )
    return json.dumps({"countersign": "measurements/1", "tool": "trainer 1", "runs": rows}).encode()


def a_draft_of_steps(**planned: object) -> Memo:
    """A draft whose plan compares the mean step time as C1; `planned` changes the comparison."""
    memo = cases.a_draft()
    usual = cases.plan_content()
    of_steps = replace(usual.comparisons[0], metric="step_time", stat="mean", better="lower", margin="1.02")
    content = replace(usual, comparisons=(replace(of_steps, **planned),), predictions=())  # type: ignore[arg-type]
    plans.register(
        actor=cases.person("ann"), memo_id=memo.pk, content=content, nonce=f"plan-of-{memo.number}",
        registered_at=timezone.now(),
    )  # fmt: skip
    return cases.again(memo)
