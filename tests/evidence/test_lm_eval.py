"""lm-evaluation-harness: what the golden cases do not show."""

import json

import pytest

from analysis.errors import UnknownFormat
from analysis.evidence import limits
from analysis.reading import Reading
from tests.evidence import make
from tests.evidence.make import Fields
from tests.evidence.readings import refused, settings, values_of

NAMED = "samples_sums_2026-01-05T10-00-00.123456.jsonl"


def sample(doc_id: object, score: object = 1, **fields: object) -> Fields:
    """A scored document as the harness writes it; a field of `...` is left out."""
    whole = {"doc_id": doc_id, "doc": {}, "target": "", "resps": [], "filtered_resps": [], "acc": score} | fields
    return {key: value for key, value in whole.items() if value is not ...}


def samples(*records: Fields, name: str = NAMED) -> Reading:
    return make.read("".join(f"{json.dumps(record)}\n" for record in records), name=name)


def of_tasks(results: object, **parts: object) -> Fields:
    return {"results": results, "versions": {}, "n-shot": {}, "config": {"model_args": ""}} | parts


def items_of(reading: Reading) -> list[tuple[str, str]]:
    return [(m.item, m.subject) for m in reading.measurements]


@pytest.mark.parametrize(
    ("name", "items"),
    [
        (NAMED, ["sums/0", "sums/1"]),
        (f"zip/{NAMED}.gz", ["sums/0", "sums/1"]),
        ("20260105_1200_samples_sums.jsonl", ["sums/0", "sums/1"]),
        ("samples_2026-01-05T10-00-00.jsonl", ["0", "1"]),
        ("samples_base.jsonl", ["0", "1"]),
    ],
)
def test_items_are_called_by_the_task_that_the_tool_put_into_the_file_name(name: str, items: list[str]) -> None:
    reading = samples(sample(0), sample("1"), name=name)

    assert [item for item, _ in items_of(reading)] == items
    assert any("does not say which task" in notice for notice in reading.notices) is (items[0] == "0")


def test_a_task_that_is_in_the_records_is_taken_from_there() -> None:
    reading = samples(sample(0, task_name="facts"), name=NAMED)

    assert items_of(reading) == [("facts/0", "")]
    assert settings(reading)["task"] == "facts"


def test_one_record_alone_is_a_file_of_one_item() -> None:
    [measurement] = make.read(sample(7), name=NAMED).measurements

    assert (measurement.item, measurement.where) == ("sums/7", f"{NAMED}:acc")


@pytest.mark.parametrize(
    ("docs", "subjects"),
    [
        ([{"subject": "law"}, {"subject": "law"}, {"subject": "art"}], ["law", "law", "art"]),
        ([{"subject": "law"}, {"subject": "law"}, {"subject": "law"}], ["", "", ""]),
        ([{"subject": "a"}, {"subject": "b"}, {"subject": "c"}], ["", "", ""]),
        ([{"subject": "law"}, {"subject": "law"}, {}], ["", "", ""]),
        ([{"subject": ""}, {"subject": "law"}, {"subject": "law"}], ["", "", ""]),
        ([{"subject": "one", "passage": p} for p in ("text", "text", "other")], ["text", "text", "other"]),
        ([{"document_id": 1}, {"document_id": 1}, {"document_id": 2}], ["1", "1", "2"]),
        ([None, {"subject": "law"}, {"subject": "law"}], ["", "", ""]),
    ],
)
def test_items_are_of_one_subject_where_a_field_says_so(docs: list[object], subjects: list[str]) -> None:
    reading = samples(*(sample(i, doc=doc) for i, doc in enumerate(docs)))

    assert [subject for _, subject in items_of(reading)] == subjects
    assert any("count together" in notice for notice in reading.notices) is any(subjects)


def test_a_long_subject_is_called_by_its_digest() -> None:
    reading = samples(*(sample(i, doc={"passage": text}) for i, text in enumerate(("x" * 61, "x" * 61, "y\x00"))))

    [long, same, odd] = [subject for _, subject in items_of(reading)]
    assert long == same != odd
    assert all(subject.startswith("passage ") and len(subject) == 20 for subject in (long, odd))


