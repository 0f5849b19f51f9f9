"""Files and evidence sets over the API."""

import base64
import hashlib
import json
from typing import Any

import pytest
from django.utils import timezone

from reviews.models import Artifact, Job, Memo
from reviews.services import evidence, parsing, store
from reviews.vocabulary import JobState
from tests import cases, cast
from tests.api.asking import as_person, as_token, good, of, problem, tag

pytestmark = pytest.mark.django_db


CONTENT = b'{"some": "runs"}'
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def content_digest(content: bytes) -> str:
    return f"sha-256=:{base64.b64encode(hashlib.sha256(content).digest()).decode()}:"


def labels(artifact: str, **said: str) -> dict[str, str]:
    return {"artifact": artifact, "kind": "benchmark_run", "use": "confirming", **said}


def held_by(memo: Memo) -> Artifact:
    """A file that the memo holds."""
    return memo.evidence_sets.get().attachments.earliest("pk").artifact


def test_a_file_is_taken_in_named_by_its_digest_and_read_by_a_job() -> None:
    cases.a_draft()

    response = as_token("sam", "attach").send_file(CONTENT)
    made = good(response, 201)

    assert made["sha256"] == SHA256
    assert (made["name"], made["size"], made["parse"]) == ("runs.json", len(CONTENT), None)
    assert response["Location"] == f"/api/v1/artifacts/{SHA256}/"
    assert Job.objects.get(pk=made["job"]).kind == "parse"


def test_the_same_bytes_are_one_file() -> None:
    cases.a_draft()
    sam = as_person("sam")

    assert good(sam.send_file(CONTENT), 201)["sha256"] == good(sam.send_file(CONTENT, "again.json"), 201)["sha256"]
    assert Artifact.objects.filter(sha256=SHA256).count() == 1


def test_name_and_provenance_are_kept() -> None:
    cases.a_draft()
    said = {"host": {"value": "host-1", "source": "capture"}}

    made = good(as_person("sam").send_file(CONTENT, name="b01.json", provenance=json.dumps(said)), 201)

    assert (made["name"], made["provenance"]) == ("b01.json", said)
    again = {"host": {"value": "host-2", "source": "typed"}}
    made = good(as_person("sam").send_file(CONTENT, provenance=json.dumps(again)), 201)
    assert made["provenance"] == said
    assert made["origins"] == [{"name": "host", "said": [said["host"], again["host"]], "conflict": True}]


def test_secrets_and_texts_are_refused_with_their_places_and_a_way_out() -> None:
    cases.a_draft()
    content = b'{"prompt": "hello", "note": "hf_' + b"Ab3" * 12 + b'"}'

    body = problem(as_person("sam").send_file(content), 422, "secret_found")

    assert [one["code"] for one in body["missing"]] == ["secret_found", "texts_found"]
    assert "line 1: a token of Hugging Face." in body["detail"]
    assert not Artifact.objects.filter(sha256=hashlib.sha256(content).hexdigest()).exists()


def test_texts_are_dropped_or_kept_as_the_request_says() -> None:
    cases.a_draft()
    sam, content = as_person("sam"), b'{"prompt": "hello"}'

    dropped = good(sam.send_file(content, drop_texts="true"), 201)
    kept = good(sam.send_file(content, kept_because="It is a public prompt."), 201)

    assert dropped["sha256"] == hashlib.sha256(b'{"prompt": ""}').hexdigest()
    assert "texts_dropped" in dropped["provenance"]
    assert kept["sha256"] == hashlib.sha256(content).hexdigest()
    assert kept["provenance"]["kept_because"]["value"] == "It is a public prompt."


@pytest.mark.parametrize("said", ["nonsense", "[]", '{"host": "host-1"}', '{"host": {"value": 1, "source": "typed"}}'])
def test_provenance_that_is_none_is_refused(said: str) -> None:
    cases.a_draft()

    body = problem(as_person("sam").send_file(CONTENT, provenance=said), 422, "bad_input")

    assert body["where"] == "/provenance"


