"""The requests of trtllm-bench: what is computed of each, and what is refused."""

import json
from typing import Any

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence
from analysis.evidence.format import Document
from analysis.reading import Reading

START = 10**15


def request(**fields: Any) -> dict[str, Any]:
    """A request of 11 tokens: its first after 20 ms, the last after 120 ms."""
    ordinary = {
        "id": 1, "num_input_tokens": 100, "error_tokens": 0, "start_timestamp": START,
        "first_token_timestamp": START + 20_000_000, "end_timestamp": START + 120_000_000, "output_tokens": 11,
    }  # fmt: skip
    return {key: value for key, value in (ordinary | fields).items() if value is not ...}


def read(*requests: dict[str, Any]) -> Reading:
    return evidence.read(Document(json.dumps(requests).encode(), "x.json"))


def raw(reading: Reading, metric: str) -> list[float | None]:
    return [m.value for m in reading.measurements.only(metric=metric, kind="raw")]


def test_times_are_computed_from_the_moments_of_a_request() -> None:
    reading = read(request(), request(start_timestamp=START + 20_000_000))

    assert raw(reading, "e2e_latency") == pytest.approx([0.12, 0.1])
    assert raw(reading, "ttft") == [0.02, None]
    assert raw(reading, "tpot") == [0.01]
    assert reading.measurements.only(metric="output_throughput").values.tolist() == pytest.approx([22 / 0.12])


def test_older_files_count_the_tokens_under_another_name() -> None:
    assert raw(read(request(output_tokens=..., num_output_tokens=7)), "output_tokens") == [7.0]


def test_a_file_in_which_every_request_failed_is_a_failed_run() -> None:
    reading = read(request(error_tokens=1), request(error_tokens=2))

    assert (reading.runs[0].status, reading.runs[0].attempted, reading.runs[0].failed) == ("failed", 2, 2)
    assert {m.value for m in reading.measurements} == {None}


@pytest.mark.parametrize(
    ("fields", "code", "where"),
    [
        ({"end_timestamp": START}, "not_positive", "x.json:[0].end_timestamp"),
        ({"end_timestamp": START - 1}, "not_a_time", "x.json:[0].end_timestamp"),
        ({"output_tokens": ...}, "missing", "x.json:[0].output_tokens"),
        ({"num_input_tokens": "many"}, "not_a_number", "x.json:[0].num_input_tokens"),
        ({"first_token_timestamp": "soon"}, "not_a_number", "x.json:[0].first_token_timestamp"),
    ],
)
def test_what_is_no_request_is_refused_by_its_place(fields: dict[str, Any], code: str, where: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        read(request(**fields))

    assert (refusal.value.code, refusal.value.where) == (code, where)