def test_the_order_of_the_documents_changes_neither_items_nor_hashes() -> None:
    records = [sample(i, doc_hash=f"d{i}", prompt_hash=f"p{i}", target_hash=f"t{i}") for i in range(3)]
    forward, backward = settings(samples(*records)), settings(samples(*records[::-1]))
    changed = settings(samples(*records[:2], records[2] | {"prompt_hash": "other"}))

    assert forward == backward
    assert {name for name, value in changed.items() if forward[name] != value} == {"prompt_hashes"}


def test_a_document_without_a_hash_makes_no_sum_of_hashes() -> None:
    assert "doc_hashes" not in settings(samples(sample(0, doc_hash="d0"), sample(1)))


def test_what_is_no_score_of_one_item_is_named() -> None:
    listed = sample(0, acc=True, metrics=["acc", "bleu", "bypass", 3], bleu=["a", "b"], bypass=999, seconds=3)
    reading = samples(listed, sample(1, None, metrics=["acc"]))

    assert values_of(reading, "acc") == [1.0, None]
    assert len(reading.measurements) == 2
    assert "Not read: bleu, bypass, doc, filtered_resps, resps, seconds, target." in reading.notices


def test_a_score_that_is_nan_is_no_score() -> None:
    assert values_of(samples(sample(0), sample(1, float("nan"))), "acc") == [1.0, None]


@pytest.mark.parametrize(
    ("records", "code", "where"),
    [
        ([sample(0), sample(0)], "repeated_item", f"{NAMED}:[1].acc"),
        ([sample(0, filter="a"), sample(0, filter="a")], "repeated_item", f"{NAMED}:[1].acc"),
        ([sample(0), sample(...)], "missing", f"{NAMED}:[1].doc_id"),
        ([sample(0), sample(1.5)], "not_a_count", f"{NAMED}:[1].doc_id"),
        ([sample(0), sample(1, float("inf"))], "not_finite", f"{NAMED}:[1].acc"),
        ([sample(0, filter=1), sample(1)], "not_text", f"{NAMED}:[0].filter"),
        ([sample(0, task_name=1), sample(1)], "not_text", f"{NAMED}:[0].task_name"),
        ([sample(0, metrics=["bypass"], bypass=999), sample(1, metrics=[])], "no_runs", NAMED),
    ],
)
def test_bad_samples_are_refused_by_their_place(records: list[Fields], code: str, where: str) -> None:
    assert refused("".join(f"{json.dumps(r)}\n" for r in records), "lm-eval-samples", NAMED) == (code, where)


def test_an_empty_list_of_samples_is_refused() -> None:
    assert refused("[]", "lm-eval-samples")[0] == "no_runs"


@pytest.mark.parametrize(
    ("said", "stated"),
    [
        ("pretrained=a,dtype=b", {"model_args.pretrained": "a", "model_args.dtype": "b"}),
        ("pretrained=a,more", {"model_args": "pretrained=a,more"}),
        ("a=1,a=2", {"model_args": "a=1,a=2"}),
        ({"pretrained": "a"}, {"model_args.pretrained": "a"}),
        (None, {"model_args": "null"}),
    ],
)
def test_arguments_of_the_model_are_told_apart(said: object, stated: dict[str, str]) -> None:
    reading = make.read(of_tasks({"sums": {"acc": 1}}, config={"model_args": said}))

    assert {name: value for name, value in settings(reading).items() if "model_args" in name} == stated


def test_a_setting_that_the_task_states_itself_is_not_stated_again() -> None:
    file = of_tasks({"sums": {"acc": 1}}, config={"model_args": "", "num_fewshot": 9}) | {"n-shot": {"sums": 5}}
    reading = make.read(file)

    assert [s.value for s in reading.settings if s.name == "num_fewshot"] == ["5"]
    assert "Not read: config.num_fewshot." in reading.notices


