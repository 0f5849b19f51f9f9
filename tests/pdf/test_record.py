"""What the pages say: page one, every section, and the cases in which something is not there."""

from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from reviews import printing
from reviews.pdf.record import record_of
from reviews.pdf.rendering import Paper, html_of
from tests.pdf.conftest import Dossier, compared
from tests.pdf.reading import text_of

Change = Callable[[Any], None]


def page(dossier: Dossier) -> str:
    """The HTML that is rendered, with white space made even."""
    return " ".join(unescape(html_of(record_of(dossier), Paper.A4)).replace(printing.SPACE, " ").split())


def test_page_one_is_enough_to_decide(dossier: Dossier, pdf: Path) -> None:
    text = text_of(pdf, 1)
    interval = compared(dossier, "C1")["result"]["interval"]
    for wanted in (
        dossier["memo"]["number"],
        dossier["memo"]["title"],
        "Bounded rollout, up to 10 %",
        "Decided by Bea",
        dossier["decision"]["rationale"],
        printing.utc(dossier["decision"]["recorded_at"]),
        "rolling out",
        f"{printing.significant(interval['estimate'])} {printing.range_of(interval['lo'], interval['hi'])}",
        "95 % confidence interval",
        "paired_log, 3 blocks, this placement only",
        "The machine shows no power counter.",
        "Missing at the decision none",
        "Dissent none",
        "speaks for “this placement only”",
    ):
        assert wanted in text, wanted
    for signature in dossier["signatures"]:
        assert signature["signer_name"] in text
        assert signature["role_title"] in text
        assert printing.utc(signature["signed_at"]) in text


def test_every_number_of_a_comparison_is_on_paper(dossier: Dossier, pdf: Path) -> None:
    text = text_of(pdf)
    for key in ("C1", "C2"):
        result = compared(dossier, key)["result"]
        greatest = max(float(run["value"]) for run in result["runs"])
        unit = printing.unit_for(greatest, result["runs"][0]["unit"])
        for run in result["runs"]:
            assert run["label"] in text.replace(" ", "")
            assert printing.in_unit(run["value"], unit) in text
        for end in ("estimate", "lo", "hi"):
            assert printing.significant(result["interval"][end]) in text


def test_every_digest_is_printed_whole(dossier: Dossier, pdf: Path) -> None:
    text = text_of(pdf).replace(" ", "")
    whole = [dossier["trail"]["head"], dossier["revision"]["digest"], *dossier["revision"]["section_digests"].values()]
    whole += [signature["statement_sha256"] for signature in dossier["signatures"]]
    whole += [part["assessment"] for part in dossier["comparisons"] if part["assessment"]]
    missing = [digest for digest in whole if digest not in text]

    assert missing == []


def test_the_manifest_names_every_file_with_digest_kind_tool_and_size(dossier: Dossier) -> None:
    html = page(dossier)
    for file in dossier["evidence"]:
        assert file["name"] in html
        assert file["kind"].replace("_", " ") in html
        assert printing.size(file["size"]).replace(printing.SPACE, " ") in html
        assert "<wbr>".join(printing.digest_groups(file["sha256"])) in html
    assert "countersign-measurements, parser" in html


def test_a_redacted_file_is_said_to_be_in_the_manifest(dossier: Dossier) -> None:
    assert "Bytes redacted" not in page(dossier)

    dossier["evidence"][0]["redacted"] = "redacted by Adi on 2026-12-01 (a secret: the key of the pool)"

    assert "Bytes redacted by Adi on 2026-12-01 (a secret: the key of the pool)." in page(dossier)


def test_an_imported_plan_is_said_to_be_imported(dossier: Dossier) -> None:
    assert "this installation did not witness it" in page(dossier)

    dossier["plans"][0]["witnessed"] = True

    assert "witnessed by this installation" in page(dossier)


def test_predictions_stand_beside_their_judgement(dossier: Dossier) -> None:
    html = page(dossier)
    judged = {j["key"]: j for c in dossier["comparisons"] if c["result"] for j in c["result"]["judgements"]}

    assert judged
    for row in dossier["sections"]["hypotheses"]["hypotheses"]:
        for prediction in row["predictions"]:
            assert f'<th scope="row">{prediction["key"]}</th>' in html
            assert judged[prediction["key"]]["sentence"] in html


def test_rules_in_force_are_printed_with_their_answers(dossier: Dossier) -> None:
    html = page(dossier)

    assert all(line["sentence"] in html for line in dossier["gate"])
    assert "the symptom is complete: energy_per_request.mean" in html


def _objection(dossier: Dossier) -> None:
    dossier["dissent"] = [
        {
            "signer_name": "Quin", "role": "sre_performance_owner", "text": "The tail was not replayed.",
            "would_clear_if": "A replay shows it.", "signed_at": "2026-03-01T10:00:00+00:00",
            "resolved_by_name": "", "resolved_as": "", "resolution": "",
        }
    ]  # fmt: skip


