"""Plans that name procedures, with runs to answer them: a quality evaluation by item, and sweeps of rates."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils import timezone

from reviews.models import Assessment, Memo
from reviews.plan_content import PlannedComparison, PlannedLevel
from reviews.services import plans
from tests import cases
from tests.services import deeds
from tests.services.deeds import RUN

SETTINGS = {"model": "chat-7b", "dataset": "prompts-1024", "seed": 7}
USUAL = cases.plan_content()
QUALITY = replace(
    USUAL.comparisons[1],
    key="Q1", metric="exact_match", stat="mean", slice="", better="higher", scale="difference", margin="-0.2",
    unit="item",
)  # fmt: skip
GOODPUT = replace(
    USUAL.comparisons[0],
    key="G1", metric="goodput", stat="max", slice="", service_level=PlannedLevel(limits={"ttft": "0.2"}, share="0.9"),
)  # fmt: skip
ITEMS = [f"q{n}" for n in range(40)]
Rows = list[dict[str, Any]]


def a_run(key: str, batch: int, measurements: Rows, **more: Any) -> dict[str, Any]:
    settings = {**SETTINGS, "max_batch": batch, **more.pop("settings", {})}
    return {
        "run": key, "settings": settings, "work": {"requests_completed": 1200, "duration": 60},
        "identity": {"host": "host-1"}, "measurements": measurements, **more,
    }  # fmt: skip


def scores(wrong: Sequence[int], items: Sequence[str] = ITEMS) -> Rows:
    return [
        {
            "metric": "exact_match",
            "unit": "1",
            "value": int(at not in wrong),
            "item": item,
            "subject": f"topic {at % 10}",
        }
        for at, item in enumerate(items)
    ]


def document(*runs: Mapping[str, Any]) -> bytes:
    return json.dumps({"countersign": "measurements/1", "runs": runs}).encode()


def planned(row: PlannedComparison) -> Memo:
    """A draft whose plan has the usual comparisons and this one."""
    memo = cases.a_draft()
    content = replace(USUAL, comparisons=(*USUAL.comparisons, row))
    plans.register(
        actor=cases.person("ann"), memo_id=memo.pk, content=content, nonce=f"plan-of-{memo.number}",
        registered_at=timezone.now(),
    )  # fmt: skip
    return cases.again(memo)


def computed(row: PlannedComparison, data: bytes, *runs: tuple[str, str, str]) -> Assessment:
    """The assessment of the comparison on these runs, given as arm, key and block."""
    memo = planned(row)
    labels = [replace(RUN, arm=arm, run=run, block=block) for arm, run, block in runs]
    deeds.sealed(memo, data, *labels)
    found = deeds.compute(memo, row.key)
    assert isinstance(found, Assessment)
    return found


def by_item(wrong: Sequence[int] = (1, 7, 13)) -> Assessment:
    """A quality guardrail, computed: 40 items of 10 subjects, three wrong in the baseline, these in the candidate."""
    data = document(a_run("base", 4, scores([1, 7, 12])), a_run("cand", 16, scores(wrong)))
    return computed(QUALITY, data, ("baseline", "base", ""), ("candidate", "cand", ""))


def by_sweep() -> Assessment:
    """A goodput, computed: three blocks of a sweep of each arm, over four rates."""
    runs, labels = [], []
    for n, (base, cand) in enumerate(((95, 80), (91, 70), (80, 60))):
        for arm, batch, kept in (("baseline", 4, base), ("candidate", 16, cand)):
            for rate, share in ((2, 100), (4, 95), (8, kept), (16, 10 if n else 95)):
                key = f"{arm}-{n}-{rate}"
                times = [0.1] * share + [0.3] * (100 - share)
                level = {"metric": "ttft", "unit": "s", "values": times}
                runs.append(a_run(key, batch, [level], settings={"request_rate": rate}))
                labels.append((arm, key, f"k{n}"))
    return computed(GOODPUT, document(*runs), *labels)
