"""`countersign compare` and `inspect` on power and energy counters, as somebody types them."""

import json
from pathlib import Path

import pytest

from reviews import printing
from tests.cli.typed import Typed, typed

BASE = ("baseline", (10000, 10003, 10001, 10004))
MORE = ("candidate", (12000, 12003, 12001, 12004))
PER_TOKEN = ("--metric", "energy_per_output_tokens")
SLEW = ("--metering", "samples", "--between", "slew", "--floor", "1", "--cap", "15", "--slew", "5")


def a_run(arm: str, at: int, counted: int, tokens: int) -> dict[str, object]:
    watts = [counted / 1000 + step for step in (-1, 0, 1)]
    return {
        "run": f"{arm}-{at}",
        "window_start": 0,
        "window_end": 1,
        "work": {"output_tokens": tokens},
        "identity": {"host": "host-1", "counter_unit": "mJ"},
        "measurements": [
            {"metric": "energy_counter", "unit": "1", "values": [0, counted], "at": [0, 1]},
            {"metric": "power", "unit": "W", "values": watts, "at": ["0", "0.5", "1"], "stage": "gpu0"},
        ],
    }


def a_file(folder: Path, arm: str, counted: tuple[int, ...], tokens: int = 1000) -> Path:
    runs = [a_run(arm, at, one, tokens) for at, one in enumerate(counted)]
    path = folder / f"{arm}.json"
    path.write_text(json.dumps({"countersign": "measurements/1", "runs": runs}))
    return path


