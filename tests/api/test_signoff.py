"""Signatures and decisions to read, waivers to ask for; no way to sign, decide or approve."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.models import Decision, DecisionPdf, Signature, WaiverApproval
from reviews.services import store
from tests import cases
from tests.api.asking import Asker, as_person, as_token, good, of, problem

pytestmark = pytest.mark.django_db

BROWSER_ONLY = ("signatures/", "decisions/", "waivers/1/approval/")


def wish(**changed: str) -> dict[str, str]:
    usual = {
        "requirement": cases.ENERGY,
        "owner": "tess",
        "reason": "No power counter.",
        "control": "Rack power is watched.",
        "expires_at": (timezone.now() + timedelta(days=30)).isoformat(),
    }
    return {**usual, **changed}


@pytest.mark.parametrize("path", BROWSER_ONLY)
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("asker", [as_person, as_token])
def test_no_program_signs_decides_or_approves(path: str, method: str, asker: Any) -> None:
    memo = cases.a_memo_with_evidence()
    cases.ask_for_waiver(memo)
    bea: Asker = asker("bea")

    response = bea.ask(method, of(memo, path), {"kind": "bounded", "position": "approve"})
    body = problem(response, 405, "in_a_browser")

    assert "in a browser" in body["detail"]
    assert "GET" in response["Allow"]
    assert method.upper() not in response["Allow"]
    assert not Signature.objects.exists()
    assert not Decision.objects.exists()
    assert not WaiverApproval.objects.exists()


def test_signatures_are_shown_with_what_they_cover() -> None:
    memo = cases.a_memo_with_waiver()
    cases.sign(memo, "olga", "inference_platform_owner", "approve_with_conditions")

    (one,) = good(as_token("bea", "read").get(of(memo, "signatures/")))

    assert (one["signer"], one["position"], one["greatest_scope_percent"]) == (
        "Olga",
        "approve_with_conditions",
        "10.0000",
    )
    assert one["conditions"] == [
        {
            "id": one["conditions"][0]["id"],
            "number": 1,
            "text": "Watch the queue.",
            "owner": "Sam",
            "proof": "The queue's dashboard of one week.",
            "cleared_by": None,
            "cleared_at": None,
            "proved": None,
        }
    ]
    assert one["section_digests"]
    assert (one["withdrawn_at"], one["resolved_by"]) == (None, None)


def test_a_decision_its_dossier_and_its_pdf() -> None:
    memo = cases.a_memo_rolling_out()
    decision = memo.decisions.get()
    bea = as_token("bea", "read")

    listed = good(bea.get(of(memo, "decisions/")))
    dossier = bea.get(of(memo, "decisions/1/dossier/"))
    problem(bea.get(of(memo, "decisions/1/pdf/")), 409, "pdf_not_ready")
    stored = store.put([b"%PDF-1.7"], limit_bytes=100)
    DecisionPdf.objects.create(decision=decision, pdf_sha256=stored.sha256, size=8, rendered_at=timezone.now())
    pdf = bea.get(of(memo, "decisions/1/pdf/"))

    assert [(row["number"], row["kind"], row["scope_percent"]) for row in listed] == [(1, "bounded", "10.0000")]
    assert hashlib.sha256(dossier.content).hexdigest() == listed[0]["dossier_sha256"] == decision.dossier_sha256
    assert dossier["ETag"] == f'"{decision.dossier_sha256}"'
    assert b"".join(pdf.streaming_content) == b"%PDF-1.7"
    assert pdf["Content-Type"] == "application/pdf"
    assert f"{memo.number}-decision-1.pdf" in pdf["Content-Disposition"]
    assert good(bea.get(of(memo, "decisions/1/")))["pdf_sha256"] == stored.sha256
    problem(bea.get(of(memo, "decisions/2/")), 404, "not_found")


def test_a_waiver_is_asked_for_and_shown() -> None:
    memo = cases.a_memo_with_evidence()
    ann = as_token("ann", "file", "read")

    made = good(ann.post(of(memo, "waivers/"), wish()), 201)

    assert (made["requirement"], made["subject"], made["state"]) == (
        "the_symptom_is_complete",
        "energy_per_request.mean",
        "requested",
    )
    assert good(ann.get(of(memo, "waivers/"))) == [made]
    problem(ann.get(of(memo, f"waivers/{made['id']}/approval/")), 404, "not_found")


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"requirement": "nobody_objects"}, 422, "not_waivable"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, 422, "waiver_too_long"),
        ({"owner": "nobody"}, 404, "not_found"),
        ({"reason": " "}, 422, "no_reason"),
        ({"expires_at": "soon"}, 422, "bad_input"),
    ],
)
def test_a_waiver_that_cannot_be_asked_for(changed: dict[str, str], status: int, code: str) -> None:
    memo = cases.a_memo_with_evidence()

    problem(as_person("ann").post(of(memo, "waivers/"), wish(**changed)), status, code)


def test_the_board_declines_a_waiver_and_a_token_does_not() -> None:
    memo = cases.a_memo_with_evidence()
    waiver = cases.ask_for_waiver(memo)
    where = of(memo, f"waivers/{waiver.pk}/decline/")

    problem(as_token("ben").post(where, {"reason": "No."}), 403, "person_needed")
    answer = good(as_person("ben").post(where, {"reason": "Measure it."}))

    assert (answer["state"], answer["note"], answer["by"]) == ("declined", "Measure it.", "Ben")
    assert good(as_person("ann").get(of(memo, f"waivers/{waiver.pk}/approval/"))) == answer
    problem(as_person("ben").post(where, {"reason": "Again."}), 409, "answered_already")


def test_a_waiver_of_another_memo_is_not_there() -> None:
    memo, other = cases.a_memo_with_evidence(), cases.a_draft("Other")
    waiver = cases.ask_for_waiver(memo)

    problem(as_person("ben").post(of(other, f"waivers/{waiver.pk}/decline/"), {"reason": "No."}), 404, "not_found")
