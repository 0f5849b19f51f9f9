import pytest

from analysis.errors import Refused
from analysis.instants import Moment, moment_of

TOO_LATE = str(2**63)


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("12.5", Moment("seconds", 12_500_000_000)),
        ("-0.000000001", Moment("seconds", -1)),
        ("1e3", Moment("seconds", 10**12)),
        ("1970-01-01T00:00:01Z", Moment("instants", 10**9)),
        ("2026-01-01T00:00:00.123456789Z", Moment("instants", 1_767_225_600_123_456_789)),
        ("2026-01-01 01:30:00+01:30", Moment("instants", 1_767_225_600_000_000_000)),
        ("1969-12-31t23:59:59.5z", Moment("instants", -500_000_000)),
        ("2026-01-01T00:00:00.1000000000000Z", Moment("instants", 1_767_225_600_100_000_000)),
    ],
)
def test_a_time_is_taken_exactly(written: str, moment: Moment) -> None:
    assert moment_of(written) == moment


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("soon", "not_a_time"),
        ("2026-01-01T00:00:00", "not_a_time"),
        ("2026-13-01T00:00:00Z", "not_a_time"),
        ("2026-01-01", "not_a_time"),
        (TOO_LATE, "not_a_time"),
        ("0.0000000001", "too_fine"),
        ("2026-01-01T00:00:00.1234567891Z", "too_fine"),
        ("1e999", "not_finite"),
    ],
)
def test_what_is_no_time_is_refused(written: str, code: str) -> None:
    with pytest.raises(Refused) as refusal:
        moment_of(written)

    assert refusal.value.code == code
