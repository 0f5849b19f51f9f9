"""What a curve pack must hold to be one."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from tests.evidence import golden, make

PACK = json.loads((golden.HERE / "batch-policy-curve-pack" / "two_sizes.json").read_text())
SECOND = json.loads((golden.HERE / "batch-policy-curve-pack" / "with_power.json").read_text())
Spoil = Callable[[dict[str, Any]], None]


def without_sources(pack: dict[str, Any]) -> None:
    pack["sources"] = []


def with_one_size(pack: dict[str, Any]) -> None:
    del pack["points"][1]


def with_two_runs(pack: dict[str, Any]) -> None:
    for curve in ("throughput", "e2e_latency_p99"):
        del pack["points"][0][curve]["runs"][0]


def with_curves_of_other_runs(pack: dict[str, Any]) -> None:
    del pack["points"][0]["throughput"]["runs"][0]


def with_a_value_below_zero(pack: dict[str, Any]) -> None:
    pack["points"][1]["throughput"]["runs"][2] = "-1"


SPOILT = [
    (without_sources, "no_source", "sources"),
    (with_one_size, "too_few_points", "points"),
    (with_two_runs, "too_few_runs", "points[0]"),
    (with_curves_of_other_runs, "too_few_runs", "points[0]"),
    (with_a_value_below_zero, "not_positive", "points[1].throughput.runs[2]"),
]


@pytest.mark.parametrize(("spoil", "code", "place"), SPOILT, ids=lambda value: getattr(value, "__name__", ""))
def test_a_pack_that_shows_no_curve_is_refused_by_its_place(spoil: Spoil, code: str, place: str) -> None:
    pack = copy.deepcopy(PACK)
    spoil(pack)

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(json.dumps(pack), "batch-policy-curve-pack")

    assert (refusal.value.code, refusal.value.where) == (code, f"x.json:{place}")


def without_limits(pack: dict[str, Any]) -> None:
    pack["limits"] = []


def without_a_word_on_power(pack: dict[str, Any]) -> None:
    pack["points"][1]["power"] = {"runs": [], "reason": ""}


def with_fewer_tails(pack: dict[str, Any]) -> None:
    pack["points"][1]["p99"]["runs"] = []


def with_power_of_some_runs(pack: dict[str, Any]) -> None:
    del pack["points"][0]["power"]["runs"][0]


SPOILT_SECOND = [
    (without_sources, "no_source", "sources"),
    (without_limits, "missing", "limits"),
    (without_a_word_on_power, "missing", "points[1].power.metric"),
    (with_fewer_tails, "too_few_runs", "points[1]"),
    (with_power_of_some_runs, "too_few_runs", "points[0]"),
]


@pytest.mark.parametrize(("spoil", "code", "place"), SPOILT_SECOND, ids=lambda value: getattr(value, "__name__", ""))
def test_a_pack_of_the_second_version_has_limits_and_power_or_says_why_not(spoil: Spoil, code: str, place: str) -> None:
    pack = copy.deepcopy(SECOND)
    spoil(pack)

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(json.dumps(pack), "batch-policy-curve-pack")

    assert (refusal.value.code, refusal.value.where) == (code, f"x.json:{place}")


def test_any_other_text_is_no_pack() -> None:
    with pytest.raises(UnknownFormat):
        evidence.recognise(make.document("hello"))


def test_two_packs_in_one_file_are_refused() -> None:
    both = json.dumps(PACK) + "\n" + json.dumps(PACK)

    with pytest.raises(MalformedEvidence) as refusal:
        evidence.read(make.document(both), "batch-policy-curve-pack")

    assert refusal.value.code == "several_files"
