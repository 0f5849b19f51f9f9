"""Monitors of power and devices, scrapes and energies: what the golden cases do not show."""

import pytest

from analysis import clocks
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import nvidia_smi_fields, telemetry
from analysis.reading import Reading
from tests.evidence import make

DMON = "# gpu pwr sm\n# Idx W %\n"
DATED = "#Date Time gpu pwr\n#YYYYMMDD HH:MM:SS Idx W\n"
DCGMI = "#Entity POWER TOTEC\nID\n"
GAUGE = "# TYPE a_watts gauge\n"
AMD = "timestamp,gpu,power_usage\n"
ZEUS = "start_time,window_name,elapsed_time,gpu0_energy\n"
WINDOW = '{"configurations": [{"energy_per_token_joules": %s}]}'


def smi(*rows: str, header: str = "timestamp, index, power.draw [W]") -> str:
    return "\n".join([header, *rows]) + "\n"


def refused(content: str, form: str | None = None) -> tuple[str, str]:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content, form, "x.txt")
    return refusal.value.code, refusal.value.where


def watts(reading: Reading) -> list[tuple[str, float | None]]:
    return [(m.stage, m.value) for m in reading.measurements if m.metric == "power"]


@pytest.mark.parametrize(
    "time",
    ["soon", "2026/13/05 10:00:00", "2026-01-05", "10:00:00", "9999/01/05 10:00:00", "1950/01/05 10:00:00", ""],
)
def test_a_local_time_that_is_none_is_named_by_its_cell(time: str) -> None:
    assert refused(smi(f"{time}, 0, 33 W")) == ("not_a_time", "x.txt:2.timestamp")


@pytest.mark.parametrize("cell", ["-5 W", "fast", "33 kW", "1e999 W", "NaN"])
def test_a_power_that_cannot_be_is_named_by_its_cell(cell: str) -> None:
    assert refused(smi(f"2026/01/05 10:00:00, 0, {cell}"))[1] == "x.txt:2.power.draw [W]"


@pytest.mark.parametrize("cell", ["[N/A]", "[Not Supported]", "N/A", "-", "", "0.00 W", "[Unknown Error]"])
def test_a_power_that_was_not_measured_is_no_number(cell: str) -> None:
    assert watts(make.read(smi(f"2026/01/05 10:00:00, 0, {cell}"))) == [("gpu0", None)]


def test_times_with_a_fraction_are_exact() -> None:
    reading = make.read(smi("2026/01/05 10:00:00.123456789, 0, 33 W"))

    assert [m.started_ns for m in reading.measurements] == [1767607200123456789]


def test_rows_of_one_moment_that_do_not_say_their_gpu_are_refused() -> None:
    row = "2026/01/05 10:00:00, H100, 33 W"

    assert refused(smi(row, row, header="timestamp, name, power.draw [W]")) == ("missing", "x.txt:3")


def test_a_header_that_stands_again_is_passed_over() -> None:
    header, row = "timestamp, index, power.draw [W]", "2026/01/05 10:00:0{}, 0, 33 W"
    reading = make.read(smi(row.format(0), header, row.format(1), header=header))

    assert watts(reading) == [("gpu0", 33.0), ("gpu0", 33.0)]
    assert nvidia_smi_fields.AGAIN in reading.leniences


def test_a_log_without_its_header_cannot_be_read() -> None:
    rows = "2026/01/05 10:00:00, 0, 33 W\n"

    with pytest.raises(UnknownFormat):
        make.read(rows, name="x.csv")
    assert refused(rows, "nvidia-smi") == ("no_header", "x.txt")


def test_a_query_of_nothing_that_is_read_is_refused() -> None:
    assert refused(smi("2026/01/05 10:00:00, H100, 33 %", header="timestamp, name, fan.speed [%]")) == (
        "no_runs",
        "x.txt",
    )


def test_a_device_without_an_index_is_known_by_its_bus() -> None:
    reading = make.read(smi("N/A, 0000:01, 33 W", header="index, pci.bus_id, power.draw [W]"))

    assert watts(reading) == [("0000:01", 33.0)]


def test_a_device_that_no_column_names_in_a_row_is_the_first() -> None:
    reading = make.read(smi("N/A, 33 W", header="index, power.draw [W]"))

    assert watts(reading) == [("gpu0", 33.0)]
    assert nvidia_smi_fields.ONE_GPU not in reading.notices


def test_a_log_without_power_says_nothing_of_its_accuracy() -> None:
    reading = make.read(smi("0, 33 %", header="index, utilization.gpu [%]"))

    assert nvidia_smi_fields.AVERAGED not in reading.notices


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        (DMON, "no_runs", ""),
        (DMON + "0 33\n", "ragged_row", ":3"),
        (DMON + "x 33 5\n", "not_a_number", ":3.gpu"),
        (DMON + "0 33 fast\n", "not_a_number", ":3.sm"),
        ("# gpu pwr sm\n# Idx W\n", "ragged_row", ":2"),
        ("# gpu pwr\n# Idx mW\n0 5\n", "unit_mismatch", ":2"),
        (DATED + "2026 10:00:00 0 33\n", "not_a_time", ":3.Date"),
        (DCGMI, "no_runs", ""),
        (DCGMI + "GPU 0 33\n", "ragged_row", ":3"),
        (DCGMI + "GPU 0 fast 5\n", "not_a_number", ":3.POWER"),
        (DCGMI + "GPU 0 33 5.5\n", "not_a_count", ":3.TOTEC"),
        (DCGMI + "GPU 99999999999999999999 33 5\n", "not_a_count", ":3"),
    ],
)
def test_a_row_of_a_monitor_that_cannot_be_is_named(content: str, code: str, place: str) -> None:
    assert refused(content) == (code, f"x.txt{place}")


