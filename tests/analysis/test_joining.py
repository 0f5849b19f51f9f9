"""Logs of power joined to runs: by clock, by rule, by what somebody states, and never otherwise."""

import json

import pytest

from analysis import restored
from analysis.assess import LabelledRun, to_json
from analysis.inputs import ARMS
from analysis.metering import Metering
from tests.analysis.joined import (
    EPOCH_OF_NOON,
    log,
    node,
    of_loadgen,
    of_ours,
    of_vllm,
    smi,
    spl,
    telemetry,
    told,
)
from tests.analysis.metered import COUNTER, RANGE, SAMPLES, assessed
from tests.analysis.props import codes
from tests.analysis.run_energies import ends, of, why

WATTS = [100, 100, 200, 300, 400, 300, 200, 100]
"""From 12:00:00 on; from :02 to :06 the trapezoid is 1200 J, and the mean of five samples 280 W."""


def test_loadgen_and_ptdaemon_share_a_clock_and_the_energy_is_mean_times_window() -> None:
    found = of(of_loadgen(log(spl(WATTS), "spl.txt")), metric="energy_per_sample")

    assert (found.joules, found.samples, found.window_s) == (280 * 4, 5, 4)
    assert found.value == pytest.approx(280 / 50)
    assert told(found).logs[0].how == "by the clock of PTDaemon, by which LoadGen notes power_begin and power_end"
    assert told(found).logs[0].offset_s == "0"
    assert "mean_times_window" in codes(found.notices)


def test_ranging_and_unmarked_samples_are_not_of_the_work() -> None:
    marked = spl([9000] * 3, first=0, kind="ranging") + spl(WATTS[1:], first=1)

    assert of(of_loadgen(log(marked, "spl.txt")), metric="energy").problem is None
    assert of(of_loadgen(log(marked, "spl.txt")), metric="energy").joules == 280 * 4


def test_of_logs_that_hold_only_ranging_there_is_no_energy_of_the_work() -> None:
    assert why(of(of_loadgen(log(spl(WATTS, kind="ranging"), "spl.txt")), metric="energy")) == "not_measured"


def test_a_log_in_epoch_time_is_integrated_over_the_window_of_a_run_in_epoch_time() -> None:
    found = of(of_ours(log(telemetry(WATTS), "gpu.jsonl")), metric="energy_per_output_token")

    assert (found.joules, found.value, found.samples) == (1200, 12, 5)
    assert told(found).logs[0].how == "by epoch clock"
    assert told(found).window == "from the start to the end of the run"
    assert (told(found).start_s, told(found).end_s) == (f"{EPOCH_OF_NOON + 2}", f"{EPOCH_OF_NOON + 6}")


def test_bounds_hold_of_a_joined_log_as_of_the_runs_own_rows() -> None:
    found = of(of_ours(log(telemetry(WATTS), "gpu.jsonl")), RANGE, "energy")

    assert ends(found)[0] < 1200 < ends(found)[1]


def test_a_wall_clock_is_joined_by_its_stated_zone() -> None:
    found = of(of_ours(log(smi(WATTS, first="13:00:00"), clock="UTC+01:00")), metric="energy")

    assert found.joules == 1200
    assert told(found).logs[0].how == "by epoch clock, with the stated zone UTC+01:00"
    assert told(found).logs[0].offset_s == "-3600"


def test_a_wall_clock_is_joined_by_a_stated_offset_to_the_clock_of_the_run() -> None:
    found = of(of_ours(log(smi(WATTS, first="11:00:00"), clock="+3600")), metric="energy")

    assert found.joules == 1200
    assert told(found).logs[0].how == "with a stated offset of +3600 s to the clock of the run"


def test_two_wall_clocks_need_both_zones_or_the_offset_between_them() -> None:
    both = of(of_vllm(log(smi(WATTS, first="14:00:00"), clock="+02:00"), clock="Z"), metric="energy")
    offset = of(of_vllm(log(smi(WATTS), clock="0")), metric="energy")

    assert (both.joules, offset.joules) == (1200, 1200)
    assert told(both).logs[0].how == "by epoch clock, with the stated zone UTC+02:00 and zone UTC+00:00"
    assert told(both).window.endswith("for its duration")


def test_an_epoch_log_beside_a_wall_clock_run_needs_the_zone_of_the_run() -> None:
    assert of(of_vllm(log(telemetry(WATTS)), clock="UTC"), metric="energy").joules == 1200
    assert why(of(of_vllm(log(telemetry(WATTS))), metric="energy")) == "clock_not_stated"


