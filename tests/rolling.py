"""A rollout that is watched: live traffic on hosts of both arms, as observations of Sam's."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import pytest
from django.utils import timezone

from reviews.models import Memo, Observation, StageAdvance
from reviews.services import evidence, parsing, rechecks, rollouts
from reviews.services.labels import Labels
from reviews.services.rechecks import RecheckWish
from tests import cases, clock

USUAL: Final = (1.0, 1.01, 0.99, 1.005)
TRAFFIC: Final = (95_000 * 4, 5_000 * 4)
"""Requests of all hosts of each arm together: 5 % for the candidate, as in the first stage."""


def live_file(
    factor: float = 1.04, slower: float = 0.96, traffic: Sequence[int | None] = TRAFFIC, *, hosts: int = 4
) -> bytes:
    """Hosts of each arm; the candidate has `factor` of the throughput and `slower` of the p99 latency."""
    start = timezone.now() + timedelta(minutes=1)
    rows = []
    for arm, requests in zip(("baseline", "candidate"), traffic, strict=True):
        is_candidate = arm == "candidate"
        tried = {} if requests is None else {"attempted": requests // hosts, "failed": 0}
        for place, usual in enumerate(USUAL[:hosts]):
            rate = 1000 * usual * (factor if is_candidate else 1)
            p99 = 40 * usual * (slower if is_candidate else 1)
            rows.append(
                {
                    "run": f"{arm}-{place}",
                    "status": "completed",
                    "started_at": (start + timedelta(minutes=place)).isoformat(),
                    **tried,
                    "settings": {
                        "model": "chat-7b", "dataset": "prompts-1024", "seed": 7, "max_batch": 16 if is_candidate else 4
                    },
                    "work": {"requests_completed": requests // hosts} if requests else {},
                    "identity": {"host": f"{arm}-{place}"},
                    "measurements": [
                        {"metric": "throughput", "unit": "1/s", "stat": "rate", "value": rate, "n": 50_000},
                        {"metric": "e2e_latency", "unit": "ms", "stat": "p99", "value": p99, "n": 50_000},
                    ],
                }
            )  # fmt: skip
    return json.dumps({"countersign": "measurements/1", "tool": "gateway 2", "runs": rows}).encode()


def labels(hosts: int = 4) -> tuple[Labels, ...]:
    """The labels of those runs."""
    return tuple(
        Labels(
            kind="benchmark_run", arm=arm, run=f"{arm}-{place}", block="", placement="", placement_source="",
            use="confirming", excluded="",
        )
        for arm in ("baseline", "candidate")
        for place in range(hosts)
    )  # fmt: skip


def observe(memo: Memo, comparison: str, data: bytes | None = None, *, hosts: int = 4, **special: Any) -> Observation:
    """The comparison, observed on live traffic."""
    content = live_file(hosts=hosts) if data is None else data
    artifact = evidence.take_in(actor=cases.person("sam"), name="live.json", chunks=[content], provenance={})
    parsing.parse(artifact, asked="")
    wish = RecheckWish(
        comparison=comparison, title="Live", text="From the gateway.",
        files=tuple((artifact.sha256, one) for one in labels(hosts)), **special,
    )  # fmt: skip
    return rechecks.recheck(actor=cases.person("sam"), memo_id=memo.pk, wish=wish, token=None)


def observe_both(memo: Memo, data: bytes | None = None) -> None:
    """Both comparisons that the contract's thresholds are bound to, on the same traffic."""
    content = live_file() if data is None else data
    for key in ("C1", "C2"):
        observe(memo, key, content)


def advance(memo: Memo, stage: int = 2, name: str = "rob") -> StageAdvance:
    """The next stage, begun by Rob."""
    return rollouts.advance(
        actor=cases.person(name), memo_id=memo.pk, stage=stage, note="", authentication=cases.proof()
    )


def a_watched_memo(monkeypatch: pytest.MonkeyPatch) -> Memo:
    """Rolling out for 25 hours, so that stage 1 has soaked, and observed: nothing stands before stage 2."""
    memo = cases.a_memo_rolling_out()
    clock.move_on(monkeypatch, hours=25)
    observe_both(memo)
    return cases.again(memo)
