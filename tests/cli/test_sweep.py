"""`countersign sweep`: curves, feasible region, policy table, and the curve pack."""

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from analysis import evidence
from analysis.evidence.format import Document
from tests.analysis.batches import Row, measured, row
from tests.cli.typed import Typed, typed

LIMITS = "throughput=150,p99=50ms"
Capture = pytest.CaptureFixture[str]


def a_folder(place: Path, sizes: dict[Any, list[list[Row]]]) -> Path:
    """One file for each size, as most tools write them."""
    place.mkdir(exist_ok=True)
    for size, of in sizes.items():
        runs = [
            {"run": f"{size}-{n}", "settings": {"max_batch": size}, "measurements": rows} for n, rows in enumerate(of)
        ]
        (place / f"b{size}.json").write_text(json.dumps({"countersign": "measurements/1", "runs": runs}))
    return place


def runs(rate: float, p99: float, power: float | None = None, *, number: int = 3) -> list[list[Row]]:
    return [measured(rate * (1 + 0.01 * n), p99 + 0.5 * n, power and power + n) for n in range(number)]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return a_folder(tmp_path / "base", {1: runs(100, 20), 2: runs(180, 25), 4: runs(300, 90)})


@pytest.fixture
def cand(tmp_path: Path) -> Path:
    return a_folder(tmp_path / "cand", {1: runs(200, 15), 2: runs(220, 99), 4: runs(320, 30), 8: runs(500, 40)})


def test_the_curve_and_what_is_feasible_are_printed(base: Path, capsys: Capture) -> None:
    answer = typed(capsys, "sweep", base, "--limits", LIMITS)

    assert answer.code == 0
    assert "Feasible max_batch: 2." in answer.out
    assert "  1: infeasible (throughput broken: bound of the typical run" in answer.out
    assert "  4: infeasible" in answer.out
    assert re.search(r"^2 +3 +181\.8/s", answer.out, re.M)
    assert "Front in throughput, p99: 1, 2, 4." in answer.out
    assert "A batch of b takes" in answer.out


def test_a_straight_line_has_efficiency_batches(tmp_path: Path, capsys: Capture) -> None:
    folder = a_folder(tmp_path / "line", {b: runs(b / (0.010 + 0.002 * b), 20) for b in (1, 2, 4, 8)})
    answer = typed(capsys, "sweep", folder)

    assert answer.code == 0
    assert "Feasible" not in answer.out
    assert "50\N{NO-BREAK SPACE}% of the greatest throughput at a batch of 5.000." in answer.out
    assert "80\N{NO-BREAK SPACE}% of the greatest throughput at a batch of 20.00." in answer.out
    capped = a_folder(tmp_path / "capped", {1: runs(100, 20), 2: runs(90, 20), 4: runs(300, 20)})
    assert "Efficiency batch: The time of a batch is no line" in typed(capsys, "sweep", capped).out


@pytest.mark.parametrize(
    ("limits", "code"), [("p99=10ms", 1), ("p99=25.6ms", 2), ("p99=0.05", 0), ("throughput=5kHz", 1), ("p99=1", 0)]
)
def test_the_exit_code_says_whether_some_point_is_feasible(base: Path, capsys: Capture, limits: str, code: int) -> None:
    (base / "b1.json").unlink()

    assert typed(capsys, "sweep", base, "--limits", limits).code == code


def test_single_runs_are_never_feasible(tmp_path: Path, capsys: Capture) -> None:
    folder = a_folder(tmp_path / "single", {1: runs(100, 20, number=1), 2: runs(180, 25, number=1)})
    answer = typed(capsys, "sweep", folder, "--limits", "p99=9s")

    assert answer.code == 2
    assert "Feasible max_batch: none." in answer.out
    assert "cannot say what the next one would do" in answer.out
    assert "[too_few_runs]" in answer.out


def test_a_candidate_is_set_against_the_baseline(base: Path, cand: Path, capsys: Capture) -> None:
    answer = typed(capsys, "sweep", base, "--candidate", cand, "--limits", LIMITS)

    assert answer.code == 0
    assert answer.out.index("baseline:") < answer.out.index("candidate:")
    assert "gained (not feasible before, feasible now): 1, 4" in answer.out
    assert "lost (feasible before, not feasible now): 2" in answer.out
    assert "uncertain: 8" in answer.out
    without = typed(capsys, "sweep", base, "--candidate", cand)
    assert "gained" not in without.out