@pytest.mark.parametrize(
    "named", [{"sha256": SHA256}, {"Content_Digest": content_digest(CONTENT)}], ids=["field", "header"]
)
def test_a_digest_that_fits_is_accepted(named: dict[str, str]) -> None:
    cases.a_draft()

    good(as_person("sam").send_file(CONTENT, **named), 201)


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ({"sha256": "0" * 64}, "digest_differs"),
        ({"Content_Digest": content_digest(b"other")}, "digest_differs"),
        ({"Content_Digest": content_digest(b"other"), "sha256": SHA256}, "bad_digest"),
        ({"Content_Digest": "md5=:AAAA:"}, "bad_digest"),
        ({"Content_Digest": "sha-256=:AAAA:"}, "bad_digest"),
        ({"Content_Digest": "sha-256=:A:"}, "bad_digest"),
    ],
)
def test_a_file_with_another_digest_than_named_is_refused_and_not_kept(named: dict[str, str], code: str) -> None:
    cases.a_draft()

    problem(as_person("sam").send_file(CONTENT, **named), 422, code)

    assert not Artifact.objects.filter(sha256=SHA256).exists()
    assert not store.holds(SHA256)


def test_a_file_over_the_limit_is_refused(settings: Any) -> None:
    cases.a_draft()
    settings.ARTIFACT_LIMIT_BYTES = 8

    problem(as_person("sam").send_file(CONTENT), 413, "too_large")


def test_a_body_far_over_the_limit_is_refused_before_it_is_read(settings: Any) -> None:
    cases.a_draft()
    settings.ARTIFACT_LIMIT_BYTES = 8

    problem(as_person("sam").send_file(b"x" * 100_000), 413, "too_large")
    assert not list((settings.ARTIFACT_ROOT).glob("incoming/*"))


def test_an_empty_file_is_refused() -> None:
    cases.a_draft()

    problem(as_person("sam").send_file(b""), 422, "empty_file")


def test_a_file_is_shown_to_its_sender_and_to_who_sees_a_memo_that_holds_it() -> None:
    memo = cases.a_memo_with_evidence()
    held = held_by(memo).sha256
    cast.assign(cast.a_team("training"), "eve", "contributor")
    good(as_person("eve").send_file(CONTENT), 201)

    assert good(as_person("bea").get(f"artifacts/{held}/"))["parse"]["state"] == "parsed"
    good(as_person("eve").get(f"artifacts/{SHA256}/"))
    problem(as_person("eve").get(f"artifacts/{held}/"), 404, "not_found")
    problem(as_person("eve").get(f"artifacts/{held}/content/"), 404, "not_found")
    problem(as_person("bea").get(f"artifacts/{SHA256}/"), 404, "not_found")


def test_the_bytes_come_back_as_an_attachment() -> None:
    cases.a_draft()
    sam = as_person("sam")
    sam.send_file(CONTENT, "<script>.html")

    response = sam.get(f"artifacts/{SHA256}/content/")

    assert b"".join(response.streaming_content) == CONTENT
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment;")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["ETag"] == f'"{SHA256}"'
    assert response["Content-Digest"] == content_digest(CONTENT)


def test_the_format_of_a_file_is_overridden() -> None:
    memo = cases.a_memo_with_evidence()
    held = held_by(memo)
    Job.objects.update(state=JobState.DONE)
    sam = as_token("sam", "attach")

    asked = good(sam.post(f"artifacts/{held.sha256}/format/", {"format": parsing.format_names()[0]}), 202)

    assert asked["job"]
    problem(sam.post(f"artifacts/{held.sha256}/format/", {"format": "no such"}), 404, "not_found")


def test_a_set_is_opened_filled_and_sealed_once() -> None:
    memo = cases.a_memo_in_review()
    sam = as_token("sam", "attach", "read")
    runs = cases.runs_file(cases.AS_MEASURED, timezone.now())
    sha256 = good(sam.send_file(runs), 201)["sha256"]
    parsing.parse(Artifact.objects.get(sha256=sha256), asked="")

    opened = good(sam.post(of(memo, "evidence-sets/"), {"title": "Blocks", "plan": f"plan-of-{memo.number}"}), 201)
    attached = good(
        sam.post(
            of(memo, "evidence-sets/1/attachments/"), labels(sha256, arm="baseline", run="b1-baseline", block="b1")
        ),
        201,
    )
    sealed = good(sam.post(of(memo, "evidence-sets/1/seal/")))

    assert (opened["number"], opened["state"], opened["sealed_by"]) == (1, "open", None)
    assert (attached["token"], attached["attached_by"]) == ("nightly", "Sam")
    assert (sealed["state"], sealed["sealed_by"], len(sealed["attachments"])) == ("sealed", "sam", 1)
    assert good(sam.get(of(memo, "evidence-sets/1/"))) == sealed
    assert good(sam.get(of(memo, "evidence-sets/"))) == [sealed]
    problem(sam.post(of(memo, "evidence-sets/1/seal/")), 409, "set_is_sealed")
    problem(sam.post(of(memo, "evidence-sets/1/attachments/"), labels(sha256)), 409, "set_is_sealed")


