"""lighteval: what the golden cases do not show."""

import json

import pytest

from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import limits, parquet_rows
from tests.evidence import golden, make
from tests.evidence.make import Fields
from tests.evidence.readings import refused


def lighteval(doc: object, name: str = "metric", **scores: object) -> Fields:
    return {name.replace("metric", "doc"): doc, name: scores}


def general(results: object, **parts: object) -> Fields:
    return {"config_general": {}, "results": results} | parts


@pytest.mark.parametrize("name", ["metric", "__metric__"])
def test_details_are_called_by_their_task_and_id(name: str) -> None:
    doc = {"query": "q", "id": 4, "task_name": "sums|0"}
    reading = make.read([lighteval(doc, name, em=1), lighteval(doc | {"task_name": "facts|0"}, name, em=0)])

    assert [(m.run, m.item, m.value) for m in reading.measurements] == [
        ("sums|0", "sums|0/4", 1.0),
        ("facts|0", "facts|0/4", 0.0),
    ]


def test_details_in_a_list_per_task_are_of_that_task() -> None:
    earlier = {"full_prompt": "1+1?", "metrics": {"em": 1}}
    reading = make.read({"sums|0": [lighteval({"id": "1"}, em=1)], "facts|0": [earlier]})

    assert [run.key for run in reading.runs] == ["sums|0", "facts|0"]
    assert reading.measurements[0].item == "sums|0/1"
    assert reading.measurements[1].where == "x.json:facts|0[0].metrics.em"


def test_documents_of_no_named_task_are_a_run_beside_those_of_a_task() -> None:
    reading = make.read([lighteval({"id": "1", "task_name": "0"}, em=1), lighteval({"id": "1"}, em=0)])

    assert [(m.run, m.item) for m in reading.measurements] == [("0", "0/1"), ("1", "1")]


def test_details_without_an_id_are_called_by_their_text() -> None:
    text = {"full_prompt": "1+1?", "metrics": {"em": 1}}
    [first, second] = make.read([text, text | {"full_prompt": "1+2?"}]).measurements
    [again] = make.read([text | {"example": "other"}]).measurements

    assert first.item == again.item != second.item


@pytest.mark.parametrize(
    ("content", "code", "where"),
    [
        ([], "no_runs", "x.json"),
        ([{"doc": {"id": "1"}}], "missing", "x.json:[0].metric"),
        ([{"doc": {"id": "1"}, "metric": []}], "not_an_object", "x.json:[0].metric"),
        ([lighteval({"id": "", "query": ""}, em=1)], "missing", "x.json:[0].doc.id"),
        ([lighteval({"id": "1", "task_name": 3}, em=1)], "not_text", "x.json:[0].doc.task_name"),
        ([lighteval({"id": "1"}, em="high")], "no_runs", "x.json:[0]"),
        ([lighteval({"id": "1"}, em=1), lighteval({"id": "1"}, em=0)], "repeated_item", "x.json:[1].metric.em"),
        ([{"full_prompt": "", "metrics": {"em": 1}}], "missing", "x.json:[0].id"),
    ],
)
def test_bad_details_are_refused_by_their_place(content: object, code: str, where: str) -> None:
    assert refused(content, "lighteval-details") == (code, where)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (general({}), "no_runs"),
        (general({"all": {}}), "no_runs"),
        (general({"sums|0": {"em": [1]}}), "not_a_number"),
        (general({"sums|0": {"em": 1}}, config_tasks={"sums|0": {"effective_num_docs": 1.5}}), "not_a_count"),
        (general({"sums|0": {"em": 1}}, summary_tasks={"sums|0": []}), "not_an_object"),
        (f"{json.dumps(general({}))}\n{json.dumps(general({}))}", "several_files"),
    ],
)
def test_bad_results_of_lighteval_are_refused(content: object, code: str) -> None:
    assert refused(content, "lighteval-results")[0] == code


def test_the_average_over_one_task_is_no_second_run() -> None:
    reading = make.read(general({"sums|0": {"em": 1}, "all": {"em": 1}}, notes=1))

    assert [run.key for run in reading.runs] == ["sums|0"]
    assert "Not read: notes." in reading.notices


def test_a_task_of_lighteval_says_which_numbers_are_means() -> None:
    own = {"metrics": [{"metric_name": "em", "corpus_level_fn": "mean"}, "f1"], "version": None}
    reading = make.read(general({"sums|0": {"em": 1, "f1": 1}}, config_tasks={"sums|0": own}))

    assert [(m.metric, m.stat, m.n) for m in reading.measurements] == [("em", "mean", None), ("f1", "value", None)]


def rows(*found: dict[str, object]) -> bytes:
    return golden.parquet("\n".join(json.dumps(one) for one in found))


SCORED: dict[str, object] = {
    "doc": {"id": "1", "task_name": "t"},
    "metric": {"em": 1.0},
    "model_response": {"text": "a"},
}


def test_details_in_parquet_are_read_without_the_answers() -> None:
    reading = make.read(rows(SCORED), None, "x.parquet")

    assert [(m.value, m.item, m.where) for m in reading.measurements] == [(1.0, "t/1", "x.parquet:[0].metric.em")]
    assert reading.notices == ("Not read: model_response.",)


def test_parquet_of_anything_else_is_unknown() -> None:
    with pytest.raises(UnknownFormat):
        make.read(rows({"a": 1}), None, "x.parquet")


@pytest.mark.parametrize("cut", [5, 200])
def test_parquet_that_is_not_whole_is_refused(cut: int) -> None:
    content = rows(SCORED)

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content[:4] + content[4 + cut :], None, "x.parquet")
    assert (refusal.value.code, refusal.value.where) == ("malformed_evidence", "x.parquet")


@pytest.mark.parametrize(("limit", "code"), [("ROWS", "too_many_rows"), ("BYTES", "too_large")])
def test_parquet_of_too_many_rows_or_bytes_is_refused_before_it_is_read(
    monkeypatch: pytest.MonkeyPatch, limit: str, code: str
) -> None:
    content = make.document(rows(*[SCORED] * 9))
    monkeypatch.setattr(limits, limit, 8)

    with pytest.raises(MalformedEvidence) as refusal:
        parquet_rows.as_json_lines(content, ())
    assert refusal.value.code == code