def _resolved_objection(dossier: Dossier) -> None:
    _objection(dossier)
    dossier["dissent"][0] |= {"resolved_by_name": "Esk", "resolved_as": "escalation_owner", "resolution": "It was."}


def _overridden(dossier: Dossier) -> None:
    _objection(dossier)
    at = "2031-01-02T03:04:05+00:00"
    dossier["dissent"][0] |= {
        "acting_for_name": "Olga", "resolved_by_name": "Ben", "resolved_as": "board",
        "resolution": "Bounded to one host.",
        "overridden_at": at, "heard_at": at, "heard_by_name": "Bea", "heard": "Weighed.",
        "answers": [{"by_name": "Ann", "at": at, "text": "It is bounded."}],
    }  # fmt: skip


def _independent(dossier: Dossier) -> None:
    dossier["independence"] = {
        "sentence": "Independent signers: 3 of 4.", "others": [{"name": "pat", "why": "own work"}], "recused": ["una"],
    }  # fmt: skip


def _conditions(dossier: Dossier) -> None:
    one = {
        "text": "Watch it.", "owner_name": "Sam", "proof": "a dashboard", "cleared_by_name": "Bea",
        "cleared_as": "board", "cleared_at": "2031-01-02T03:04:05+00:00", "proved": "Week 49.",
    }  # fmt: skip
    dossier["signatures"][2]["conditions"] = [one, one | {"cleared_by_name": ""}]


def _emergency(dossier: Dossier) -> None:
    dossier["decision"] |= {"emergency": True, "kind": "rollback", "scope_percent": ""}
    dossier["gate"][0] |= {"blocks": True, "state": "unmet", "sentence": "What hurts is not stated."}


def _lapsed(dossier: Dossier) -> None:
    dossier["signatures"][0] |= {"counts": False, "lapse": "was withdrawn", "acting_for_name": "Olga's deputy"}
    dossier["signatures"][1] |= {"kinds": [], "scope_percent": "", "text": "I was asked late.", "own_work": True}
    dossier["signatures"][2] |= {"conditions": ["Watch the queue."], "would_clear_if": "A replay shows it."}
    dossier["waivers"][0] |= {"lapse": "its owner has left"}


def _unanswered(dossier: Dossier) -> None:
    dossier["waivers"][0] |= {"state": "requested", "answered_by_name": "", "answered_at": ""}


def _resolution(dossier: Dossier) -> None:
    dossier["sections"]["hypotheses"]["hypotheses"][0]["resolution"] = {
        "state": "open", "reason": "A second host is measured.", "owner": "ann", "due": "2031-01-01",
    }  # fmt: skip


def _open_prediction(dossier: Dossier) -> None:
    prediction = dossier["sections"]["hypotheses"]["hypotheses"][0]["predictions"][0]
    prediction |= {"key": "P9", "low": "", "high": "0.95", "registered_at": "", "condition": ""}


def _open_above(dossier: Dossier) -> None:
    dossier["sections"]["action"]["expected"] = [
        {"metric": "step_time", "stat": "p99", "low": "0.5", "high": "", "said": "a step time"},
        {"metric": "step_time", "stat": "mean", "low": "", "high": "", "said": "some step time"},
    ]


def _post_hoc(dossier: Dossier) -> None:
    compared(dossier, "C1")["result"]["judgements"][0]["post_hoc"] = True


def _kept_and_unfilled(dossier: Dossier) -> None:
    dossier["sections"]["header"]["kept"] = [{"line": 7, "text": "A line of Ann's own."}]
    dossier["sections"]["header"]["unfilled"] = [{"field": "action.rollback_target", "wanted": "last shipped state"}]


def _escalation(dossier: Dossier) -> None:
    dossier["sections"]["signoff"]["escalation"] = {"to": "Esk", "by": "2031-01-01", "question": "Which tail counts?"}


def _explained(dossier: Dossier) -> None:
    dossier["sections"]["comparisons"]["comparisons"][0]["explanations"] = [
        {"setting": "driver", "text": "A patch release.", "greatest_effect": "1.01", "by": "ann", "accepted_by": "olga"}
    ]
    dossier["sections"]["comparisons"]["comparisons"][0]["stated"] = [
        {"setting": "seed", "arm": "baseline", "value": "7", "by": "sam"}
    ]