def test_a_setting_too_long_to_store_is_named() -> None:
    reading = make.read(of_tasks({"sums": {"acc": 1}}, config={"model_args": "", "note": "x" * (limits.TEXT + 1)}))

    assert "note" not in settings(reading)
    assert "Not read: config.note." in reading.notices


def test_lists_and_placeholders_among_the_numbers_of_a_task_are_no_numbers() -> None:
    reading = make.read(of_tasks({"sums": {"alias": "s", "acc,none": 1, "bypass,none": 999, "seen": [1]}}))

    assert [m.metric for m in reading.measurements] == ["acc"]
    assert any("seen" in notice for notice in reading.notices)


def test_a_group_that_stands_apart_is_a_run_and_a_heading_is_none() -> None:
    heading, group = {" ": " ", "alias": "facts"}, {"acc": 0.5, "acc_stderr": 0.25}
    reading = make.read(of_tasks({"facts": heading, "law": {"acc": 1}}, groups={"law": {"acc": 1}, "facts": group}))

    assert [(run.key, run.where) for run in reading.runs] == [
        ("law", "x.json:results.law"),
        ("facts", "x.json:groups.facts"),
    ]
    assert "x.json:results.facts: facts has no number of its own." in reading.notices


def test_an_empty_list_of_documents_in_a_results_file_is_none() -> None:
    reading = make.read(of_tasks({"sums": {"acc": 1}}, samples={"sums": []}))

    assert [(m.metric, m.item) for m in reading.measurements] == [("acc", "")]
    assert any("to compare item by item" in notice for notice in reading.notices)


@pytest.mark.parametrize(
    ("metric", "ours"),
    [
        ("acc,none", "acc"),
        ("exact_match,strict-match", "exact_match_strict_match"),
        ("pass@1,create_test", "pass_at_1_create_test"),
        ("F1", "f1"),
        ("&,none", "unnamed"),
    ],
)
def test_metrics_are_called_by_their_words(metric: str, ours: str) -> None:
    assert [m.metric for m in make.read(of_tasks({"sums": {metric: 1}})).measurements] == [ours]


def test_scored_documents_in_a_results_file_count_once_as_work() -> None:
    file = of_tasks({"sums": {"acc": 1}}, samples={"sums": [sample(0), sample(1)]})
    reading = make.read(file | {"n-samples": {"sums": {"effective": 2}}})

    assert [s.value for s in reading.settings if s.name == "documents"] == ["2"]
    assert [m.item for m in reading.measurements if m.kind == "raw"] == ["sums/0", "sums/1"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (of_tasks({}), "no_runs"),
        (of_tasks({"sums": {"alias": "s"}}), "no_runs"),
        (of_tasks({"sums": 1}), "not_an_object"),
        (of_tasks({"sums": {"acc": True}}), "not_a_number"),
        (of_tasks({"sums": {"acc": 1}}, configs={"sums": 1}), "not_an_object"),
        (of_tasks({"sums": {"acc": 1}}) | {"n-samples": {"sums": {"original": 1}}}, "missing"),
        (of_tasks({"sums": {"acc": 1}}) | {"n-samples": {"sums": {"effective": -1}}}, "negative"),
        (of_tasks({"sums": {"acc": 1}}, samples={"sums": {}}), "not_a_list"),
        (f"{json.dumps(of_tasks({}))}\n{json.dumps(of_tasks({}))}", "several_files"),
        ({"versions": {}}, "missing"),
    ],
)
def test_bad_results_of_the_harness_are_refused(content: object, code: str) -> None:
    assert refused(content, "lm-eval-results")[0] == code


@pytest.mark.parametrize(
    "content",
    [
        {"results": {"sums": {"score": 1}}, "versions": {}},
        {"results": {"sums": {"score": 1}}, "config": {"model_args": ""}},
        {"config": {"model_args": ""}, "versions": {}},
        [{"results": {"sums": {"acc,none": 1}}}],
        {"doc_id": 0, "query": "x"},
        {"doc": {}, "answer": {}},
        {"config_general": {}, "versions": {}},
    ],
)
def test_what_only_resembles_an_evaluation_is_none(content: object) -> None:
    with pytest.raises(UnknownFormat):
        make.read(content)