@pytest.mark.parametrize("form", ["nvidia-smi-dmon", "dcgmi-dmon"])
def test_a_monitor_without_its_header_is_refused(form: str) -> None:
    assert refused("0 33 5\n", form) == ("no_header", "x.txt")


def test_a_time_of_day_alone_is_no_time() -> None:
    reading = make.read("#Time gpu pwr\n#HH:MM:SS Idx W\n10:00:00 0 33\n", name="x.txt")

    assert [m.started_ns for m in reading.measurements] == [None]
    assert telemetry.UNTIMED in reading.notices


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("a_watts", "malformed_exposition"),
        ('a_watts{gpu="0" 5', "malformed_exposition"),
        ("a_watts{gpu} 5", "malformed_exposition"),
        ('a_watts{gpu="0"} fast', "not_a_number"),
        ("a_watts -5", "negative"),
        ("a_watts 5 99999999999999999999", "not_a_time"),
        ("a_watts 5 -1", "not_a_time"),
        ("vllm:prompt_tokens_total 5.5", "not_a_count"),
    ],
)
def test_a_line_of_a_scrape_that_cannot_be_is_named(line: str, code: str) -> None:
    assert refused(f"{GAUGE}{line}\n") == (code, "x.txt:2")


def test_a_scrape_without_a_number_is_refused() -> None:
    assert refused(GAUGE) == ("no_runs", "x.txt")
    assert refused(f'{GAUGE}a_info{{b="c"}} 1\n') == ("no_runs", "x.txt")


def test_counters_of_several_gpus_state_once_what_a_count_is() -> None:
    series = "".join(f'DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{{gpu="{gpu}"}} 5\n' for gpu in "01")
    reading = make.read("# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter\n" + series)

    assert [(s.name, s.value) for s in reading.settings] == [("counter_unit", "1 mJ")]
    assert [(m.stage, m.kind) for m in reading.measurements] == [("gpu0", "raw"), ("gpu1", "raw")]


def test_a_count_without_its_sum_is_not_read() -> None:
    reading = make.read(f"{GAUGE}a_watts 5\n# TYPE b histogram\nb_count 5\n")

    assert reading.notices[-1] == "Not read: b_count."


@pytest.mark.parametrize(
    ("rows", "code", "place"),
    [
        ("1767627413,all,312 W\n", "not_a_count", "2.gpu"),
        ("soon,0,312 W\n", "not_a_time", "2.timestamp"),
        ("1767627413,0,-5 W\n", "negative", "2.power_usage"),
    ],
)
def test_a_row_of_amd_smi_that_cannot_be_is_named(rows: str, code: str, place: str) -> None:
    assert refused(AMD + rows) == (code, f"x.txt:{place}")


def test_times_of_amd_smi_may_be_local_or_missing() -> None:
    local = make.read(AMD + "2026-01-05 10:00:00,0,312 W\n")
    missing = make.read(AMD + "N/A,0,312 W\n")

    assert [m.started_ns for m in local.measurements] == [1767607200 * 10**9]
    assert clocks.LOCAL in local.notices
    assert [m.started_ns for m in missing.measurements] == [None]
    assert telemetry.UNTIMED in missing.notices


def test_a_report_without_a_number_is_refused() -> None:
    assert refused("GPU[0]\t: Fan speed: 5\n") == ("no_runs", "x.txt")


def test_a_second_name_of_a_power_does_not_replace_the_first() -> None:
    lines = "GPU[0] : Average Graphics Package Power (W): 12.5\nGPU[0] : Socket Power (W): 99\n"

    assert watts(make.read(lines, name="x.txt")) == [("gpu0", 12.5)]


@pytest.mark.parametrize(
    ("row", "code", "place"),
    [
        ("1.5,train,0,100", "not_positive", "2.elapsed_time"),
        ("1.5,train,2.5,-1", "negative", "2.gpu0_energy"),
        ("soon,train,2.5,100", "not_a_number", "2.start_time"),
        ("1.5,train,2.5,nan", "not_a_number", "2.gpu0_energy"),
    ],
)
def test_a_window_that_cannot_be_is_named(row: str, code: str, place: str) -> None:
    assert refused(f"{ZEUS}{row}\n") == (code, f"x.txt:{place}")


def test_a_window_without_the_energy_of_a_gpu_is_none() -> None:
    table = "start_time,window_name,elapsed_time\n1.5,train,2.5\n"

    with pytest.raises(UnknownFormat):
        make.read(table)
    assert refused(table, "zeus-csv") == ("no_header", "x.txt")


@pytest.mark.parametrize(
    ("value", "code"), [("-1", "negative"), ('"1"', "not_a_number"), ("Infinity", "not_finite"), ("[]", "not_a_number")]
)
def test_an_energy_of_the_leaderboard_that_cannot_be_is_named(value: str, code: str) -> None:
    assert refused(WINDOW % value) == (code, "x.txt:configurations[0].energy_per_token_joules")


def test_results_of_the_leaderboard_stand_alone() -> None:
    assert refused("{}\n{}", "ml-energy") == ("several_files", "x.txt")
    assert refused('{"configurations": []}', "ml-energy") == ("no_runs", "x.txt:configurations")


def test_a_record_of_superbench_needs_its_time() -> None:
    good = '{"time": "2026-01-05 04:19:35", "gpu_usage:0": 56}\n'

    assert refused(good + '{"gpu_usage:0": 56}') == ("missing", "x.txt:[1].time")
    assert refused(good + '{"time": "now", "gpu_usage:0": 56}') == ("not_a_time", "x.txt:[1].time")
    assert make.read(good).notices == (clocks.LOCAL,)
