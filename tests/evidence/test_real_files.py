import csv
from fractions import Fraction
from pathlib import Path

import pytest

from analysis.assess import LabelledRun
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.served import served
from analysis.service_level import ServiceLevel
from tests.evidence import real
from tests.evidence.real import Expected


@pytest.mark.parametrize("expected", real.EXPECTED, ids=lambda e: e.path)
def test_a_real_file_is_read_right(real_evidence: Path, expected: Expected) -> None:
    reading = real.read(real_evidence, expected.path)

    found = (reading.format, len(reading.runs), len(reading.measurements))
    assert found == (expected.format, expected.runs, expected.measurements)
    assert [spot for spot, written in expected.spots if not real.holds(reading, spot, written)] == []


@pytest.mark.parametrize(("path", "refusal"), real.REFUSED.items())
def test_a_real_file_that_holds_nothing_is_refused_by_its_place(
    real_evidence: Path, path: str, refusal: tuple[str, str]
) -> None:
    code, place = refusal

    found = ("", "")
    try:
        real.read(real_evidence, path)
    except (MalformedEvidence, UnknownFormat) as refused:
        found = refused.code, refused.where

    assert found == (code, f"{path}:{place}" if place else path)


def test_every_real_file_of_the_index_is_expected_to_be_read_or_refused(real_evidence: Path) -> None:
    with (real_evidence / "INDEX.tsv").open(encoding="utf-8", newline="") as table:
        listed = [row["path"] for row in csv.DictReader(table, delimiter="\t")]

    assert sorted(listed) == sorted(row[0] for row in real.ROWS)
    assert len(listed) > 300


def test_a_physics_file_with_the_name_of_a_benchmark_is_unknown(real_evidence: Path) -> None:
    with pytest.raises(UnknownFormat) as refusal:
        real.read(real_evidence, "hyperfine/NOT_hyperfine_physics.json")

    assert refusal.value.code == "unknown_format"


def test_the_goodput_of_real_requests_is_a_count_of_their_rows(real_evidence: Path) -> None:
    path = "lmbench-request-csv/exp-0/vllm-70b/qps_1.csv"
    reading = real.read(real_evidence, path)
    run = LabelledRun(reading.runs[0], reading, "a", "r", "baseline", "", "", placement_verified=False, excluded="")
    with (real_evidence / path).open(encoding="utf-8", newline="") as file:
        times = [float(row["ttft"]) for row in csv.DictReader(file)]

    rows = {"ttft": reading.measurements.only(metric="ttft")}

    found = served(run, rows, ServiceLevel({"ttft": Fraction(2)}, Fraction(1)))

    assert (found.kept, found.offered) == (sum(time <= 2 for time in times), len(times))
    assert 0 < found.kept < found.offered
