"""Generic benchmark tools: what is a run of theirs, what is raw, and what is refused."""

import gzip
import json

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import limits
from analysis.evidence.format import Document
from tests.evidence import golden, make
from tests.evidence.make import Fields


def code_of(content: object, form: str | None = None) -> str:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content, form)
    return refusal.value.code


def google(*entries: Fields, **context: object) -> Fields:
    return {"context": context, "benchmarks": list(entries)}


def timed(**fields: object) -> Fields:
    ordinary = {"name": "a", "run_type": "iteration", "iterations": 5, "real_time": 1.5, "time_unit": "ns"} | fields
    return {key: value for key, value in ordinary.items() if value is not ...}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (google(timed(), library_build_type="debug"), "debug_build"),
        (google(timed(name=...)), "missing"),
        (google(timed(real_time=-1)), "negative"),
        (google(timed(real_time="fast")), "not_a_number"),
        (google(timed(iterations=1.5)), "not_a_count"),
        (google(timed(), timed(time_unit="parsec")), "unknown_unit"),
        (google(timed(run_type="aggregate")), "no_runs"),
        (f"{json.dumps(google(timed()))}\n{json.dumps(google(timed()))}", "several_files"),
    ],
)
def test_a_bad_result_of_google_benchmark_is_refused(content: object, code: str) -> None:
    assert code_of(content, "google-benchmark") == code


def test_a_summary_without_a_name_for_its_benchmark_is_known_by_its_own() -> None:
    entry = timed(name="a_median", run_type="aggregate", iterations=...)

    [measurement] = make.read(google(entry)).measurements

    assert (measurement.run, measurement.stat, measurement.n) == ("a", "median", None)


def test_an_entry_without_a_unit_is_in_ns() -> None:
    reading = make.read(google(timed(), timed(time_unit=...)))

    assert [m.value for m in reading.measurements] == [1.5e-9, 1.5e-9]


def perf(run: Fields, **metadata: object) -> Fields:
    return {"benchmarks": [{"runs": [run]}], "metadata": {"perf_version": "1.0"} | metadata}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (perf({"values": [1.5]}, unit="mile"), "unknown_unit"),
        (perf({"values": [0]}), "not_positive"),
        (perf({"values": ["fast"]}), "not_a_number"),
        (perf({"values": [-1]}, unit="byte"), "negative"),
        (perf({"values": [1.5], "warmups": [[1]]}), "lengths_differ"),
        (perf({"warmups": [[1, 1.5]]}), "no_runs"),
        (f"{json.dumps(perf({'values': [1]}))}\n{json.dumps(perf({'values': [1]}))}", "several_files"),
    ],
)
def test_a_bad_result_of_pyperf_is_refused(content: object, code: str) -> None:
    assert code_of(content, "pyperf") == code


def test_a_file_without_calibration_says_nothing_about_it() -> None:
    assert make.read(perf({"values": [1.5]}, unit="integer")).notices == ()


def packed(case: str) -> tuple[Document, Document]:
    plain = golden.document(golden.HERE / case)
    return plain, Document(gzip.compress(plain.content), plain.name)


def test_a_compressed_file_is_read_as_its_content() -> None:
    plain, small = packed("pyperf/seconds.json")

    before, after = evidence.read(plain), evidence.read(small)

    assert after.measurements == before.measurements
    assert after.leniences == ("the file is compressed with gzip: its content was read",)
    assert evidence.read(small, "pyperf").runs == before.runs
    assert evidence.recognise(small).format.name == "pyperf"


def test_a_compressed_file_that_is_cut_off_is_no_file_of_ours() -> None:
    _, small = packed("pyperf/seconds.json")

    with pytest.raises(UnknownFormat) as refusal:
        evidence.read(Document(small.content[:-20], "x"))

    assert refusal.value.code == "unknown_format"


def test_a_broken_compressed_file_is_no_file_of_ours() -> None:
    with pytest.raises(UnknownFormat):
        evidence.read(Document(b"\x1f\x8b\x08" + b"\xff" * 50, "x"))


def test_a_file_that_grows_over_the_limit_is_refused_before_it_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BYTES", 1000)
    bomb = Document(gzip.compress(b" " * 100_000), "x")

    with pytest.raises(MalformedEvidence) as refusal:
        evidence.read(bomb)

    assert (len(bomb.content) < 1000, refusal.value.code) == (True, "too_large")