def test_points_that_are_not_separated_and_dominated_are_named(tmp_path: Path, capsys: Capture) -> None:
    folder = a_folder(tmp_path / "front", {1: runs(100, 20), 2: runs(200, 10), 4: runs(201, 9.9)})
    answer = typed(capsys, "sweep", folder)

    assert "1 is dominated by 2." in answer.out
    assert "2 is not separated from 4" in answer.out
    only = a_folder(tmp_path / "only", {1: [measured(100.0)], 2: [measured(100.0)]})
    assert "Front: Only throughput was measured" in typed(capsys, "sweep", only).out


SIMULATED = ("--arrivals", "20,100,1000", "--waits", "0,5ms", "--requests", "2000")


def test_a_policy_is_chosen_for_each_rate(tmp_path: Path, capsys: Capture) -> None:
    folder = a_folder(tmp_path / "sim", {b: runs(b / (0.010 + 0.002 * b), 20, 300.0) for b in (1, 2, 4, 8)})
    answer = typed(capsys, "sweep", folder, "--limits", "p99=80ms", *SIMULATED, "--idle", "60W")

    assert answer.code == 0
    assert "energy each" in answer.out
    assert "Chosen: the least joules per request" in answer.out
    assert re.search(r"none keeps the limit +every queue grows", answer.out)
    assert re.search(r"Above 100\.0/s: nothing that keeps the limit; back to at most \d at once", answer.out)
    tight = typed(capsys, "sweep", folder, "--limits", "p99=1ms", *SIMULATED)
    assert re.search(r"none keeps the limit +lowest p99", tight.out)
    assert tight.code == 1


def test_bursts_and_recorded_arrivals_can_be_had(tmp_path: Path, base: Path, capsys: Capture) -> None:
    times = tmp_path / "times.txt"
    times.write_text("\n".join(str(n / 10) for n in range(3000)))
    ask = ("sweep", base, "--limits", "p99=1s", *SIMULATED)

    assert "two states of 0.6 and 1.8 times" in typed(capsys, *ask, "--traffic", "mmpp:0.6,1.8,2,1").out
    assert "Arrivals: 3000 recorded times" in typed(capsys, *ask, "--replay", times).out


def test_without_a_limit_of_the_tail_there_is_no_policy_table(base: Path, capsys: Capture) -> None:
    answer = typed(capsys, "sweep", base, *SIMULATED)

    assert "No policy table: A policy is chosen under a limit of p99." in answer.out


def test_engines_that_batch_in_flight_are_not_simulated(shared_evidence: Path, capsys: Capture) -> None:
    folder = shared_evidence / "vllm-bench-serve" / "inferencex_gptoss120b"
    answer = typed(capsys, "sweep", folder, "--latency", "ttft", "--limits", "p99=9s", *SIMULATED)

    assert answer.code == 2
    assert "[batches_in_flight]" in answer.out
    assert "Feasible max_concurrency: none." in answer.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--limits", "p99"), 4, "[bad_limit]"),
        (("--limits", "speed=9"), 4, "[bad_limit]"),
        (("--limits", "p99=fast"), 4, "[bad_limit]"),
        (("--limits", "p99=5W"), 4, "[bad_limit]"),
        (("--limits", "p99=0"), 4, "[bad_limit]"),
        (("--limits", "p99=1..2"), 4, "[bad_limit]"),
        (("--limits", "power=700W"), 4, "[not_measured]"),
        (("--grid", "a"), 4, "[not_a_number]"),
        (("--grid=-1",), 4, "[not_a_number]"),
        (("--arrivals", "9", "--traffic", "waves"), 4, "[bad_traffic]"),
        (("--arrivals", "9", "--traffic", "mmpp:1,2"), 4, "[bad_traffic]"),
        (("--arrivals", "9", "--replay", "nowhere.txt"), 64, "no file nowhere.txt"),
        (("--arrivals", "9", "--replay", __file__), 4, "[bad_traffic]"),
        (("--varied", "colour"), 4, "[no_sweep]"),
        (("--devices", "0"), 64, "at least"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    base: Path, capsys: Capture, words: tuple[str, ...], code: int, said: str
) -> None:
    answer = typed(capsys, "sweep", base, *words)

    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err


def test_other_options_reach_the_sweep(base: Path, capsys: Capture) -> None:
    answer = typed(
        capsys, "sweep", base, "--grid", "1,2,4,8", "--offered", "1000", "--limits", "p99=1s,temperature=85C"
    )
    assert "[not_measured]" in answer.err
    answer = typed(capsys, "sweep", base, "--grid", "1,2,4,8", "--offered", "1000", "--limits", "p99=1s")
    assert "[points_missing]" in answer.out
    assert "Requests arrive faster than max_batch 1 answers them" in answer.out


# The pack


