"""The dossier holds everything that a decision stands on; its PDF is kept once."""

import json
from typing import Any

import pytest
from django.utils import timezone

from reviews.models import DecisionPdf
from reviews.sections import digest_of
from reviews.services import decisions, dossiers, events, objections, store
from tests import cases
from tests.services import deeds

pytestmark = pytest.mark.django_db


def dossier() -> dict[str, Any]:
    memo = cases.a_memo_with_waiver()
    objection = deeds.wish(
        "sre_performance_owner", "object", kinds=(), scope_percent="", text="Too few.", would_clear_if="More."
    )
    row = deeds.sign(memo, "quin", objection)
    objections.resolve(actor=row.signer, signature_id=row.pk, reason="Three are enough.")
    deeds.sign(memo, "olga", deeds.wish("inference_platform_owner", scope_percent="5"))
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        cases.sign(memo, name, role)
    return dict(json.loads(cases.decide(memo).dossier))


def test_the_dossier_names_all_that_the_decision_stands_on() -> None:
    found = dossier()

    assert found["decision"]["kind"] == "bounded"
    assert digest_of(found["sections"]["rollout"]) == found["revision"]["section_digests"]["rollout"]
    assert [row["lapse"] for row in found["signatures"] if row["signer"] == "olga"] == [
        "was replaced by a later signature", "",
    ]  # fmt: skip
    (dissent,) = found["dissent"]
    assert (dissent["signer_name"], dissent["resolved_by_name"], dissent["resolved_as"]) == (
        "Quin",
        "Quin",
        "sre_performance_owner",
    )
    (waiver,) = found["waivers"]
    assert (waiver["counts"], waiver["answered_by_name"]) == (True, "Ben")
    assert {row["kind"] for row in found["evidence"]} == {
        "benchmark_run", "batch_policy_curve_pack", "rollback_procedure",
    }  # fmt: skip
    assert {row["parse_state"] for row in found["evidence"]} == {"parsed", "unrecognised"}
    (plan,) = found["plans"]
    assert plan["witnessed"] is False
    assert found["people"]["rob"] == "Rob"
    assert found["headline"]["comparison"] == "C1"
    assert found["trail"]["events"][-1]["hash"] == found["trail"]["head"]


def test_the_dossier_of_an_emergency_on_a_draft_is_whole() -> None:
    memo = cases.a_draft()
    decision = decisions.emergency_rollback(
        actor=cases.person("rob"), memo_id=memo.pk, reason="x", effective_at=timezone.now(),
        authentication=cases.proof(),
    )  # fmt: skip

    found = json.loads(decision.dossier)
    assert (found["evidence"], found["signatures"], found["waivers"], found["dissent"]) != ([], [], [], None)
    assert found["comparisons"][0] == {
        "key": "C3", "assessment": "", "assessed_at": "", "inputs_digest": "", "sentence": "", "result": None,
    }  # fmt: skip
    assert found["headline"]["sentence"] == "No primary comparison yet."
    assert found["memo"]["submitted_at"] == ""


def test_the_pdf_of_a_decision_is_kept_once() -> None:
    memo = cases.a_memo_rolling_out()
    decision = memo.decisions.get()

    row = dossiers.keep_pdf(decision_id=decision.pk, pdf=b"%PDF-1.7 one")

    assert dossiers.keep_pdf(decision_id=decision.pk, pdf=b"%PDF-1.7 two") == row
    assert DecisionPdf.objects.count() == 1
    assert store.is_sound(row.pdf_sha256)
    last = events.chain_of(memo).last()
    assert last is not None
    assert (last.action, last.actor_name) == ("render_pdf", events.CLOCK)