@pytest.mark.parametrize(
    ("run", "named"),
    [
        (of_ours(log(smi(WATTS))), "power.csv"),
        (of_vllm(log(smi(WATTS))), "b1"),
        (of_vllm(log(smi(WATTS), clock="Z")), "b1"),
        (of_vllm(log(smi(WATTS)), clock="Z"), "power.csv"),
        (of_ours(log(spl(WATTS), "spl.txt")), "spl.txt"),
        (of_loadgen(log(smi(WATTS), clock="Z")), "b1"),
    ],
    ids=["local log", "both local", "log stated", "run stated", "meter and epoch", "meter and stated"],
)
def test_what_is_not_stated_is_not_inferred_though_the_times_would_fit(run: LabelledRun, named: str) -> None:
    found = of(run, metric="energy")

    assert why(found) == "clock_not_stated"
    assert found.problem is not None
    assert f"of {named} (UTC+01:00)" in found.problem.needs
    assert "--zone" in found.problem.needs


@pytest.mark.parametrize(
    "run",
    [
        of_ours(log(telemetry(WATTS), clock="UTC+01:00")),
        of_ours(log(telemetry(WATTS)), clock="UTC+01:00"),
        of_vllm(log(smi(WATTS), clock="0"), clock="+5"),
        of_ours(log(smi(WATTS), clock="noon")),
    ],
    ids=["zone of instants", "zone of an epoch run", "offset of a run", "no clock"],
)
def test_a_clock_that_cannot_be_is_refused(run: LabelledRun) -> None:
    assert why(of(run, metric="energy")) == "bad_clock"


def test_gpus_are_added_and_each_is_shown() -> None:
    found = of(of_ours(log(smi(WATTS, gpus=2), clock="UTC")), metric="energy")

    assert found.joules == 1200 + 1600
    assert [(one.device, one.joules, one.samples, one.mean_watts) for one in found.devices] == [
        ("gpu0", 1200, 5, 280), ("gpu1", 1600, 5, 380),
    ]  # fmt: skip


def test_a_whole_log_is_cut_to_the_window_with_samples_on_both_sides() -> None:
    long = [50] * 60 + WATTS + [50] * 60
    found = of(of_ours(log(smi(long, first="11:59:00"), clock="UTC")), metric="energy")

    assert (found.joules, found.samples) == (1200, 5)


def test_gaps_are_counted_and_the_longest_is_shown() -> None:
    held = smi([100] * 40).splitlines(keepends=True)
    run = of_ours(log("".join(held[:9] + held[13:20] + held[23:]), clock="UTC"), ended_at="2026-01-01T12:00:36Z")
    found = of(run, RANGE, metric="energy")

    assert [(one.gaps, one.longest_gap_s) for one in found.devices] == [(2, 5)]
    assert why(found) == "power_gaps"
    assert found.gap_share == pytest.approx(9 / 34)


def test_a_window_that_samples_do_not_cover_is_refused_with_the_seconds() -> None:
    late, early = (of(of_ours(log(smi(WATTS[:7], first=first), clock="UTC")), metric="energy") for first in
                   ("12:00:03", "11:59:58"))  # fmt: skip

    for found, seconds in ((late, "begin 1 s after"), (early, "end 2 s before")):
        assert why(found) == "window_not_covered"
        assert found.problem is not None
        assert seconds in found.problem.message
        assert "of its 4 s are not covered" in found.problem.message


def test_nodes_and_switches_of_mlperf_are_added() -> None:
    found = of(of_ours(log(node(WATTS), "node_0.txt"), log(node(WATTS), "sw_0.txt")), metric="energy")

    assert found.joules == 2400
    assert [one.device for one in found.devices] == ["node_0.txt", "sw_0.txt"]
    assert [one.name for one in told(found).logs] == ["node_0.txt", "sw_0.txt"]


def test_the_clock_of_a_node_that_is_hours_off_is_flagged_and_never_set_right() -> None:
    off = node(WATTS, first=EPOCH_OF_NOON + 18001)
    found = of(of_ours(log(off, "node_0.txt"), log(node(WATTS), "sw_0.txt")), metric="energy")
    stated = of(of_ours(log(off, "node_0.txt", clock="-18001"), log(node(WATTS), "sw_0.txt")), metric="energy")

    assert why(found) == "clocks_apart"
    assert found.problem is not None
    assert "They begin 18001 s from those of sw_0.txt" in found.problem.message
    assert stated.joules == 2400