def test_a_file_that_was_not_sent_is_not_attached() -> None:
    memo = cases.a_memo_in_review()
    sam = as_person("sam")
    sam.post(of(memo, "evidence-sets/"), {"title": "Blocks"})

    problem(sam.post(of(memo, "evidence-sets/1/attachments/"), labels("0" * 64)), 404, "not_found")
    problem(sam.post(of(memo, "evidence-sets/1/attachments/"), labels(SHA256, arm="left")), 422, "bad_input")
    problem(sam.post(of(memo, "evidence-sets/2/attachments/"), labels(SHA256)), 404, "not_found")


def test_an_attachment_says_who_took_it_out_and_why_or_blank() -> None:
    memo = cases.a_memo_in_review()
    sam = as_person("sam")
    sam.post(of(memo, "evidence-sets/"), {"title": "Blocks"})
    sam.send_file(CONTENT)
    made = good(sam.post(of(memo, "evidence-sets/1/attachments/"), labels(SHA256, arm="baseline")), 201)
    [counts] = good(sam.get(of(memo, "evidence-sets/1/")))["attachments"]
    evidence.detach(actor=cases.person("sam"), attachment_id=made["id"], reason="Another machine's.")
    [struck] = good(sam.get(of(memo, "evidence-sets/1/")))["attachments"]

    assert (counts["taken_out_by"], counts["taken_out_because"]) == ("", "")
    assert (struck["taken_out_by"], struck["taken_out_because"]) == ("Sam", "Another machine's.")


def test_the_stated_clock_of_a_log_is_kept_and_one_that_says_nothing_is_refused() -> None:
    memo = cases.a_memo_in_review()
    sam = as_person("sam")
    sam.post(of(memo, "evidence-sets/"), {"title": "Blocks"})
    sam.send_file(CONTENT)
    door = of(memo, "evidence-sets/1/attachments/")

    problem(sam.post(door, labels(SHA256, arm="baseline", clock="noon")), 422, "bad_clock")
    assert good(sam.post(door, labels(SHA256, arm="baseline", clock="+3600")), 201)["clock"] == "+3600"


def test_a_set_whose_files_are_unread_is_not_sealed() -> None:
    memo = cases.a_memo_in_review()
    sam = as_person("sam")
    sam.post(of(memo, "evidence-sets/"), {"title": "Blocks"})
    sam.send_file(CONTENT)
    good(sam.post(of(memo, "evidence-sets/1/attachments/"), labels(SHA256, arm="baseline")), 201)

    problem(sam.post(of(memo, "evidence-sets/1/seal/")), 409, "still_reading")


def test_who_only_reads_opens_no_set() -> None:
    memo = cases.a_memo_in_review()

    problem(as_person("aud").post(of(memo, "evidence-sets/"), {"title": "Blocks"}), 403, "not_permitted")


def test_an_attachment_does_not_change_the_tag_but_a_seal_does() -> None:
    memo = cases.a_memo_in_review()
    before = tag(memo)
    row = cases.an_open_set(memo)
    assert tag(memo) == before

    good(as_person("sam").post(of(memo, f"evidence-sets/{row.number}/seal/")))

    assert tag(memo) != before


@pytest.mark.parametrize("name", ["eve", "aud"])
def test_who_works_for_no_team_or_only_audits_sends_no_file(name: str) -> None:
    cases.set_up()

    said = problem(as_person(name).send_file(CONTENT), 403, "no_role")

    assert "author or contributor" in str(said)
    problem(as_token(name, "attach").send_file(CONTENT), 403, "no_role")
    assert not Artifact.objects.exists()
    good(as_person("rob").send_file(CONTENT), 201)
