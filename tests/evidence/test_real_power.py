"""A real log of a power analyser, written in our own format: its channels add up to the whole."""

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from analysis.metering import Metering
from analysis.run_energy import RunEnergy, of_request
from tests.analysis.metered import a_metered, asked

LOG = "mlperf-power/v4.1_NVIDIA_MaxQ/resnet50_Offline/spl.txt"
RANGE = Metering("samples", between="range", floor=Fraction(100), cap=Fraction(8000), relative=Fraction("0.01"))


def at(cells: list[str]) -> str:
    """The time of a line, as an instant."""
    return datetime.strptime(cells[1], "%m-%d-%Y %H:%M:%S.%f").replace(tzinfo=UTC).isoformat()


def read(folder: Path) -> list[list[str]]:
    lines = [line.split(",") for line in (folder / LOG).read_text().splitlines()]
    return [cells for cells in lines if len(cells) > 11 and cells[11].endswith("_testing")]


def column(lines: list[list[str]], place: int, stage: str = "") -> dict[str, object]:
    return {
        "metric": "power", "unit": "W", "stage": stage, "values": [float(cells[place]) for cells in lines],
        "at": [at(cells) for cells in lines],
    }  # fmt: skip


def energy(lines: list[list[str]], *columns: dict[str, object], metering: Metering = RANGE) -> RunEnergy:
    window = {"window_start": at(lines[0]), "window_end": at(lines[-1])}
    run = a_metered("baseline", 1, *columns, **window)
    return of_request(asked([run], metering, metric="energy"))[run.label]


def test_channels_of_a_real_log_add_up_to_the_whole(real_evidence: Path) -> None:
    lines = read(real_evidence)
    channels = [column(lines, lines[0].index(name) + 2, name.lower()) for name in ("Ch1", "Ch2", "Ch3")]
    whole, parts = energy(lines, column(lines, 3), *channels), energy(lines, *channels)

    assert whole.joules is not None
    assert parts.joules is not None
    seconds = np.array([datetime.fromisoformat(at(cells)).timestamp() for cells in lines])
    assert whole.joules == pytest.approx(np.trapezoid([float(cells[3]) for cells in lines], seconds), rel=1e-9)
    assert parts.joules == pytest.approx(whole.joules, rel=1e-4)
    assert parts.bounds is not None
    assert whole.bounds is not None
    assert parts.bounds.hi == 3 * whole.bounds.hi  # the declared cap is that of one channel
    assert (whole.gap_share, whole.samples) == (0, len(lines))


def test_a_sensor_that_averages_over_a_second_is_slow_enough_for_it(real_evidence: Path) -> None:
    lines = read(real_evidence)
    averaging = Metering("samples", sensor_average=Fraction(1))

    assert energy(lines, column(lines, 3), metering=averaging).problem is None
    short = energy(lines[:20], column(lines[:20], 3), metering=averaging)
    assert short.problem is not None
    assert short.problem.code == "run_too_short_for_sensor"
