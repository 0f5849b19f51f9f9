"""The kept curve pack is what `countersign sweep` makes of the recorded runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.typed import typed

EVIDENCE = Path(__file__).resolve().parents[2] / "examples" / "batch_policy" / "evidence"
PACK = EVIDENCE / "batch-policy-curve-pack.json"
README = EVIDENCE.parent / "README.md"


def kept() -> Any:
    return json.loads(PACK.read_text(encoding="utf-8"))


def test_the_command_of_the_readme_gives_the_kept_pack(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = next(
        line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("    countersign sweep")
    )
    words = command.partition("countersign ")[2].partition(" >")[0].split()
    monkeypatch.chdir(EVIDENCE)
    answer = typed(capsys, *words)

    assert answer.code == 0
    assert json.loads(answer.out) == kept()


def test_the_pack_says_what_is_feasible_as_the_readme_does() -> None:
    states = {point["at"]: point["region"] for point in kept()["points"]}

    assert states == {
        "1": "infeasible", "2": "infeasible", "4": "infeasible", "8": "undetermined", "16": "feasible",
        "32": "feasible",
    }  # fmt: skip


def test_the_pack_covers_throughput_and_latency_and_says_that_power_was_not_measured() -> None:
    pack = kept()

    assert (pack["covers"], pack["does_not_cover"]) == (["throughput", "p99"], ["power"])
    assert all(point["power"] == {"reason": "no run measured it"} for point in pack["points"])
    assert all(len(point["p99"]["runs"]) >= 5 for point in pack["points"])


def test_the_pack_says_where_arrivals_outrun_the_server() -> None:
    broken = {
        point["at"]: [answer["answer"] for answer in point["answers"] if answer["quantity"] == "p99"]
        for point in kept()["points"]
    }

    assert kept()["offered_per_s"] == "1000.0"
    assert [at for at, answers in broken.items() if answers != ["met"]] == ["1", "2"]
