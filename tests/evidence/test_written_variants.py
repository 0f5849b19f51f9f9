"""Variants of formats as their writers print them: what the golden cases do not show."""

import json
import struct
from typing import Any

import pytest

from analysis.errors import MalformedEvidence, UnknownFormat
from tests.evidence import make, tfevents, xplane

REQUEST = {"start_time": 100.0, "end_time": 102.0, "request": "", "response": "", "info": None, "error": None}
NCCL: dict[str, Any] = json.loads(make.text("nccl-tests/sizes.json"))
LOG = 'DLLL {"type": "LOG", "step": [0, 1], "data": {"loss": 1.5}}\n'


def refused(content: object, form: str | None = None) -> tuple[str, str]:
    try:
        make.read(content, form, "x")
    except (MalformedEvidence, UnknownFormat) as refusal:
        return refusal.code, refusal.where
    return "", ""


def nccl(row: dict[str, object]) -> dict[str, object]:
    """The JSON of nccl-tests with one size."""
    return NCCL | {"results": [NCCL["results"][0] | row]}


def events(*found: object) -> bytes:
    return tfevents.events(json.dumps(["brain.Event:2", *found]))


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        ({"end_time": 100.0}, "not_positive", "x:[1].end_time"),
        ({"end_time": "later"}, "not_a_number", "x:[1].end_time"),
        ({"start_time": -1}, "negative", "x:[1].start_time"),
        ({"info": {"input_tokens": -1}}, "negative", "x:[1].info.input_tokens"),
        ({"info": {"output_token_times": ["soon"]}}, "not_a_number", "x:[1].info.output_token_times[0]"),
        ({"info": 3}, "not_an_object", "x:[1].info"),
        ({"error": "late"}, "not_an_object", "x:[1].error"),
        ({"end_time": 1e-390, "start_time": 0}, "not_positive", "x:[1].end_time"),
    ],
)
def test_a_request_of_inference_perf_is_refused_by_its_place(change: dict[str, object], code: str, where: str) -> None:
    assert refused([REQUEST, REQUEST | change]) == (code, where)


def test_requests_that_all_failed_make_a_failed_run() -> None:
    [run] = make.read([REQUEST | {"error": {}}] * 2).runs

    assert (run.status, run.attempted, run.failed) == ("failed", 2, 2)


def test_a_first_part_of_an_answer_that_is_none_gives_no_time() -> None:
    reading = make.read([REQUEST | {"info": {"output_token_times": [moment]}} for moment in (99.0, 103.0)])

    assert [m.value for m in reading.measurements.only(metric="ttft")] == [None, None]


@pytest.mark.parametrize(
    ("row", "code", "where"),
    [
        ({"out_of_place": {"time": -1, "alg_bw": 1, "bus_bw": 1}}, "negative", "results[0].out_of_place.time"),
        ({"out_of_place": {"alg_bw": 1, "bus_bw": 1}}, "missing", "results[0].out_of_place.time"),
        ({"size": "big"}, "not_a_number", "results[0].size"),
        ({"out_of_place": None, "in_place": None}, "no_rows", ""),
        (
            {"out_of_place_per_iter": {"times_us": [1, "x"]}},
            "not_a_number",
            "results[0].out_of_place_per_iter.times_us[1]",
        ),
    ],
)
def test_a_size_of_nccl_tests_is_refused_by_its_place(row: dict[str, object], code: str, where: str) -> None:
    assert refused(nccl(row)) == (code, f"x:{where}" if where else "x")


def test_times_of_the_cpu_are_said_to_be_that_and_what_is_not_stated_is_left_out() -> None:
    half = {"cpu_time": 5.0, "alg_bw": 1.0, "bus_bw": 1.0}
    content = {"nccl_version": 22605, "config": {"nthreads": 1}, "results": []}
    row = {"size": 8, "count": 2, "type": "float", "redop": "sum", "root": -1, "in_place": half}
    reading = make.read(content | {"results": [row | {"in_place_per_iter": {"times_us": [0, 5.0]}}]})

    assert any("times are of the CPU" in notice for notice in reading.notices)
    assert [m.value for m in reading.measurements.only(metric="iteration_time")] == [None, 5e-06]
    assert not {"collective", "ranks"} & {setting.name for setting in reading.settings}