def opened(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(capsys: Capture, place: Path, *words: object) -> tuple[Typed, dict[str, bytes]]:
    answer = typed(capsys, "sweep", *words, "--pack", place)
    return answer, opened(place)


def test_the_pack_holds_curves_tables_the_method_and_all_digests(tmp_path: Path, base: Path, capsys: Capture) -> None:
    answer, found = written(capsys, tmp_path / "out.zip", base, "--limits", LIMITS, *SIMULATED)

    assert answer.code == 0
    assert "Wrote" in answer.err
    assert set(found) == {
        "batch-policy-curve-pack.json", "SHA256SUMS", "curves.html", "method.txt", "tables/policy.csv",
        "tables/runs.csv", "tables/runs.parquet",
        *(f"curves/{name}.{ending}" for name in ("throughput", "latency", "front") for ending in ("svg", "png")),
    }  # fmt: skip
    lines = [line.split("  ", 1) for line in found.pop("SHA256SUMS").decode().splitlines()]
    assert {name: digest for digest, name in lines} == {
        name: hashlib.sha256(data).hexdigest() for name, data in found.items()
    }
    assert found["curves/latency.png"].startswith(b"\x89PNG")
    assert b"<svg" in found["curves/throughput.svg"]
    rows = pq.read_table(io.BytesIO(found["tables/runs.parquet"])).to_pylist()
    assert len(rows) == 18
    assert {(row["quantity"], row["base_unit"]) for row in rows} == {("throughput", "1/s"), ("p99", "s")}
    assert found["tables/runs.csv"].decode().count("\n") == 19
    sheet = found["method.txt"].decode()
    digest = hashlib.sha256((base / "b4.json").read_bytes()).hexdigest()
    assert f"{digest}  b4.json" in sheet
    assert "Feasible max_batch: 2." in sheet
    assert "Arrivals: Poisson" in sheet


def test_the_page_of_the_pack_asks_no_other_host(tmp_path: Path, base: Path, capsys: Capture) -> None:
    _, found = written(capsys, tmp_path / "out.zip", base)
    page = found["curves.html"].decode()
    ours = re.sub(r"<script>.*?</script>", "", page, count=1, flags=re.S)

    assert not re.search(r"""(?:src|href)\s*=|https?://|@chart-""", ours)
    assert "Plotly.newPlot" in ours
    assert page.count("</script>") == 2


def test_the_same_files_give_the_same_pack(tmp_path: Path, base: Path, capsys: Capture) -> None:
    for name in ("a.zip", "b.zip"):
        written(capsys, tmp_path / name, base, "--limits", LIMITS)

    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_the_pack_is_read_as_the_evidence_that_the_gate_asks_for(tmp_path: Path, base: Path, capsys: Capture) -> None:
    _, found = written(capsys, tmp_path / "out.zip", base, "--limits", LIMITS)
    whole = evidence.read(Document((tmp_path / "out.zip").read_bytes(), "out.zip"))
    document = evidence.read(Document(found["batch-policy-curve-pack.json"], "pack.json"))

    assert whole.format == document.format == "batch-policy-curve-pack"
    assert len(whole.runs) == len(document.runs) == 9
    assert document.measurements.only(metric="e2e_latency").values.min() == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("sizes", "words", "code"),
    [
        ({1: runs(100, 20, number=2), 2: runs(180, 25)}, ("--limits", LIMITS), "too_few_runs"),
        ({1: runs(100, 20), 2: runs(180, 25)}, (), "missing"),
        ({1: [measured(100.0 + n) for n in range(3)], 2: [measured(180.0 + n) for n in range(3)]},
         ("--limits", "throughput=9"), "missing"),
    ],
)  # fmt: skip
def test_a_pack_that_is_not_sufficient_does_not_count(
    tmp_path: Path, capsys: Capture, sizes: dict[Any, list[list[Row]]], words: tuple[str, ...], code: str
) -> None:
    """It is written, and refused where it is read: with too few runs, without limits, without a tail."""
    _, found = written(capsys, tmp_path / "out.zip", a_folder(tmp_path / "few", sizes), *words)

    with pytest.raises(Exception) as refused:  # noqa: PT011 - the code says which
        evidence.read(Document(found["batch-policy-curve-pack.json"], "pack.json"))
    assert getattr(refused.value, "code", "") == code


def test_power_stands_in_the_pack_where_it_was_measured(tmp_path: Path, capsys: Capture) -> None:
    folder = a_folder(tmp_path / "power", {1: runs(100, 20, 300.0), 2: runs(180, 25, 320.0)})
    _, found = written(capsys, tmp_path / "out.zip", folder, "--limits", "p99=1s,power=400W")
    document = json.loads(found["batch-policy-curve-pack.json"])

    assert document["covers"] == ["throughput", "p99", "power"]
    assert document["points"][0]["power"]["runs"] == ["300.0", "301.0", "302.0"]
    assert document["limits"][1] == {"quantity": "power", "at_most": "400.0", "unit": "W"}
    assert {"curves/power.svg", "curves/energy.svg"} <= set(found)


