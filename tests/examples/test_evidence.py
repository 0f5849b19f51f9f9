"""The kept evidence of the example: what its files hold, without any parser of the product."""

import csv
import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from examples.batch_policy import record, workload
from reviews.plan_content import PlanContent, plan_from_json

HERE = record.HERE
EVIDENCE = HERE / "evidence"
NONCE = (HERE / "plan.nonce").read_text(encoding="ascii").strip()


def runs_in(folder: str) -> Iterator[dict[str, Any]]:
    for path in sorted((EVIDENCE / folder).glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["runs"]


def plan() -> PlanContent:
    return plan_from_json(json.loads((HERE / "plan.json").read_text(encoding="utf-8")))


def manifest() -> list[dict[str, str]]:
    with (EVIDENCE / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def values_of(run: dict[str, Any], metric: str) -> list[int]:
    return next(row["values"] for row in run["measurements"] if row["metric"] == metric)


def test_every_run_completed_with_at_least_a_thousand_latencies_after_the_warmup() -> None:
    cut = max(comparison.warmup_steps for comparison in plan().comparisons)

    for run in [*runs_in("blocks"), *runs_in("sweep")]:
        assert run["status"] == "completed", run["run"]
        assert len(values_of(run, "e2e_latency")) - cut >= 1000, run["run"]
        assert min(values_of(run, "e2e_latency")) > 0, run["run"]


def test_every_planned_run_was_recorded_under_the_plan_and_no_other() -> None:
    planned = {(run.run, run.arm, run.block, run.placement) for run in plan().runs}
    found = [
        (run["run"], run["identity"]["arm"], run["identity"]["block"], run["identity"]["host"])
        for run in runs_in("blocks")
    ]

    assert sorted(found) == sorted(planned)
    assert {run["identity"]["plan"] for run in runs_in("blocks")} == {NONCE}
    assert not any("plan" in run["identity"] for run in runs_in("sweep"))


def test_every_block_holds_one_run_of_each_arm() -> None:
    arms = [(run["identity"]["block"], run["identity"]["arm"]) for run in runs_in("blocks")]

    assert sorted(arms) == [(f"b{n:02}", arm) for n in range(1, record.BLOCKS + 1) for arm in ("baseline", "candidate")]


def test_the_sweep_holds_every_batch_size_in_every_round() -> None:
    sizes = [run["settings"]["max_batch"] for run in runs_in("sweep")]

    assert sorted(sizes) == sorted(record.SWEEP * record.ROUNDS)


def test_the_arms_state_the_same_but_for_what_the_plan_varies() -> None:
    kept = [{**run["settings"], **run["work"]} for run in runs_in("blocks")]
    differing = {name for settings in kept for name in settings if settings[name] != kept[0].get(name)}

    assert differing == set(plan().varied)


def test_no_run_started_before_the_plan_was_registered() -> None:
    registered = [datetime.fromisoformat(planned.prediction.registered_at) for planned in plan().predictions]

    assert max(registered) < min(datetime.fromisoformat(run["started_at"]) for run in runs_in("blocks"))


def test_the_rivals_predict_otherwise_than_the_primary_on_the_same_metric() -> None:
    throughput = {p.hypothesis: p.prediction for p in plan().predictions if p.prediction.metric == "throughput"}

    assert set(throughput) == {"H1", "H2", "H3"}
    assert all(float(throughput[rival].high) < float(throughput["H1"].low) for rival in ("H2", "H3"))


def test_the_predictions_name_the_plan_by_its_nonce() -> None:
    assert {planned.prediction.plan for planned in plan().predictions} == {NONCE}


def test_energy_has_no_value_and_says_why() -> None:
    rows = [row for run in runs_in("blocks") for row in run["measurements"] if row["metric"] == "energy_per_request"]

    assert len(rows) == len(plan().runs)
    assert {(row["value"], row["reason"]) for row in rows} == {(None, "this machine shows no power counter")}


def test_the_recorded_workload_is_the_one_that_is_kept() -> None:
    digest = hashlib.sha256(Path(workload.__file__).read_bytes()).hexdigest()

    assert {run["identity"]["workload_sha256"] for run in [*runs_in("blocks"), *runs_in("sweep")]} == {digest}


def test_the_manifest_names_every_file_once_and_as_the_file_itself_says() -> None:
    rows = manifest()
    kept = {str(path.relative_to(EVIDENCE)) for path in EVIDENCE.rglob("*") if path.is_file()} - {"manifest.csv"}

    assert sorted(row["file"] for row in rows) == sorted(kept)
    for row in rows:
        if row["arm"]:
            [run] = json.loads((EVIDENCE / row["file"]).read_text(encoding="utf-8"))["runs"]
            said = run["identity"]
            assert (row["arm"], row["block"], row["placement"]) == (said["arm"], said["block"], said["host"])


def test_the_evidence_is_small() -> None:
    assert sum(path.stat().st_size for path in EVIDENCE.rglob("*") if path.is_file()) < 1_500_000