def test_the_same_gpu_of_two_logs_is_not_counted_twice() -> None:
    run = of_ours(log(smi(WATTS), "a.csv", clock="UTC"), log(smi(WATTS), "b.csv", clock="UTC"))

    assert why(of(run, metric="energy")) == "same_device_twice"


def test_gpus_of_two_logs_with_ids_of_their_own_are_added() -> None:
    other = smi(WATTS, index=False).replace("GPU-0", "GPU-9")
    run = of_ours(log(smi(WATTS, index=False), "a.csv", clock="UTC"), log(other, "b.csv", clock="UTC"))

    assert of(run, metric="energy").joules == 2400


def test_a_whole_is_never_added_to_its_parts() -> None:
    run = of_ours(log(telemetry(WATTS), "whole.jsonl"), log(smi(WATTS), "parts.csv", clock="UTC"))

    assert why(of(run, metric="energy")) == "same_device_twice"


def test_a_log_beside_a_file_with_power_of_its_own_is_refused() -> None:
    power = {"metric": "power", "unit": "W", "values": [1, 2], "at": ["2026-01-01T12:00:02Z", "2026-01-01T12:00:06Z"]}
    run = of_ours(log(telemetry(WATTS)), measurements=[power])

    assert why(of(run, metric="energy")) == "two_power_sources"


def test_samples_without_a_time_join_nothing() -> None:
    dcgmi = "#Entity  POWER\nID         W\nGPU 0  100\nGPU 0  100\n"

    assert why(of(of_ours(log(dcgmi)), metric="energy")) == "untimed_samples"


def test_one_part_of_a_log_can_be_chosen() -> None:
    twice = smi(WATTS) + smi([999] * 8).partition("\n")[2]

    assert of(of_ours(log(twice, run="0", clock="UTC")), metric="energy").joules == 1200
    assert of(of_ours(log(twice, run="1", clock="UTC")), metric="energy").joules == 999 * 4
    assert why(of(of_ours(log(twice, clock="UTC")), metric="energy")) in ("not_increasing", "duplicate_timestamp")


def test_a_counter_beside_a_run_counts_in_the_unit_that_its_log_states() -> None:
    counted = [0, 100, 200, 400, 700, 1100, 1400, 1600]
    found = of(of_ours(log(telemetry(WATTS, counted=counted))), COUNTER, "energy")

    assert found.joules == pytest.approx(1200)
    assert found.other_joules == 1200


def test_a_counter_that_falls_is_refused() -> None:
    counted = [500, 600, 700, 0, 700, 1100, 1400, 1600]
    found = of(of_ours(log(telemetry(WATTS, counted=counted))), Metering("counter"), "energy")

    assert why(found) == "counter_reset"


def test_a_log_beside_a_run_asks_for_a_metering_like_power_of_its_own() -> None:
    assert why(of(of_ours(log(telemetry(WATTS))), None, "energy")) == "metering_not_declared"


def test_records_of_a_session_hold_no_samples_and_change_nothing() -> None:
    client = '{"modules": {"ptd_client_server.lib.client": "1"}, "messages": [], "uuid": {"client": "a"}}'

    assert of(of_ours(log(client, "client.json"), log(telemetry(WATTS))), metric="energy").joules == 1200


def test_a_comparison_of_joined_runs_has_its_interval_and_tells_how_they_were_joined() -> None:
    runs = [
        of_ours(log(telemetry([scale * watt + n for watt in WATTS]), f"{arm}{n}.jsonl"), arm=arm, number=n)
        for arm, scale in zip(ARMS, (1.0, 0.9), strict=True)
        for n in range(3)
    ]
    result = assessed(runs, SAMPLES, metric="energy_per_output_token")

    assert result.interval is not None
    assert result.interval.lo < 0.9 < result.interval.hi
    assert result.energy is not None
    assert all(run.joined is not None and run.devices for run in result.energy.runs)

    frozen = json.loads(json.dumps(to_json(result)))
    again = restored.from_json(frozen)
    for run in frozen["energy"]["runs"]:
        for name in ("joined", "devices", "other_joules"):
            del run[name]
    before = restored.from_json(frozen)

    assert again.energy is not None
    assert before.energy is not None
    assert again.energy.runs[0].joined == result.energy.runs[0].joined
    assert [(run.joined, run.devices, run.other_joules) for run in before.energy.runs] == [(None, (), None)] * 6
