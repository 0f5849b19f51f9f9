"""One folder a run: result, log of power and log of the server, as people keep them."""

import json
from pathlib import Path

import pytest

from tests.analysis.joined import smi, telemetry
from tests.analysis.test_companions import SERVER
from tests.cli.typed import Typed, typed
from tests.evidence import make

WATTS = [100, 100, 200, 300, 400, 300, 200, 100]
"""From 12:00:00 on; the runs are from :02 to :06, where the trapezoid is 1200 J."""
ENERGY = ("--metric", "energy_per_output_token", "--stat", "value", "--better", "lower", "--margin", "1.05",
          "--metering", "samples")  # fmt: skip


def result(folder: Path, name: str = "result.json", **fields: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    ordinary = {"date": "20260101-120006", "duration": 4.0, "total_output_tokens": 100}
    path = folder / name
    path.write_text(json.dumps(make.vllm(**{**ordinary, **fields})))
    return path


def runs(tmp_path: Path, *, candidate: float = 0.9, server: bool = False) -> tuple[Path, Path]:
    """Three folders for each arm."""
    for arm, scale in (("base", 1.0), ("cand", candidate)):
        for number in range(3):
            folder = tmp_path / arm / f"r{number}"
            result(folder, label=f"{arm}{number}")
            (folder / "power.csv").write_text(smi([scale * watt + number for watt in WATTS], first="13:00:00"))
            if server:
                (folder / "server.log").write_text(SERVER)
    return tmp_path / "base", tmp_path / "cand"


def joules(answer: Typed) -> list[int]:
    return [round(float(run["joules"])) for run in json.loads(answer.out)["energy"]["runs"]]


def compared(capsys: pytest.CaptureFixture[str], arms: tuple[object, object], *more: object) -> Typed:
    return typed(capsys, "compare", arms[0], "--candidate", arms[1], *ENERGY, *more)


def test_a_log_in_the_folder_of_a_result_is_joined_by_the_stated_zones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = compared(capsys, runs(tmp_path), "--zone", "*/power.csv=+01:00", "--zone", "*/result.json=UTC", "--json")
    metered = json.loads(answer.out)["energy"]["runs"]

    assert joules(answer) == [1200, 1204, 1208, 1080, 1084, 1088]
    assert {run["joined"]["logs"][0]["offset_s"] for run in metered} == {"-3600"}
    assert json.loads(answer.out)["interval"] is not None


def test_how_the_logs_were_joined_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = compared(capsys, runs(tmp_path), "--offset", "-3600")

    assert "power.csv, joined with a stated offset of -3600 s to the clock of the run" in answer.out
    assert "window of 4.000" in answer.out
    assert "5 samples" in answer.out


def test_a_zone_for_all_is_of_the_files_that_lack_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = runs(tmp_path)
    for path in tmp_path.rglob("power.csv"):
        path.write_text(telemetry([float(watt) for watt in WATTS]))
    answer = compared(capsys, (base, cand), "--zone", "UTC", "--json")

    assert joules(answer) == [1200] * 6


def test_without_a_zone_nothing_is_joined_and_the_flag_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = compared(capsys, runs(tmp_path))

    assert answer.code == 4
    assert "wall clock without zone" in answer.out
    assert "--zone" in answer.out


def test_logs_of_servers_beside_results_feed_the_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arms = runs(tmp_path, server=True)
    answer = compared(capsys, arms, "--offset", "-3600", "--json")
    rows = {row["setting"]: row for row in json.loads(answer.out)["audit"]}

    assert rows["vllm_version"]["state"] == "same"
    assert any("server.log" in source for source in rows["vllm_version"]["sources"])

    other = arms[1] / "r0" / "server.log"
    other.write_text(SERVER.replace("enable_prefix_caching=True", "enable_prefix_caching=False"))
    blocked = compared(capsys, arms, "--offset", "-3600")

    assert blocked.code == 3
    assert "enable_prefix_caching" in blocked.out


def test_one_log_of_the_host_is_of_all_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = result(tmp_path / "base"), result(tmp_path / "cand", request_rate="2")
    log = tmp_path / "logs" / "power.csv"
    log.parent.mkdir()
    log.write_text(smi(WATTS))
    answer = compared(capsys, (base, cand), "--varied", "request_rate", "--log", log, "--offset", "0", "--json")

    assert joules(answer) == [1200, 1200]


def test_a_log_can_be_named_for_its_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = result(tmp_path / "all", "base.json"), result(tmp_path / "all", "cand.json", label="c")
    for name, scale in (("a.csv", 1), ("b.csv", 2)):
        (tmp_path / "all" / name).write_text(smi([scale * watt for watt in WATTS]))
    pairs = ("--log", f"{base}={tmp_path}/all/a.csv", "--log", f"*/cand.json={tmp_path}/all/b.csv")
    answer = compared(capsys, (base, cand), *pairs, "--offset", "0", "--json")

    assert joules(answer) == [1200, 2400]


def test_in_one_folder_the_labels_of_a_pattern_tell_the_logs_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arm in ("base", "cand"):
        for block in "12":
            result(tmp_path / arm, f"result-b{block}.json")
            (tmp_path / arm / f"power-b{block}.csv").write_text(smi([int(block) * watt for watt in WATTS]))
        (tmp_path / arm / "server.log").write_text(SERVER)
    arms = (tmp_path / "base", tmp_path / "cand")
    answer = compared(capsys, arms, "--pattern", "*-b{block}.*", "--offset", "0", "--json")

    assert joules(answer) == [1200, 2400, 1200, 2400]
    assert "vllm_version" in answer.out


def test_a_pattern_that_is_none_is_refused_for_logs_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = compared(capsys, runs(tmp_path), "--pattern", "{nothing}")

    assert answer.code == 4
    assert "is no pattern of labels" in answer.err


def test_logs_without_results_are_compared_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for number in range(2):
        paths.append(tmp_path / f"p{number}.csv")
        paths[-1].write_text(smi([watt + number for watt in WATTS]))
    answer = typed(
        capsys, "compare", paths[0], "--candidate", paths[1], "--metric", "power", "--stat", "mean", "--json"
    )

    assert len(json.loads(answer.out)["runs"]) == 2


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--zone", "Europe/Berlin"), "says nothing of a clock"),
        (("--zone", "+3600"), "a zone is like +01:00"),
        (("--offset", "UTC"), "an offset like +3600"),
        (("--offset", "*.csv="), "an offset like +3600"),
    ],
)
def test_a_clock_that_is_none_is_refused(
    more: tuple[str, str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = compared(capsys, runs(tmp_path), *more)

    assert answer.code == 64
    assert said in answer.err


def test_a_log_beside_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = runs(tmp_path)
    lone = base / "logs" / "power.csv"
    lone.parent.mkdir()
    lone.write_text(smi(WATTS))
    answer = compared(capsys, (base, cand), "--offset", "-3600")
    named = compared(capsys, (base / "r0", cand / "r0"), "--offset", "-3600", "--log", f"elsewhere={lone}")

    assert (answer.code, named.code) == (64, 64)
    assert "there is no result in its folder or below" in answer.err
    assert "no result fits elsewhere" in named.err


def test_only_a_log_can_be_named_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arms = runs(tmp_path)
    answer = compared(capsys, arms, "--log", arms[0] / "r0" / "result.json")

    assert answer.code == 64
    assert "which is no log of power or of a server" in answer.err
