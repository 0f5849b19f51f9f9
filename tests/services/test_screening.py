"""Secrets and texts are found before a file is stored: refused, taken out, or kept by a named person."""

import gzip
import json
from typing import Any

import pytest

from reviews.digests import sha256_of
from reviews.errors import BadInput
from reviews.models import Artifact
from reviews.services import events, evidence, parsing, store
from reviews.services.evidence import Texts
from tests import cases
from tests.evidence import make

pytestmark = pytest.mark.django_db
TOKEN = "hf_" + "Ab3" * 12
DETAILED = json.dumps(make.detailed()).encode()


def take_in(content: bytes, texts: Texts | None = None, name: str = "runs.json") -> Artifact:
    cases.set_up()
    more: dict[str, Any] = {} if texts is None else {"texts": texts}
    return evidence.take_in(actor=cases.person("sam"), name=name, chunks=[content], provenance={}, **more)


def refused(content: bytes, texts: Texts | None = None) -> BadInput:
    before = Artifact.objects.count()
    with pytest.raises(BadInput) as refusal:
        take_in(content, texts)
    assert Artifact.objects.count() == before
    assert not store.holds(sha256_of(content))
    return refusal.value


def test_a_secret_is_refused_by_its_kind_and_place_and_never_repeated() -> None:
    refusal = refused(b'{"a": 1,\n"token": "' + TOKEN.encode() + b'"}')

    assert (refusal.code, refusal.where) == ("secret_found", "runs.json")
    assert "runs.json, line 2: a token of Hugging Face." in refusal.message
    assert "kept_because" in refusal.needs
    assert [one.code for one in refusal.missing] == ["secret_found"]
    assert TOKEN not in str(refusal.as_problem())


def test_texts_are_refused_and_the_way_out_is_said() -> None:
    refusal = refused(DETAILED)

    assert refusal.code == "texts_found"
    assert "texts in the field generated_texts" in refusal.message
    assert "drop_texts" in refusal.needs


def test_many_places_are_counted_and_secrets_come_first() -> None:
    rows = [{"prompt": "a", "output_text": "b", "generated_text": "c", "input_text": "d"}, {"note": TOKEN}]
    refusal = refused(json.dumps(rows).encode())

    assert refusal.code == "secret_found"
    assert "a token of Hugging Face. runs.json, line 1: texts in the field prompt." in refusal.message
    assert refusal.message.endswith("And 2 more.")


def test_what_cannot_be_searched_is_refused() -> None:
    content = DETAILED
    for _ in range(3):
        content = gzip.compress(content)

    assert refused(content).code == "not_searched"


def test_texts_are_taken_out_into_a_new_artifact_that_says_so() -> None:
    artifact = take_in(DETAILED, Texts(drop=True))
    with store.open_artifact(artifact.sha256) as file:
        kept = file.read()

    assert json.loads(kept) == json.loads(DETAILED) | {"generated_texts": []}
    assert artifact.sha256 == sha256_of(kept) != sha256_of(DETAILED)
    assert not store.holds(sha256_of(DETAILED))
    assert artifact.provenance["texts_dropped"] == {
        "value": f"generated_texts; the file as it came: SHA-256 {sha256_of(DETAILED)}",
        "source": "capture",
    }
    parsing.parse(artifact, asked="")
    assert artifact.parses.get().format == "vllm-bench-serve"


def test_a_file_without_texts_stays_byte_for_byte_when_they_are_to_be_dropped() -> None:
    artifact = take_in(b'{"a": 1.50}', Texts(drop=True))

    assert (artifact.sha256, artifact.provenance) == (sha256_of(b'{"a": 1.50}'), {})


def test_a_secret_in_a_text_goes_with_it_and_one_beside_it_is_refused() -> None:
    within = json.dumps({"prompt": TOKEN}).encode()
    beside = json.dumps({"prompt": "x", "header": TOKEN}).encode()

    assert take_in(within, Texts(drop=True)).size == len(b'{"prompt": ""}')
    assert refused(beside, Texts(drop=True)).code == "secret_found"


@pytest.mark.parametrize(
    "content", [gzip.compress(DETAILED), DETAILED.decode().encode("utf-16")], ids=["packed", "utf-16"]
)
def test_texts_in_a_packed_or_recoded_file_cannot_be_taken_out(content: bytes) -> None:
    assert refused(content, Texts(drop=True)).code == "texts_not_dropped"


def test_a_text_that_breaks_off_cannot_be_taken_out() -> None:
    assert refused(b'{"prompt": "a', Texts(drop=True)).code == "texts_not_dropped"


def test_somebody_keeps_what_was_found_and_is_recorded_by_name_and_reason() -> None:
    artifact = take_in(DETAILED, Texts(kept_because="The prompts are a public data set."))
    [taken] = events.chain_of(artifact)

    assert artifact.sha256 == sha256_of(DETAILED)
    assert artifact.provenance["kept_because"] == {"value": "The prompts are a public data set.", "source": "typed"}
    assert taken.actor_name == artifact.taken_in_by_name
    assert taken.detail["kept"] == ["runs.json, line 1: texts in the field generated_texts."]
    assert taken.detail["kept_because"] == "The prompts are a public data set."


def test_a_reason_where_nothing_was_found_is_not_recorded() -> None:
    artifact = take_in(b'{"a": 1}', Texts(kept_because="In case."))

    assert artifact.provenance == {}
    assert "kept" not in events.chain_of(artifact).get().detail


def test_what_was_dropped_and_what_was_kept_are_both_said() -> None:
    content = json.dumps({"prompt": "x", "header": TOKEN}).encode()
    artifact = take_in(content, Texts(drop=True, kept_because="It is revoked."))

    assert sorted(artifact.provenance) == ["kept_because", "texts_dropped"]


def test_a_reason_is_no_book() -> None:
    assert refused(DETAILED, Texts(kept_because="x" * 501)).code == "too_long"


def test_who_sends_a_file_cannot_say_that_somebody_kept_it() -> None:
    cases.set_up()
    said = {"kept_because": {"value": "Somebody said so.", "source": "typed"}}

    with pytest.raises(BadInput):
        evidence.take_in(actor=cases.person("sam"), name="a", chunks=[b"x"], provenance=said)


def test_bytes_that_are_stored_already_are_known_and_not_looked_at_again() -> None:
    first = take_in(DETAILED, Texts(kept_because="Public."))

    assert take_in(DETAILED) == first
    assert take_in(DETAILED, Texts(drop=True)) != first