def compared(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> Typed:
    return typed(capsys, "compare", a_file(folder, *BASE), "--candidate", a_file(folder, *MORE), *words)


def test_a_counter_is_compared_with_the_bounds_of_every_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = compared(capsys, tmp_path, *PER_TOKEN, "--metering", "counter")

    assert answer.code == 1
    assert "welch_log widened by measurement bounds, 4 runs per arm" in answer.out
    assert "0.009999 to 0.010001 J" in answer.out
    result = json.loads(compared(capsys, tmp_path, *PER_TOKEN, "--metering", "counter", "--json").out)
    inner, wider = (printing.range_of(result[part]["lo"], result[part]["hi"], 6) for part in ("interval", "widened"))
    assert inner != wider
    assert f"Statistical part: {inner}, 95\N{NO-BREAK SPACE}% confidence, welch_log." in answer.out
    assert f"Together: {wider}." in answer.out
    assert "Measurement part: the measurement, which may be off in each run of the baseline by a factor" in answer.out
    assert "Bounds of the ratio: Under the stated assumptions" in answer.out


def test_the_bounds_are_in_the_markdown_and_in_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = compared(capsys, tmp_path, *PER_TOKEN, "--metering", "counter", "--markdown").out
    result = json.loads(compared(capsys, tmp_path, *PER_TOKEN, "--metering", "counter", "--json").out)

    assert "| baseline | " in table
    assert "0.009999 to 0.010001 J | 10.00 J | 1.000 s | 2 | 0 % |" in table.replace("\N{NO-BREAK SPACE}", " ")
    assert result["energy"]["runs"][0]["lower"] == "0.009999"
    assert result["plan"]["metering"]["source"] == "counter"


def test_more_work_per_joule_is_better(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = compared(capsys, tmp_path, "--metric", "output_tokens_per_joule", *SLEW, "--relative", "1%", "--one-meter")

    assert "output_tokens_per_joule value, higher is better" in answer.out
    assert "one meter served both arms, so its scale, off by up to 1 %, drops out" in answer.out


def test_neighbours_carry_no_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--metering", "samples", "--between", "neighbours", "--floor", "0", "--cap", "15")
    answer = compared(capsys, tmp_path, *PER_TOKEN, *words)

    assert answer.code == 2
    assert "The power between samples is assumed, not bounded" in answer.out


def test_tolerated_work_and_measurement_widen_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, more = a_file(tmp_path, *BASE), a_file(tmp_path, *MORE, tokens=1001)
    answer = typed(
        capsys, "compare", base, "--candidate", more, *PER_TOKEN, "--metering", "counter",
        "--tolerance", "output_tokens=0.01",
    )  # fmt: skip

    assert "widened by stated differences and measurement bounds" in answer.out


def test_gaps_leave_bounds_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [a_file(tmp_path, *BASE), a_file(tmp_path, *MORE)]
    for file in files:
        file.write_text(file.read_text().replace('["0", "0.5", "1"]', '["0", "0.5", "5"]').replace(
            '"window_end": 1', '"window_end": 5'))  # fmt: skip
        file.write_text(file.read_text().replace('"values": [', '"values": [3.0, 3.0, ').replace(
            '"at": ["0"', '"at": ["-2", "-1", "0"').replace('"at": [0, 1]', '"at": [-2, -1, 0, 1]'))  # fmt: skip
    answer = typed(capsys, "compare", files[0], "--candidate", files[1], *PER_TOKEN, *SLEW)

    assert answer.code == 4
    assert "bounds only" in answer.out
    assert "Bounds of the ratio: " in answer.out


def test_without_a_declaration_the_way_out_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = compared(capsys, tmp_path, *PER_TOKEN)

    assert answer.code == 4
    assert "What would help: Declare the metering in the plan" in answer.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--cap", "3"), 64, "begins with its source"),
        (("--between", "range"), 64, "begins with its source"),
        (("--one-meter",), 64, "begins with its source"),
        (("--metering", "counter", "--cap", "much"), 64, "--cap 'much'"),
        (("--metering", "samples", "--cap", "3"), 4, "A floor and a cap belong together"),
        (("--metering", "luck"), 64, "invalid choice"),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused(
    words: tuple[str, ...], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = compared(capsys, tmp_path, *PER_TOKEN, *words)

    assert answer.code == code
    assert said in answer.out + answer.err


def test_inspect_tells_of_series(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = a_file(tmp_path, *BASE)

    said = typed(capsys, "inspect", file).out.replace("\N{NO-BREAK SPACE}", " ")
    [first, *_] = json.loads(typed(capsys, "inspect", file, "--json").out)["power_series"]

    assert "run baseline-0: power of gpu0, measured, 3 rows over 1.000 s, one every 500.0 ms, no gap" in said
    assert "run baseline-3: energy_counter, measured, 2 rows over 1.000 s" in said
    assert (first["rows"], first["seconds"], first["every"], first["gaps"]) == (3, 1.0, 0.5, 0)


def test_inspect_counts_gaps_and_leaves_out_what_is_not_timed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "power.csv"
    rows = "".join(f"r1,power,value,5,W,{at}\n" for at in (0, 1, 2, 9, "", 10))
    path.write_text(f"run,metric,stat,value,unit,at\n{rows}r2,power,value,5,W,1\n")

    said = typed(capsys, "inspect", path).out.replace("\N{NO-BREAK SPACE}", " ")

    assert "run r1: power, measured, 5 rows over 10.00 s, one every 1.000 s, 1 gap" in said
    assert "run r2" not in said


def test_a_guardrail_that_is_no_energy_needs_no_metering(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (*PER_TOKEN, "--metric", "wall_time:value", "--metering", "counter", "--json")
    result = json.loads(compared(capsys, tmp_path, *words).out)
    plans = {one["name"]: one["result"]["plan"].get("metering") for one in result["comparisons"]}

    assert plans["wall_time value"] is None
    assert plans["energy_per_output_tokens value"]["source"] == "counter"


def test_every_allowance_of_a_metered_energy_is_named_before_they_are_put_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*PER_TOKEN, "--metering", "counter")
    alone = json.loads(compared(capsys, tmp_path, *words, "--json").out)
    both = json.loads(compared(capsys, tmp_path, *words, "--measurement-error", "1.02", "--json").out)
    said = compared(capsys, tmp_path, *words, "--measurement-error", "1.02").out

    assert (
        "Besides, the stated error of the measurement: the value of a run may be off by a factor of up to 1.02" in said
    )
    assert f"Together: {printing.range_of(both['widened']['lo'], both['widened']['hi'], 6)}." in said
    ratios = [one["energy"]["ratio"] for one in (alone, both)]
    assert float(ratios[1]["upper"]) == pytest.approx(float(ratios[0]["upper"]) * 1.02**2)
    assert float(ratios[1]["lower"]) == pytest.approx(float(ratios[0]["lower"]) / 1.02**2)
    assert "1.02 in the candidate" in ratios[1]["assumptions"][-1]
    assert "1.02 in the candidate" not in str(ratios[0])
    assert "Under the stated assumptions, and if the value of a run may be off by a factor of up to 1.02" in said


def test_the_parts_of_a_difference_have_their_unit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (*PER_TOKEN, "--metering", "counter", "--scale", "difference", "--margin", "0.001", "--tolerance")
    answer = compared(capsys, tmp_path, *words, "output_tokens=0.01", "--equivalence-level", "0.9")
    said = answer.out.replace("\N{NO-BREAK SPACE}", " ")

    assert "Statistical part: [1.99" in said
    assert " mJ, 2.00" in said
    assert "decides “within the margin”: [1.99" in said
    assert "Allowance: 2.0" in said
    assert "in the unit of the metric" not in said


def test_the_audit_leads_to_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, more = a_file(tmp_path, *BASE), a_file(tmp_path, *MORE, tokens=1001)
    said = typed(capsys, "compare", base, "--candidate", more, *PER_TOKEN, "--metering", "counter", "--tolerance",
                 "output_tokens=0.01").out  # fmt: skip

    assert " the same, and:\n  output_tokens" in said


@pytest.mark.parametrize("shared", [(), ("--shared-gain",)])
def test_an_error_of_nothing_is_refused_beside_the_bounds_of_the_runs(
    shared: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = compared(capsys, tmp_path, *PER_TOKEN, "--metering", "counter", "--measurement-error", "0", *shared)

    assert answer.code == 4
    assert "A measurement error is a ratio of at least 1." in answer.out
    assert "Bounds of the ratio: Under the stated assumptions, whichever run" in answer.out