def _blocking_audit(dossier: Dossier) -> None:
    compared(dossier, "C1")["result"]["audit"][0] |= {"state": "differs", "blocks": True, "explanation": "Why it is."}


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (_objection, ["Quin: The tail was not replayed. Not resolved.", "Would clear if: A replay shows it."]),
        (_resolved_objection, ["Resolved by Esk: It was.", "Resolved by Esk (escalation owner): It was."]),
        (
            _overridden,
            [
                "Overridden by the board at its second meeting: Bounded to one host.",
                "answered on",
                "Heard by the board on",
                "at the second meeting of the board on",
                "acting for Olga",
            ],
        ),
        (_independent, ["Independent signers: 3 of 4.", "pat is not counted: own work.", "una recused."]),
        (_conditions, ["Owner: Sam. It will show: a dashboard.", "Cleared by Bea (board)", "Not cleared."]),
        (_emergency, ["as an <strong>emergency</strong>", "What hurts is not stated.", "rollback</p>"]),
        (
            _lapsed,
            ["was withdrawn", "for Olga's deputy", "own work", "Watch the queue.", "no decision", "its owner has left"],
        ),
        (_unanswered, ["not answered"]),
        (_resolution, ["A second host is measured. Owner: ann, due 2031-01-01."]),
        (_open_prediction, ["at most 0.95", "not registered", "not judged"]),
        (_open_above, ["step time p99", "at least 0.5", "not given"]),
        (_post_hoc, ["post hoc."]),
        (_kept_and_unfilled, ["Line 7: A line of Ann's own.", "action.rollback_target: last shipped state"]),
        (_escalation, ["To Esk, by 2031-01-01: Which tail counts?"]),
        (_explained, ["A patch release. Greatest effect 1.01. By ann, accepted by olga.", "baseline: 7, by sam"]),
        (_blocking_audit, ["blocks", "Why it is."]),
    ],
)
def test_what_is_special_is_said(dossier: Dossier, change: Change, wanted: list[str]) -> None:
    before = page(dossier)
    change(dossier)

    after = page(dossier)

    assert [words for words in wanted if words not in after] == []
    assert [words for words in wanted if words not in before] != []


def _empty(dossier: Dossier) -> None:
    sections = dossier["sections"]
    header = sections["header"]
    for name in sections:
        sections[name] = {}
    sections["header"] = header
    dossier |= {"comparisons": [], "signatures": [], "waivers": [], "evidence": [], "plans": []}
    dossier["headline"] = {"comparison": "", "sentence": "No primary comparison yet.", "outcome": "", "result": None}
    dossier["preview"]["decisions"] = []


def test_what_is_not_there_is_said_too(dossier: Dossier) -> None:
    _empty(dossier)

    html = page(dossier)

    for said in (
        "No primary comparison yet.", "Nobody has signed.", "Nothing is waived.", "No file is attached.",
        "No plan is registered.", "No set is sealed.", "No risk is answered.", "No stage is agreed.",
        "No rollback trigger is agreed.", "None is planned.", "None is stated.", "None is named.", "Not described.",
        "none are named", "Nobody objected.",
    ):  # fmt: skip
        assert said in html, said


def test_a_ship_is_not_asked_why_it_is_none(dossier: Dossier) -> None:
    assert "Why not ship" in page(dossier)

    dossier["decision"] |= {"kind": "ship", "scope_percent": "100"}

    assert "Why not ship" not in page(dossier)


def test_text_from_a_memo_is_no_markup(dossier: Dossier) -> None:
    dossier["memo"]["title"] = "<script>alert(1)</script>"

    assert "<script>" not in html_of(record_of(dossier), Paper.A4)


def test_what_the_comparisons_say_together_is_printed_as_it_was_frozen(dossier: Dossier) -> None:
    together = dossier["together"]
    text = page(dossier)

    assert (together["ships"], together["attribution"]["rung"]) == (True, 2)
    for said in (
        "All comparisons together",
        together["ship"],
        "No further claim is declared.",
        together["attribution"]["sentence"],
        "(rung 2 of 4)",
        *(one["said"] for one in together["attribution"]["facts"]),
        *together["attribution"]["lifts"],
    ):
        assert said in text, said


def test_claims_and_slices_are_printed_with_their_adjusted_p(dossier: Dossier) -> None:
    interval = {
        "estimate": "1.041", "low": "1.02", "high": "1.06", "level": "0.975", "method": "paired_log",
        "replicates": "3 blocks", "scope": "this placement only",
    }  # fmt: skip
    claim = {
        "key": "C4", "name": "C4 (ttft p99)", "direction": "improvement_established", "materiality": "undecided",
        "p_value": "0.0123", "adjusted_p": "0.0246", "interval": interval, "sentence": "Improvement established.",
    }  # fmt: skip
    slice_ = {
        "key": "C6", "name": "C6 (ttft p99), night", "noted": True, "p_value": "0.001", "adjusted_p": "0.002",
        "sentence": "Worth a new run set.",
    }  # fmt: skip
    dossier["together"].update(
        claims=[claim, {**claim, "interval": None}], screened=[slice_], screening="Screening: to be confirmed.",
        set_aside=["C8: a recheck."], notices=["All 2 guardrails must pass."],
    )  # fmt: skip
    text = page(dossier)

    assert "Adjusted p = 0.0246 (alone 0.0123). Simultaneous: 1.041 [1.020, 1.060], 97.5 % confidence" in text
    assert "No simultaneous interval." in text
    assert "C6 (ttft p99), night" in text
    assert "C8: a recheck." in text
    assert "All 2 guardrails must pass." in text


def test_a_dossier_from_before_prints_nothing_of_it(dossier: Dossier) -> None:
    del dossier["together"]

    assert "All comparisons together" not in page(dossier)
