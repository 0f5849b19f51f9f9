"""Computes the batch policy curve pack from all recorded runs: the same bytes from the same files.

Per greatest batch: throughput and p99 latency of each run, what the next run must be expected to show at 95 %, and
whether the limits hold. A limit holds when the one-sided prediction bound for one more run is on its right side, is
broken when even the bound of the typical run is on its wrong side, and is undetermined otherwise. Works on logarithms.
"""

import argparse
import hashlib
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
EVIDENCE: Final = HERE / "evidence"
PACK: Final = "batch-policy-curve-pack.json"
WARMUP_REQUESTS: Final = 50
THROUGHPUT_MINIMUM_PER_S: Final = 2000.0
P99_LIMIT_MS: Final = 50.0
OFFERED_PER_S: Final = 1000.0
SATURATION: Final = 0.98
FEWEST_RUNS: Final = 3


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded run: throughput in requests a second, p99 in ms with the first requests cut."""

    label: str
    max_batch: int
    throughput: float
    p99_ms: float
    energy_reason: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """One-sided 95 % bounds of positive run values: of the typical run, and of the next one; both to both sides."""

    typical: float
    typical_low: float
    typical_high: float
    next_low: float
    next_high: float


def p99(values: Sequence[float]) -> float:
    """The observed value at rank ceil((N+1) * 0.99), which a share of at least 0.99 of new requests stays below."""
    return sorted(values)[-(-(len(values) + 1) * 99 // 100) - 1]


def bounds(values: Sequence[float]) -> Bounds:
    """The bounds from at least three runs; ValueError below."""
    from scipy.special import stdtrit  # noqa: PLC0415 - heavy

    n = len(values)
    if n < FEWEST_RUNS:
        raise ValueError(f"{n} runs of a batch size are too few for a bound; record at least {FEWEST_RUNS}")
    logs = [math.log(value) for value in values]
    mean = math.fsum(logs) / n
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in logs) / (n - 1))
    t = float(stdtrit(n - 1, 0.95))
    one, more = t * sd / math.sqrt(n), t * sd * math.sqrt(1 + 1 / n)
    low, high, next_low, next_high = (math.exp(mean + x) for x in (-one, one, -more, more))
    return Bounds(math.exp(mean), low, high, next_low, next_high)


def at_most(found: Bounds, limit: float) -> str:
    """Whether values stay at or below the limit: met, broken or undetermined."""
    if found.next_high <= limit:
        return "met"
    return "broken" if found.typical_low > limit else "undetermined"


def at_least(found: Bounds, minimum: float) -> str:
    """Whether values stay at or above the minimum: met, broken or undetermined."""
    if found.next_low >= minimum:
        return "met"
    return "broken" if found.typical_high < minimum else "undetermined"


def together(states: Iterable[str]) -> str:
    """A region needs all of its limits: feasible, infeasible or undetermined."""
    seen = set(states)
    if "broken" in seen:
        return "infeasible"
    return "feasible" if seen == {"met"} else "undetermined"


def recorded_run(run: Mapping[str, object]) -> Recorded:
    """A run as the recorder wrote it; KeyError when a measurement is not there."""
    settings, rows = run["settings"], run["measurements"]
    if not isinstance(settings, dict) or not isinstance(rows, list):
        raise TypeError(f"run {run.get('run')} has no settings or no measurements")
    by_metric = {row["metric"]: row for row in rows}
    latencies = by_metric["e2e_latency"]["values"][WARMUP_REQUESTS:]
    energy = by_metric["energy_per_request"]["reason"]
    rate = float(by_metric["throughput"]["value"])
    return Recorded(str(run["run"]), int(settings["max_batch"]), rate, p99(latencies) / 1000, energy)


def printed(value: float) -> str:
    """Six significant digits."""
    return f"{value:.6g}"


def curve(values: Sequence[float], unit: str, limit: Mapping[str, float]) -> dict[str, object]:
    """One metric at one batch size. limit: {"at_most": …} or {"at_least": …}."""
    found = bounds(values)
    state = at_most(found, limit["at_most"]) if "at_most" in limit else at_least(found, limit["at_least"])
    facing = found.next_high if "at_most" in limit else found.next_low
    return {
        "unit": unit,
        "runs": [printed(value) for value in values],
        "typical_run": printed(found.typical),
        "next_run_bound_95": printed(facing),
        "limit": {name: printed(value) for name, value in limit.items()},
        "state": state,
    }


def point(max_batch: int, runs: Sequence[Recorded]) -> dict[str, object]:
    """The pack's row of one batch size."""
    throughput = curve([run.throughput for run in runs], "1/s", {"at_least": THROUGHPUT_MINIMUM_PER_S})
    latency = curve([run.p99_ms for run in runs], "ms", {"at_most": P99_LIMIT_MS})
    load = OFFERED_PER_S / bounds([run.throughput for run in runs]).typical
    return {
        "max_batch": max_batch,
        "runs": [run.label for run in runs],
        "throughput": throughput,
        "e2e_latency_p99": latency,
        "load": printed(load),
        "steady": load < SATURATION,
        "power": {"value": None, "reason": "; ".join(sorted({run.energy_reason for run in runs}))},
        "region": together([str(throughput["state"]), str(latency["state"])]),
    }


def pack(folder: Path) -> str:
    """The whole curve pack as JSON text. folder: holds sweep/ and blocks/, and every run in them counts."""
    paths = [*sorted((folder / "sweep").glob("*.json")), *sorted((folder / "blocks").glob("*.json"))]
    contents = [path.read_bytes() for path in paths]
    runs = [recorded_run(run) for content in contents for run in json.loads(content)["runs"]]
    sizes = sorted({run.max_batch for run in runs})
    document = {
        "kind": "batch_policy_curve_pack",
        "version": 1,
        "scope": "the one host that was measured",
        "runs": "all recorded ones: the sweep's, and at two batch sizes those of the blocks too",
        "varied": "max_batch",
        "throughput_from": "a queue that is always full",
        "latency_from": f"Poisson arrivals, {printed(OFFERED_PER_S)} requests a second; "
        f"the first {WARMUP_REQUESTS} requests of a run are cut",
        "method": "one-sided 95 % prediction bound for one more run, Student t on logarithms of run values; "
        "p99 at rank ceil((N+1)*0.99) of a run",
        "covers": ["throughput", "latency"],
        "does_not_cover": ["power"],
        "reading": "where steady is false, requests arrive faster than they can be answered: "
        "the p99 then grows with the length of a run, and is no property of the policy",
        "points": [point(size, [run for run in runs if run.max_batch == size]) for size in sizes],
        "sources": [
            {"file": f"{path.parent.name}/{path.name}", "sha256": hashlib.sha256(content).hexdigest()}
            for path, content in zip(paths, contents, strict=True)
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def main() -> int:
    """Writes the pack beside the evidence; with --check says whether the one there is the same (exit code 1: not)."""
    parser = argparse.ArgumentParser(description="compute the batch policy curve pack from all recorded runs")
    parser.add_argument("--evidence", type=Path, default=EVIDENCE, help="the folder that holds sweep/ and blocks/")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    given = parser.parse_args()
    text, path = pack(given.evidence), given.evidence / PACK
    if not given.check:
        path.write_text(text, encoding="utf-8")
        return 0
    same = path.exists() and path.read_text(encoding="utf-8") == text
    print(
        f"{PACK}: {'same bytes' if same else 'differs from what the runs give'}",
        file=sys.stdout if same else sys.stderr,
    )
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