@pytest.mark.parametrize(
    ("power", "code", "where"),
    [
        ({"value": 5, "unit": 3}, "unknown_unit", "[0].power.socket_power.unit"),
        ({"value": 5, "unit": "hp"}, "unknown_unit", "[0].power.socket_power"),
        ({"value": -5, "unit": "W"}, "negative", "[0].power.socket_power"),
        ({"value": "much", "unit": "W"}, "not_a_number", "[0].power.socket_power"),
    ],
)
def test_a_power_of_amd_smi_is_refused_by_its_place(power: object, code: str, where: str) -> None:
    assert refused([{"gpu": 0, "power": {"socket_power": power}}]) == (code, f"x:{where}")


def test_a_power_in_milliwatts_is_one() -> None:
    reading = make.read([{"gpu": 0, "power": {"socket_power": {"value": 5500, "unit": "mW"}}}])

    assert [m.value for m in reading.measurements] == [5.5]


def test_several_reports_of_rocm_smi_are_samples_and_cards_without_its_fields_are_none() -> None:
    report = json.dumps({"card0": {"GPU use (%)": "5"}})

    assert [m.index for m in make.read(f"{report}\n{report}\n").measurements] == [0, 1]
    assert refused({"card0": {"suit": "hearts"}})[0] == "unknown_format"


@pytest.mark.parametrize(
    ("line", "code", "where"),
    [
        ('DLLL {"type": "LOG", "step": [0, -1], "data": {"loss": 1.5}}', "negative", "x:2.step"),
        ('DLLL {"type": "LOG", "step": [0, 2], "data": {"loss": "low"}}', "not_a_number", "x:2.loss"),
        ('DLLL {"type": "LOG", "step": [0, 2], "data": {', "malformed_json", "x:2"),
        ('DLLL {"timestamp": "now", "type": "LOG", "step": [0, 2], "data": {}}', "not_a_number", "x:2.timestamp"),
    ],
)
def test_a_json_line_of_dllogger_is_refused_by_its_line(line: str, code: str, where: str) -> None:
    assert refused(f"{LOG}{line}\nend\n") == (code, where)


def test_metadata_of_dllogger_that_has_no_unit_is_a_plain_number() -> None:
    metadata = 'DLLL {"type": "METADATA", "metric": "loss", "metadata": null}\nDLLL {"type": "LOG", "step": 3}\n'

    assert [m.unit for m in make.read(metadata + LOG).measurements] == ["1"]


@pytest.mark.parametrize(
    ("content", "code", "where"),
    [
        (events(), "no_runs", "x"),
        (events({"wall_time": -1, "step": 1, "a": 1}), "negative", "x:record 1.wall_time"),
        (events({"wall_time": 1, "step": 1 << 63, "a": 1}), "not_a_count", "x:record 1.step"),
        (events() + tfevents.record(b"\xff"), "malformed_evidence", "x:record 1"),
        (events() + tfevents.record(tfevents.fixed(1, b"\0" * 4)), "malformed_evidence", "x:record 1"),
        (events({"wall_time": 1, "step": 1, "": 1, "+": 2}), "no_runs", "x"),
    ],
)
def test_an_event_of_tensorboard_is_refused_by_its_record(content: bytes, code: str, where: str) -> None:
    assert refused(content) == (code, where)


def test_what_is_no_scalar_of_tensorboard_is_named() -> None:
    untagged = xplane.field(5, xplane.field(1, tfevents.fixed(2, struct.pack("<f", 1.0))))
    bare = xplane.field(5, xplane.field(1, xplane.field(1, "bare") + xplane.field(8, b"")))
    empty = xplane.field(5, xplane.field(1, xplane.field(1, "empty") + xplane.field(8, xplane.field(1, 1))))
    void = xplane.field(5, xplane.field(2, "no value") + xplane.field(1, xplane.field(1, "void")))
    content = events({"wall_time": 1, "step": 1, "a": 1}) + tfevents.record(untagged + bare + empty + void)

    reading = make.read(content, None, "x")

    assert [m.metric for m in reading.measurements] == ["a"]
    assert reading.notices[-1] == "Not read: bare, empty, values without a tag, void."


@pytest.mark.parametrize("cut", [1, 4, 5, 20])
def test_a_cut_event_file_of_tensorboard_keeps_its_whole_records(cut: int) -> None:
    content = events({"wall_time": 1, "step": 1, "a": 1}, {"wall_time": 2, "step": 2, "a": 2})
    reading = make.read(content[:-cut], None, "x")

    assert [m.value for m in reading.measurements] == [1.0]
    assert reading.runs[0].status == "partial"


def test_an_event_file_whose_last_record_has_no_length_is_cut() -> None:
    reading = make.read(events({"wall_time": 1, "step": 1, "a": 1}) + b"\x01\x02", None, "x")

    assert reading.runs[0].status == "partial"
