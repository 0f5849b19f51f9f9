from dataclasses import replace
from pathlib import Path

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import limits
from analysis.evidence.format import Document
from tests.evidence import golden, make


@pytest.mark.parametrize("case", golden.CASES, ids=lambda p: p.relative_to(golden.HERE).as_posix())
def test_a_case_is_claimed_by_its_own_format_alone_and_whatever_its_name(case: Path) -> None:
    document = replace(golden.document(case), name="unnamed")

    claims = [form.name for form in evidence.FORMATS if form.looks_right(document)]

    assert claims == [case.relative_to(golden.HERE).parts[0]]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("case", golden.TEXTS, ids=lambda p: p.relative_to(golden.HERE).as_posix())
def test_a_case_that_a_shell_has_encoded_anew_reads_the_same(case: Path, encoding: str) -> None:
    document = golden.document(case)
    again = Document(document.content.decode("utf-8-sig").encode(encoding), document.name)

    before, after = evidence.read(document), evidence.read(again)

    assert after.measurements == before.measurements
    assert any("the text is" in lenience for lenience in after.leniences)


def test_the_reason_is_given_in_words() -> None:
    recognised = evidence.recognise(make.document(make.hyperfine()))

    assert (recognised.format.name, recognised.reason) == ("hyperfine", 'it has "results" with a "command" and "times"')


def test_a_file_that_two_formats_claim_is_refused_with_both_names() -> None:
    both = "\n".join(make.document(content).content.decode() for content in (make.vllm(), make.sglang()))

    with pytest.raises(UnknownFormat, match=r"vllm-bench-serve .* and sglang-bench-serving") as refusal:
        evidence.recognise(make.document(both))

    assert refusal.value.code == "ambiguous_format"


@pytest.mark.parametrize("content", ["", "hello", '{"error": "Failed"}', "time,watts\n1,2\n", b"\x00"])
def test_what_no_format_claims_is_unknown(content: object) -> None:
    with pytest.raises(UnknownFormat) as refusal:
        make.read(content)

    assert (refusal.value.code, refusal.value.where) == ("unknown_format", "x.json")


@pytest.mark.parametrize(("content", "empty"), [("", True), (" \n", True), ("hello", False)])
def test_an_empty_file_is_said_to_be_empty(content: str, empty: bool) -> None:
    with pytest.raises(UnknownFormat) as refusal:
        make.read(content)

    assert ("the file is empty" in refusal.value.message) is empty


def test_a_console_report_is_not_mistaken_for_a_result_file() -> None:
    console = "============ Serving Benchmark Result ============\nSuccessful requests: 8\nMean TTFT (ms): 12.5\n"

    assert evidence.recognise(make.document(console)).format.name == "vllm-bench-serve-text"


def test_a_rate_that_is_an_object_belongs_to_another_tool() -> None:
    with pytest.raises(UnknownFormat):
        make.read({"total_token_throughput": {"unit": "tokens/sec", "avg": 12.5}})


def test_the_twin_in_the_schema_of_pytorch_is_no_second_run() -> None:
    twin = {"metric": {"name": "p99_ttft_ms", "benchmark_values": [12.5], "extra_info": make.vllm()}}

    with pytest.raises(UnknownFormat, match="attach the result itself") as refusal:
        make.read([twin])

    assert refusal.value.code == "twin_of_a_result"


def test_a_user_may_say_which_format_it_is() -> None:
    reading = make.read({"error": "Failed"}, "vllm-bench-serve")

    assert [(run.status, run.reason) for run in reading.runs] == [("failed", "the tool reported: Failed")]


def test_a_format_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnknownFormat, match="is no format; known are vllm-bench-serve, sglang") as refusal:
        make.read("{}", "vllm")

    assert refusal.value.code == "unknown_format"


def test_a_wrong_choice_is_refused_by_the_parser() -> None:
    with pytest.raises(MalformedEvidence):
        make.read(make.hyperfine(), "vllm-bench-serve")


def test_a_file_over_the_size_limit_is_refused_before_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BYTES", 10)

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(make.hyperfine())

    assert refusal.value.code == "too_large"


def test_more_measurements_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROWS", 3)

    with pytest.raises(MalformedEvidence) as refusal:
        make.read(make.hyperfine(times=[0.5] * 4))

    assert refusal.value.code == "too_many_rows"


def test_names_of_formats_are_unique_and_versions_positive() -> None:
    assert len({form.name for form in evidence.FORMATS}) == len(evidence.FORMATS)
    assert all(form.version >= 1 and form.title for form in evidence.FORMATS)


def test_an_end_to_end_latency_alone_is_no_serving_result() -> None:
    with pytest.raises(UnknownFormat) as refusal:
        evidence.recognise(make.document('{"mean_e2e_latency_ms": 12.5, "name": "somebody else\'s benchmark"}'))

    assert refusal.value.code == "unknown_format"
