"""Where a file comes from: what it says itself, what was captured, what people typed; nothing is overwritten."""

import pytest

from analysis.parquet import head_of
from reviews.errors import BadInput
from reviews.models import Artifact
from reviews.services import evidence, manifest, origins, parsing, store
from tests import cases
from tests.evidence import make
from tests.services import deeds
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db
RUN = make.measurements(
    started_at="2026-11-01T12:00:00Z", ended_at="2026-11-01T12:00:30Z",
    identity={"host": "host-1", "commit": "abc"}, settings={"version": "1.2"},
)  # fmt: skip


def taken_in(content: object = RUN, **said: tuple[str, str]) -> Artifact:
    cases.set_up()
    provenance = {name: {"value": value, "source": source} for name, (value, source) in said.items()}
    document = make.document(content, "run.json").content
    artifact = evidence.take_in(actor=cases.person("sam"), name="run.json", chunks=[document], provenance=provenance)
    parsing.parse(artifact, asked="")
    return artifact


def told(artifact: Artifact) -> dict[str, tuple[list[tuple[str, str]], bool]]:
    return {
        one.name: ([(said.value, said.source) for said in one.said], one.conflict)
        for one in origins.origins_of(artifact, parsing.newest(artifact))
    }


def test_what_the_file_states_stands_first_with_its_source() -> None:
    found = told(taken_in(tool=("bench", "capture"), job=("https://ci.example/1", "capture")))

    assert found["version"] == ([("1.2", "file")], False)
    assert found["host"] == ([("host-1", "file")], False)
    assert found["commit"] == ([("abc", "file")], False)
    assert found["tool"] == ([("bench", "capture")], False)
    assert found["started_at"] == ([("2026-11-01T12:00:00.000+00:00", "file")], False)
    assert list(found)[:3] == ["tool", "version", "host"]


def test_sources_that_disagree_are_all_shown_and_said_to() -> None:
    found = told(taken_in(host=("host-2", "capture"), commit=("ABC", "typed")))

    assert found["host"] == ([("host-1", "file"), ("host-2", "capture")], True)
    assert found["commit"] == ([("abc", "file"), ("ABC", "typed")], False)


def test_a_capture_lasts_longer_than_the_run_and_that_is_no_conflict() -> None:
    found = told(taken_in(started_at=("2026-11-01T11:59:58Z", "capture")))

    assert found["started_at"] == (
        [("2026-11-01T12:00:00.000+00:00", "file"), ("2026-11-01T11:59:58Z", "capture")], False,
    )  # fmt: skip


def test_what_is_said_anew_of_the_same_bytes_is_kept_beside_and_overwrites_nothing() -> None:
    first = taken_in(host=("host-1", "capture"))
    for _ in range(2):
        taken_in(host=("host-9", "typed"), job=("7", "capture"))

    assert Artifact.objects.get(pk=first.pk).provenance == {"host": {"value": "host-1", "source": "capture"}}
    assert [(row.name, row.value, row.said_by_name) for row in first.statements.order_by("pk")] == [
        ("host", "host-9", "Sam"), ("job", "7", "Sam"),
    ]  # fmt: skip
    assert told(first)["host"] == ([("host-1", "file"), ("host-1", "capture"), ("host-9", "typed")], True)
    assert str(first.statements.earliest("pk")) == "host of run.json"


def test_what_is_said_anew_must_be_a_provenance_too() -> None:
    taken_in()

    with refused(BadInput, "", "provenance.weather"):
        taken_in(weather=("rain", "typed"))


def test_of_a_file_that_no_format_knows_only_what_came_with_it_is_known() -> None:
    assert told(taken_in("a picture, in words", host=("h", "typed"))) == {"host": ([("h", "typed")], False)}


def test_the_head_of_what_was_read_has_no_rows() -> None:
    parse = parsing.newest(taken_in())
    assert parse is not None
    with store.open_artifact(parse.measurements.table_sha256) as file:
        head = head_of(file)

    assert (len(head.measurements), head.runs, head.settings) == (
        0, parsing.reading_of(parse).runs, parsing.reading_of(parse).settings,
    )  # fmt: skip


def test_the_manifest_of_a_memo_has_every_source() -> None:
    memo = cases.a_memo_with_evidence()
    files = manifest.files_of(deeds.content(memo))
    hosts = [one for file in files for one in file["origins"] if one["name"] == "host"]

    assert {"name": "host", "said": [{"value": "host-1", "source": "file"}], "conflict": False} in hosts
