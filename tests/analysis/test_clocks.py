"""What somebody states of a clock: zones and offsets, and nothing that could be either."""

from fractions import Fraction

import pytest

from analysis.clocks import clock_of_rows, in_seconds, stated_clock
from analysis.errors import Refused
from tests.analysis.joined import node, smi, spl, telemetry
from tests.evidence import make


@pytest.mark.parametrize(
    ("text", "kind", "seconds", "said"),
    [
        ("UTC", "zone", 0, "zone UTC+00:00"),
        ("Z", "zone", 0, "zone UTC+00:00"),
        ("+01:00", "zone", 3600, "zone UTC+01:00"),
        (" UTC-05:30 ", "zone", -19800, "zone UTC-05:30"),
        ("UTC+2", None, 0, ""),
        ("UTC+02", "zone", 7200, "zone UTC+02:00"),
        ("UTC+0530", "zone", 19800, "zone UTC+05:30"),
        ("+3600", "offset", 3600, "offset of +3600 s"),
        ("+0100", "offset", 100, "offset of +100 s"),
        ("18001 s", "offset", 18001, "offset of +18001 s"),
        ("-0.25s", "offset", Fraction(-1, 4), "offset of -0.25 s"),
        ("0", "offset", 0, "offset of +0 s"),
        ("UTC+15:00", None, 0, ""),
        ("+01:75", None, 0, ""),
        ("Europe/Berlin", None, 0, ""),
        ("+1e3", None, 0, ""),
        ("0.1234567891", None, 0, ""),
    ],
)
def test_a_clock_is_a_zone_or_an_offset(text: str, kind: str | None, seconds: Fraction, said: str) -> None:
    if kind is None:
        with pytest.raises(Refused, match="says nothing of a clock") as refused:
            stated_clock(text)
        assert (refused.value.code, "UTC+01:00" in refused.value.needs) == ("bad_clock", True)
        return
    found = stated_clock(text)
    assert found is not None
    assert (found.kind, found.seconds, found.said) == (kind, seconds, said)


def test_nothing_said_is_no_clock() -> None:
    assert stated_clock("  ") is None


def test_seconds_are_written_to_the_nanosecond_and_no_further() -> None:
    assert [in_seconds(Fraction(n)) for n in ("0", "-1.5", "652.603", "1/3")] == ["0", "-1.5", "652.603", "0.333333333"]


@pytest.mark.parametrize(
    ("content", "clock"),
    [
        (smi([1, 2]), "local"),
        (spl([1, 2]), "meter"),
        (node([1, 2]), "epoch"),
        (telemetry([1, 2]), "epoch"),
        ("timestamp,gpu,power_usage\n1767268800,0,100 W\n1767268801,0,100 W\n", "epoch"),
        ("timestamp,gpu,power_usage\n2026-01-01 12:00:00,0,100 W\n2026-01-01 12:00:01,0,100 W\n", "local"),
    ],
    ids=["nvidia-smi", "ptdaemon", "training", "aiperf", "amd-smi seconds", "amd-smi local"],
)
def test_the_clock_of_a_log_follows_from_its_format(content: str, clock: str) -> None:
    assert clock_of_rows(make.read(content)) == clock