def test_a_pack_of_a_candidate_carries_its_baseline(tmp_path: Path, base: Path, cand: Path, capsys: Capture) -> None:
    answer, found = written(
        capsys, tmp_path / "out.zip", base, "--candidate", cand, "--limits", LIMITS, *SIMULATED, "--json"
    )
    document = json.loads(found["batch-policy-curve-pack.json"])

    assert json.loads(answer.out) == document
    assert [point["at"] for point in document["points"]] == ["1", "2", "4", "8"]
    assert [point["at"] for point in document["baseline"]["points"]] == ["1", "2", "4"]
    assert [point["change"] for point in document["change"]["points"]] == ["gained", "lost", "gained", "uncertain"]
    assert {"curves/candidate-latency.svg", "curves/baseline-latency.svg", "tables/candidate-policy.csv"} <= set(found)
    assert "gained (not feasible before, feasible now): 1, 4" in found["method.txt"].decode()
    assert evidence.read(Document((tmp_path / "out.zip").read_bytes(), "out.zip")).format == "batch-policy-curve-pack"


def a_grid(place: Path, *, rate: str = "output_throughput") -> Path:
    """Concurrency 4 and 8 by 64 and 128 sequences at once, without the last combination; three runs each."""
    place.mkdir()
    for load, seqs, tokens, each in ((4, 64, 400.0, 8.0), (8, 64, 700.0, 10.0), (4, 128, 300.0, 9.0)):
        of = [
            {"run": str(n), "settings": {"max_concurrency": load, "max_num_seqs": seqs},
             "measurements": [
                 row(rate, tokens * (1 + 0.001 * n), "rate", "1/s"), row("tpot", each * (1 + 0.001 * n), "mean", "ms"),
             ]}
            for n in range(3)
        ]  # fmt: skip
        (place / f"{load}-{seqs}.json").write_text(json.dumps({"countersign": "measurements/1", "runs": of}))
    return place


def test_an_engine_that_batches_in_flight_is_swept_over_a_grid(tmp_path: Path, capsys: Capture) -> None:
    grid = a_grid(tmp_path / "grid")
    answer, found = written(
        capsys, tmp_path / "out.zip", grid, "--devices", "2", "--limits", "throughput=350", "--arrivals", "9"
    )

    assert "Feasible max_concurrency × max_num_seqs: 4 × 64, 8 × 64." in answer.out
    assert "! Of the grid of max_concurrency × max_num_seqs, not measured: 8 × 128. [grid_incomplete]" in answer.out
    assert re.search(r"of one user \(1 / tpot mean\) and of one of 2 devices:\n  4 × 64: 124\.9/s \(", answer.out)
    assert "Front in user_rate, device_rate: 4 × 64, 8 × 64." in answer.out
    assert "  4 × 128 is dominated by 4 × 64." in answer.out
    assert "[batches_in_flight]" in answer.out
    assert {"curves/interactivity.svg", "curves/interactivity.png", "tables/interactivity.csv"} < set(found)
    rows = found["tables/interactivity.csv"].decode().splitlines()
    assert rows[0].startswith("point,runs,standing,beaten_by,user_tokens_per_s,")
    assert rows[2].startswith("4 × 128,3,dominated,4 × 64,111.0")
    assert "Front in user_rate, device_rate" in found["method.txt"].decode()
    pack = json.loads(found["batch-policy-curve-pack.json"])
    assert (pack["varied"], pack["interactivity"]["per_user"]) == ("max_concurrency × max_num_seqs", "1 / tpot mean")
    assert [point["standing"] for point in pack["interactivity"]["front"]["points"]] == ["front", "dominated", "front"]


def test_a_throughput_of_requests_says_nothing_of_tokens(tmp_path: Path, capsys: Capture) -> None:
    answer = typed(capsys, "sweep", a_grid(tmp_path / "requests", rate="request_throughput"))

    assert "Tokens per second of a device and of one user: No throughput of output tokens" in answer.out
    assert "interactivity" not in answer.out


def test_a_public_sweep_over_concurrency_has_no_interval_and_nothing_feasible(
    shared_evidence: Path, capsys: Capture
) -> None:
    folder = shared_evidence / "vllm-bench-serve" / "inferencex_gptoss120b"
    answer = typed(capsys, "sweep", folder, "--limits", "throughput=1")

    assert answer.code == 2
    assert "  16: 110.6/s (no interval: fewer than two usable runs) and 1,726/s (no interval" in answer.out
