"""Runs and sweeps of rates with raw requests, some of which kept the plan's service level."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from analysis.assess import AssessmentResult, LabelledRun, assess
from analysis.service_level import ServiceLevel
from analysis.table import Table
from tests.analysis.props import SECOND, a_measurement, a_plan, a_request, a_run, a_setting

F = Fraction
LEVEL = ServiceLevel({"ttft": F("0.2"), "tpot": F("0.05")}, F("0.9"))
OK, SLOW, FAILED = (0.1, 0.04), (0.3, 0.04), (None, None)
Request = tuple[float | None, float | None]


def a_plan_of(stat: str, **changes: Any) -> Any:
    ordinary: dict[str, Any] = {
        "metric": "goodput", "stat": stat, "better": "higher", "margin": F("0.98"), "service_level": LEVEL,
        "required": (), "tolerances": {},
    }  # fmt: skip
    return a_plan(**{**ordinary, **changes})


def served(
    arm: str, number: int, requests: Sequence[Request], *, seconds: str = "10", settings: Any = (), **more: Any
) -> LabelledRun:
    """A run with (ttft, tpot) of each request."""
    run = a_run(arm, number, None, settings=settings, work=(), **more)
    rows = (
        a_measurement(value, metric=metric, index=i, reason="failed")
        for at, metric in enumerate(("ttft", "tpot"))
        for i, value in enumerate(request[at] for request in requests)
    )
    lasted = replace(a_setting("duration" if seconds else "other", seconds or "1"), role="identity")
    reading = replace(run.reading, measurements=Table.of(rows), settings=(*run.reading.settings, lasted))
    return replace(run, reading=reading)


def arms(baseline: Sequence[int], candidate: Sequence[int], **more: Any) -> tuple[LabelledRun, ...]:
    """Runs of 100 requests each, of which so many kept the level."""
    return tuple(
        served(arm, n, [OK] * kept + [SLOW] * (100 - kept), **more)
        for arm, counts in (("baseline", baseline), ("candidate", candidate))
        for n, kept in enumerate(counts)
    )


THREE = arms((90, 88, 91), (80, 79, 78))


def refused_by(result: AssessmentResult) -> str:
    assert result.refusal is not None
    assert result.refusal.needs
    return result.refusal.code


def goodput(runs: Sequence[LabelledRun], **plan: Any) -> AssessmentResult:
    return assess(a_request(runs, a_plan_of("rate", **plan)))


SHARES = {"2": 100, "4": 98, "8": 91, "16": 40}


def sweep(arm: str, block: str, shares: dict[str, int], at: int = 0, **labels: Any) -> list[LabelledRun]:
    """The runs of one sweep: by rate, how many of 100 requests kept the level."""
    return [
        served(
            arm, 0, [OK] * kept + [SLOW] * (100 - kept), settings=(("request_rate", rate),), block=block,
            file_run={"started_ns": (at + n) * SECOND},
            **{"label": f"{arm[0]}{block}-{rate}", "artifact": f"{arm}{block}{rate}", **labels},
        )
        for n, (rate, kept) in enumerate(shares.items())
    ]  # fmt: skip


def less(**changes: int) -> dict[str, int]:
    return SHARES | {rate.removeprefix("at"): kept for rate, kept in changes.items()}


def swept(runs: Sequence[LabelledRun], **plan: Any) -> AssessmentResult:
    return assess(a_request(runs, a_plan_of("max", **plan)))


BLOCKS = [
    run
    for n, (base, cand) in enumerate(
        ((SHARES, less(at8=80)), (SHARES, less(at8=89)), (less(at8=89), less(at4=10, at8=9)), (SHARES, SHARES))
    )
    for run in (
        *sweep("baseline", f"k{n}", base, 100 * n),
        *sweep("candidate", f"k{n}", cand, 100 * n + 10 * (-1) ** n),
    )
]
K9 = (*sweep("baseline", "k9", {"2": 10}), *sweep("candidate", "k9", {"2": 10}))
