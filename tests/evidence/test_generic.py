"""Our own formats: strict, because they are ours."""

from fractions import Fraction

import pytest

from analysis.errors import MalformedEvidence
from analysis.evidence import countersign_bounds
from tests.evidence import make

HEAD = "run,metric,stat,value,unit"

BAD_MEASUREMENTS = [
    (make.measurements() | {"countersign": "measurements/2"}, "unsupported_version", "x.json:countersign"),
    (make.measurements() | {"runs": []}, "no_runs", "x.json:runs"),
    (make.measurements() | {"extra": 1}, "unknown_field", "x.json:"),
    (make.measurements() | {"tool": 3}, "not_text", "x.json:tool"),
    ({"countersign": "measurements/1"}, "missing", "x.json:runs"),
    (make.measurements(run=...), "missing", "x.json:runs[0].run"),
    (make.measurements(run=""), "repeated_run", "x.json:runs[0]"),
    (make.measurements(run=[]), "not_text", "x.json:runs[0].run"),
    (make.measurements(colour="red"), "unknown_field", "x.json:runs[0]"),
    (make.measurements(status="lost"), "unknown_status", "x.json:runs[0].status"),
    (make.measurements(status="failed"), "missing", "x.json:runs[0].reason"),
    (make.measurements(started_at="soon"), "not_a_time", "x.json:runs[0].started_at"),
    (make.measurements(started_at="2026-01-01T00:00:00"), "not_a_time", "x.json:runs[0].started_at"),
    (make.measurements(attempted=-1), "negative", "x.json:runs[0].attempted"),
    (make.measurements(settings={"a": [1]}), "not_plain", "x.json:runs[0].settings.a"),
    (make.measurements(settings=[1]), "not_an_object", "x.json:runs[0].settings"),
    (make.measurements(work={"items": -1}), "negative", "x.json:runs[0].work.items"),
    (make.measurements(work={"duration": 0}), "not_positive", "x.json:runs[0].work.duration"),
    (make.measurements(measurements=...), "missing", "x.json:runs[0].measurements"),
    (make.measured(metric="Output Tokens"), "unknown_metric", "x.json:runs[0].measurements[0].value"),
    (make.measured(unit="fortnight"), "unknown_unit", "x.json:runs[0].measurements[0].value"),
    (make.measured(unit="J"), "unit_mismatch", "x.json:runs[0].measurements[0].value"),
    (make.measured(unit=...), "missing", "x.json:runs[0].measurements[0].value (unit)"),
    (make.measured(stat="average"), "unknown_stat", "x.json:runs[0].measurements[0].value"),
    (make.measured(kind="cooked"), "unknown_kind", "x.json:runs[0].measurements[0].value"),
    (make.measured(phase="lunch"), "unknown_phase", "x.json:runs[0].measurements[0].value"),
    (make.measured(value=None), "missing", "x.json:runs[0].measurements[0].value"),
    (make.measured(value=...), "missing", "x.json:runs[0].measurements[0]"),
    (make.measured(values=[1]), "missing", "x.json:runs[0].measurements[0]"),
    (make.measured(value=..., values=[1], stat="p99"), "unknown_field", "x.json:runs[0].measurements[0]"),
    (make.measured(value=..., values=[1], item="q1"), "unknown_field", "x.json:runs[0].measurements[0]"),
    (make.measured(subject="arithmetic"), "missing", "x.json:runs[0].measurements[0].value"),
    (make.measured(item=7), "not_text", "x.json:runs[0].measurements[0].value"),
    (make.measured(item="q1", stat="mean"), "item_of_aggregate", "x.json:runs[0].measurements[0].value"),
    (make.measured(metric="queue_wait", unit="s", value=-1), "negative", "x.json:runs[0].measurements[0].value"),
    (make.measured(metric="latency", unit="s", value=0), "not_positive", "x.json:runs[0].measurements[0].value"),
    (make.measured(n=-1), "negative", "x.json:runs[0].measurements[0].value"),
    (make.measured(stat="std", value=-1), "negative", "x.json:runs[0].measurements[0].value"),
    (make.measured(metric="memory", unit="B", value=-1), "negative", "x.json:runs[0].measurements[0].value"),
    ('{"countersign": "measurements/1"}{"countersign": "measurements/1"}', "several_files", "x.json"),
]


@pytest.mark.parametrize("metric", ["queue_wait", "queue_time", "core_busy", "mapping_fallback"])
def test_a_request_may_not_have_waited_at_all(metric: str) -> None:
    (row,) = make.read(make.measured(metric=metric, unit="s", value=0)).measurements

    assert (row.metric, row.value, row.unit) == (metric, 0.0, "s")


@pytest.mark.parametrize(("content", "code", "where"), BAD_MEASUREMENTS)
def test_a_bad_measurement_file_is_refused(content: object, code: str, where: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content)

    assert (refusal.value.code, refusal.value.where) == (code, where)


def test_two_runs_of_one_name_are_refused() -> None:
    content = make.measurements()
    runs = content["runs"]
    assert isinstance(runs, list)

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content | {"runs": runs * 2})

    assert (refusal.value.code, refusal.value.where) == ("repeated_run", "x.json:runs[1]")


