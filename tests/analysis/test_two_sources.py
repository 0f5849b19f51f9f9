"""A counter and samples of power of one run: both numbers are shown, and neither is chosen by what it says."""

import pytest

from analysis.metering import Metering
from tests.analysis.joined import beside, log, of_ours, telemetry
from tests.analysis.props import codes
from tests.analysis.run_energies import of, why
from tests.evidence import make

WATTS = [130.0] * 8
COUNTER, SAMPLES = Metering("counter"), Metering("samples")


def of_aiperf(energy: object = 26115.0, power: object = 129.9) -> str:
    """A result of AIPerf of 255.56 s, whose counter rose by 26 115 J while power was 129.9 W."""
    whole = {
        "schema_version": "1.0", "request_count": {"unit": "requests", "avg": 64.0},
        "request_latency": {"unit": "ms", "avg": 3990.0, "p99": 4000.0, "min": 3900.0, "max": 4001.0},
        "total_osl": {"unit": "tokens", "avg": 12800.0}, "benchmark_duration": {"unit": "sec", "avg": 255.56},
        "min_request_timestamp": {"unit": "ns", "avg": 1767268800000000000.0},
        "max_response_timestamp": {"unit": "ns", "avg": 1767269055560000000.0},
        "telemetry_data": {"endpoints": {"h:9400": {"gpus": {"gpu_0": {"gpu_uuid": "GPU-a", "metrics": {
            "gpu_power_usage": {"unit": "W", "avg": power},
            "energy_consumption": {"unit": "MJ", "min": 32.0, "max": 32.0 + float(str(energy)) / 1e6, "avg": 1.0},
        }}}}}},
        "input_config": {"loadgen": {"concurrency": 1}},
    }  # fmt: skip
    return make.document(whole).content.decode()


@pytest.mark.parametrize(("metering", "joules"), [(COUNTER, 26115), (SAMPLES, 33197.2)])
def test_what_aiperf_reports_is_taken_as_the_plan_names_it_and_the_other_is_shown(
    metering: Metering, joules: float
) -> None:
    found = of(beside(make.read(of_aiperf())), metering, "energy_per_output_token")

    assert found.joules == pytest.approx(joules, rel=1e-5)
    assert {round(found.joules or 0), round(found.other_joules or 0)} == {26115, 33197}
    assert found.value == pytest.approx(joules / 12800, rel=1e-5)
    assert codes(found.notices) >= {"two_sources_disagree", "energy_as_reported"}
    assert found.bounds is None


def test_sources_that_agree_are_shown_without_a_word() -> None:
    found = of(of_ours(log(telemetry(WATTS, counted=[130 * i for i in range(8)]))), SAMPLES, "energy")

    assert (found.joules, round(found.other_joules or 0)) == (520, 520)
    assert "two_sources_disagree" not in codes(found.notices)


def test_one_source_alone_has_no_other() -> None:
    assert of(of_ours(log(telemetry(WATTS))), SAMPLES, "energy").other_joules is None


def test_a_run_without_energy_of_its_own_and_without_a_log_is_not_measured() -> None:
    assert why(of(of_ours(), COUNTER, "energy")) == "not_measured"
    assert why(of(of_ours(), SAMPLES, "energy")) == "not_measured"
