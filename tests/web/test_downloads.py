"""Files, PDFs and dossiers as downloads, and the page of a file."""

import hashlib
import json

import pytest
from django.urls import reverse

from reviews.models import Artifact, Decision, DecisionPdf, Job
from reviews.services import evidence, store
from reviews.vocabulary import JobState
from tests import cases
from tests.web.asking import as_, follow, page

pytestmark = pytest.mark.django_db


def artifact(start: str) -> Artifact:
    return Artifact.objects.get(name__startswith=start)


def bytes_of(name: str, path: str) -> tuple[bytes, dict[str, str]]:
    response = as_(name).get(path)
    assert response.status_code == 200
    return b"".join(response.streaming_content), dict(response.headers)  # type: ignore[attr-defined]


def test_the_page_of_a_file_shows_what_was_read_from_it() -> None:
    memo = cases.a_memo_with_evidence()

    said = page("aud", reverse("artifact", args=[artifact("runs").sha256]))

    for words in ("countersign-measurements", "b1-candidate", "41.50\u00a0ms", "chat-7b", memo.number):
        assert words in said
    assert "Read it as another format" in said


def test_a_plain_attachment_has_a_page_without_measurements() -> None:
    cases.a_memo_with_evidence()

    said = page("sam", reverse("artifact", args=[artifact("rollback").sha256]))

    assert "none recognised" in said
    assert "Measurements" not in said
    assert "Choose its format by hand, or keep it as an attachment without numbers." in said


def test_a_file_is_always_a_download_and_never_a_page_of_this_site() -> None:
    cases.a_memo_with_evidence()
    made = evidence.take_in(
        actor=cases.person("sam"), name='up/<b>"x.html', chunks=[b"<script>alert(1)</script>"], provenance={}
    )

    body, headers = bytes_of("sam", reverse("artifact-bytes", args=[made.sha256]))

    assert body == b"<script>alert(1)</script>"
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Disposition"].startswith("attachment")
    assert "up/" not in headers["Content-Disposition"]
    assert "sandbox" in headers["Content-Security-Policy"]


@pytest.mark.parametrize("name", ["artifact", "artifact-bytes"])
def test_a_file_of_a_memo_that_one_does_not_see_is_not_found(name: str) -> None:
    cases.a_memo_with_evidence()

    assert as_("eve").get(reverse(name, args=[artifact("runs").sha256])).status_code == 404
    assert as_("sam").get(reverse(name, args=["0" * 64])).status_code == 404


def test_the_procedure_that_the_rollout_names_is_seen_by_its_readers() -> None:
    cases.a_draft()

    assert (
        "Rollback procedure"
        in bytes_of("aud", reverse("artifact-bytes", args=[artifact("rollback").sha256]))[0].decode()
    )


def test_a_format_chosen_by_hand_asks_for_another_reading() -> None:
    cases.a_memo_with_evidence()
    Job.objects.update(state=JobState.DONE)
    file = artifact("rollback")

    got = as_("sam").post(reverse("artifact-format", args=[file.sha256]), {"format": "hyperfine"})

    assert follow(got) == reverse("artifact", args=[file.sha256])
    assert Job.objects.get(state=JobState.WAITING).arguments == {"format": "hyperfine"}
    assert "waiting" in page("sam", reverse("artifact", args=[file.sha256]))


def test_a_stranger_chooses_no_format() -> None:
    cases.a_memo_with_evidence()

    got = as_("eve").post(reverse("artifact-format", args=[artifact("rollback").sha256]), {"format": "hyperfine"})

    assert got.status_code == 404


def test_before_a_decision_there_is_neither_pdf_nor_dossier() -> None:
    memo = cases.a_memo_in_review()

    for name in ("decision-pdf", "dossier"):
        got = as_("bea").get(reverse(name, args=[memo.number]))
        assert got.status_code == 404
        assert "Nothing is decided" in got.content.decode()


def test_the_dossier_is_the_frozen_bytes() -> None:
    memo = cases.a_memo_rolling_out()
    decision = Decision.objects.get()

    got = as_("aud").get(reverse("dossier", args=[memo.number]))

    assert hashlib.sha256(got.content).hexdigest() == decision.dossier_sha256
    assert got.headers["Content-Disposition"] == f'attachment; filename="{memo.number}-decision-1.json"'
    assert json.loads(got.content)["memo"]["number"] == memo.number


def test_a_pdf_that_is_being_made_says_so() -> None:
    memo = cases.a_memo_rolling_out()

    got = as_("aud").get(reverse("decision-pdf", args=[memo.number]))

    assert got.status_code == 202
    assert "The PDF is being made" in got.content.decode()


def test_a_pdf_that_failed_says_why() -> None:
    memo = cases.a_memo_rolling_out()
    Job.objects.filter(kind="pdf").update(state=JobState.FAILED, reason="The font is missing.")

    assert "The font is missing." in as_("aud").get(reverse("decision-pdf", args=[memo.number])).content.decode()


def test_the_pdf_comes_from_the_store() -> None:
    memo = cases.a_memo_rolling_out()
    stored = store.put([b"%PDF-made-up"], limit_bytes=100)
    DecisionPdf.objects.create(
        decision=Decision.objects.get(), pdf_sha256=stored.sha256, size=stored.size, rendered_at=memo.created_at
    )

    body, headers = bytes_of("aud", reverse("decision-pdf", args=[memo.number]) + "?decision=1")

    assert body == b"%PDF-made-up"
    assert headers["Content-Disposition"] == f'attachment; filename="{memo.number}-decision-1.pdf"'


def test_a_decision_that_is_none_is_not_found() -> None:
    memo = cases.a_memo_rolling_out()

    got = as_("aud").get(reverse("dossier", args=[memo.number]) + "?decision=7")

    assert got.status_code == 404
    assert "no decision 7" in got.content.decode()


def test_a_stranger_gets_no_record() -> None:
    memo = cases.a_memo_rolling_out()

    assert [as_("eve").get(reverse(name, args=[memo.number])).status_code for name in ("decision-pdf", "dossier")] == [
        404,
        404,
    ]