def test_a_spread_may_be_zero_and_a_ratio_negative() -> None:
    reading = make.read(make.measured(stat="std", value=0))
    other = make.read(make.measured(metric="train_loss", unit="1", value=-2))

    assert [m.value for m in (*reading.measurements, *other.measurements)] == [0.0, -2.0]


def test_a_score_has_its_item_and_its_subject() -> None:
    score = {"metric": "exact_match", "unit": "1", "item": "q1", "subject": "arithmetic"}
    reading = make.read(make.measured(**score, value=1))
    table = make.read(
        f"{HEAD},item,subject\na,exact_match,value,0,1,q1,arithmetic\na,latency,value,2,s,,\n", name="x.csv"
    )

    assert [(m.item, m.subject) for m in reading.measurements] == [("q1", "arithmetic")]
    assert [(m.item, m.subject) for m in table.measurements] == [("q1", "arithmetic"), ("", "")]


def test_the_start_is_kept_to_the_microsecond() -> None:
    reading = make.read(make.measurements(started_at="2026-01-01T01:00:00.000001+01:00"))

    assert reading.runs[0].started_ns == 1_767_225_600_000_001_000


BAD_TABLES = [
    (f"{HEAD},colour\na,latency,value,1,s,red\n", "unknown_field", "x.csv"),
    (f"{HEAD},setting:b\na,latency,value,1,s,8\na,latency,value,1,s,9\n", "contradiction", "x.csv:3"),
    (f"{HEAD}\na,latency,value,,s\n", "missing", "x.csv:2.value"),
    (f"{HEAD}\na,latency,value,1,\n", "missing", "x.csv:2.value (unit)"),
    (f"{HEAD}\na,latency,value,fast,s\n", "not_a_number", "x.csv:2.value"),
    (f"{HEAD}\n,latency,value,1,s\n", "repeated_run", "x.csv:2"),
    (f"{HEAD},status\na,latency,value,1,s,failed\n", "missing", "x.csv:2.reason"),
]


@pytest.mark.parametrize(("table", "code", "where"), BAD_TABLES)
def test_a_bad_measurement_table_is_refused(table: str, code: str, where: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(table, name="x.csv")

    assert (refusal.value.code, refusal.value.where) == (code, where)


def test_runs_may_be_mixed_in_a_table() -> None:
    reading = make.read(f"{HEAD}\na,latency,,1,s\nb,latency,,2,s\na,latency,,3,s\n", name="x.csv")

    assert {run.key: [m.value for m in reading.of_run(run.key)] for run in reading.runs} == {
        "a": [1.0, 3.0],
        "b": [2.0],
    }


BAD_BOUNDS = [
    (make.bounds() | {"countersign": "bounds/9"}, "unsupported_version"),
    (make.bounds() | {"quantities": []}, "unknown_field"),
    (make.bounds() | {"more": 1}, "unknown_field"),
    (make.bounds(colour="red"), "unknown_field"),
    (make.bounds(arm="control"), "unknown_arm"),
    (make.bounds(metric="Time"), "unknown_metric"),
    (make.bounds(metric="latency", unit="J"), "unit_mismatch"),
    (make.bounds(unit="ells"), "unknown_unit"),
    (make.bounds(assumption=" "), "missing"),
    (make.bounds(assumption=...), "missing"),
    (make.bounds(high=...), "missing"),
    (make.bounds(low="102"), "reversed"),
    (make.bounds() | {"quantities": make.bounds()["quantities"] * 2}, "repeated_quantity"),  # type: ignore[operator]
    ('{"countersign": "bounds/1", "quantities": [{"arm": "baseline"}', "unknown_field"),
]


@pytest.mark.parametrize(("content", "code"), BAD_BOUNDS)
def test_bad_bounds_are_refused(content: object, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content)

    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ("arm,metric,low,high,unit,assumption,note\nbaseline,duration,1,2,s,a,b\n", "unknown_field"),
        ("arm,metric,low,high,unit,assumption\nbaseline,duration,1,2,s,a\nbaseline,samples", "unknown_field"),
        ("arm,metric,low,high,unit,assumption\nbaseline,duration,x,2,s,a\n", "not_a_number"),
    ],
)
def test_a_bad_table_of_bounds_is_refused(table: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(table)

    assert refusal.value.code == code


def test_bounds_are_exact() -> None:
    [found] = countersign_bounds.quantities(make.document(make.bounds(low="0.1", high="0.30000000000000000001")))

    assert (found.low, found.high, found.unit) == (Fraction(1, 10**4), Fraction(30000000000000000001, 10**23), "s")


def test_bounds_of_a_table_are_the_same_as_those_of_json() -> None:
    table = "arm,metric,low,high,unit,assumption\nbaseline,duration,99,101,ms,a\n"

    [of_table], [of_json] = (countersign_bounds.quantities(make.document(c)) for c in (table, make.bounds()))

    assert (of_table.low, of_table.high, of_table.assumption) == (of_json.low, of_json.high, of_json.assumption)
