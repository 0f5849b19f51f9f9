"""The page of a memo."""

import re
from collections.abc import Callable

import pytest
from django.utils import timezone

from reviews.models import Memo
from reviews.services import comments, memos, objections, observations, previews, production, signatures
from reviews.services.production import ProductionReport, Reporter
from tests import cases
from tests.web.asking import as_, follow, page

pytestmark = pytest.mark.django_db


def shown(memo: Memo, name: str = "bea", query: str = "") -> str:
    """The text of the page, without marks."""
    html = page(name, f"/memos/{memo.number}/{query}")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace("&quot;", '"')


def gate(memo: Memo, kind: str, name: str = "bea") -> str:
    """The HTML of one decision in the gate's panel."""
    html = page(name, f"/memos/{memo.number}/")
    return html.split(f'data-kind="{kind}"', 1)[1].split('<details class="gate tone-', 1)[0]


def test_effect_uncertainty_and_cause_stand_apart() -> None:
    said = shown(cases.a_memo_with_evidence())

    effect, rest = said.split("Effect", 1)[1].split("Uncertainty", 1)
    uncertainty, cause = rest.split("Cause", 1)
    assert "Improvement beyond the 2% margin established" in effect
    assert "% confidence" not in effect
    assert re.search(r"1\.041 \[1\.03\d, 1\.04\d\], 95 % confidence, paired_log, 3 blocks", uncertainty)
    assert "A difference is established for the change" in cause.split("Evidence allows")[0]


def test_before_any_computation_the_head_claims_nothing() -> None:
    said = shown(cases.a_memo_in_review())

    assert "C1 is not computed yet." in said
    assert "No interval yet." in said
    assert "Nothing was measured that could show one." in said


def test_the_head_says_which_decision_the_evidence_allows_and_which_may_be_recorded() -> None:
    assert "Bounded rollout ; none may be recorded now" in shown(cases.a_memo_with_waiver())
    assert "bounded rollout may be recorded now" in shown(cases.a_memo_ready_to_roll_out())


def test_the_gate_says_who_is_missing_where_to_go_and_what_can_be_waived() -> None:
    memo = cases.a_memo_with_evidence()
    html = gate(memo, "bounded")

    assert "not allowed yet" in html
    assert "inference platform owner has not approved bounded rollout: nobody has signed." in html
    assert "Who: olga" in html
    assert f'href="/memos/{memo.number}/sign/"' in html
    assert f'href="/memos/{memo.number}/#comparisons"' in html
    assert f"/memos/{memo.number}/waivers/?requirement=the_symptom_is_complete%3Aenergy_per_request.mean" in html


def test_the_gate_opens_the_decision_that_the_evidence_supports() -> None:
    html = page("bea", f"/memos/{cases.a_memo_with_waiver().number}/")

    assert re.findall(r'data-kind="(\w+)"( open)?', html) == [
        ("ship", ""),
        ("bounded", " open"),
        ("rollback", ""),
        ("escalate", ""),
    ]


def test_a_waived_gap_and_rules_without_a_say_are_shown_beside_the_blockers() -> None:
    html = gate(cases.a_memo_ready_to_roll_out(), "bounded")

    assert "Nothing is missing" in html
    assert 'data-state="waived"' in html
    assert 'data-state="not_applicable"' in html


def test_predictions_say_when_and_how_they_were_registered_and_their_judgement() -> None:
    said = shown(cases.a_memo_with_evidence())

    assert "imported by Ann, not witnessed here" in said
    assert "1.02 to 1.08" in said
    assert "supported C1" in said
    assert "refuted C1" in said


def test_sealed_evidence_stands_with_its_rows_and_links() -> None:
    memo = cases.a_memo_with_evidence()
    html = page("bea", f"/memos/{memo.number}/")

    assert "Set 1: Three blocks" in html
    assert f"runs-of-{memo.number}.json" in html
    assert f'href="/memos/{memo.number}/comparisons/C1/"' in html
    assert "the machine shows no power counter" in html


def test_an_open_set_is_said_to_be_open() -> None:
    memo = cases.a_memo_in_review()
    cases.an_open_set(memo)

    assert "Set 1, “Three blocks”, is still open with 8 files." in shown(memo)


def test_signoff_shows_who_signed_for_what_and_why_a_signature_does_not_count() -> None:
    memo = cases.a_memo_with_waiver()
    cases.sign(memo, "olga", cases.OWNERS["olga"])
    cases.sign(memo, "pat", cases.OWNERS["pat"], "approve_with_conditions")
    said = shown(memo)

    assert "counts for bounded rollout, rollback, rollout to at most 10 %" in said
    assert "does not count: waits for “Watch the queue”" in said
    assert "Condition: Watch the queue. (waiting)" in said
    assert "power and thermal architect for ship, bounded rollout signs symptom" in said


def test_a_signature_that_was_given_again_counts_once() -> None:
    memo = cases.a_memo_with_waiver()
    cases.sign(memo, "olga", cases.OWNERS["olga"])
    cases.sign(memo, "olga", cases.OWNERS["olga"])

    assert "does not count: was signed again later" in shown(memo)


def test_a_withdrawn_signature_stays_on_the_page_with_its_reason() -> None:
    memo = cases.a_memo_with_waiver()
    row = cases.sign(memo, "olga", cases.OWNERS["olga"])
    signatures.withdraw_signature(actor=cases.person("olga"), signature_id=row.pk, reason="Too early.")

    assert "withdrawn : Too early." in shown(memo)


def test_dissent_stays_with_both_names() -> None:
    memo = cases.a_memo_with_waiver()
    row = cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="One host only.")
    assert "Quin objects as sre performance owner: One host only." in shown(memo)
    assert "It stands." in shown(memo)

    objections.resolve(actor=row.signer, signature_id=row.pk, reason="Bounded to that host.")

    assert "Resolved by Quin: Bounded to that host." in shown(memo)


def test_a_waiver_shows_its_control_its_end_and_that_it_counts() -> None:
    memo = cases.a_memo_with_evidence()
    cases.ask_for_waiver(memo)
    assert "It does not count: it is not approved." in shown(memo)

    assert "Control: Rack power is watched during the rollout." in shown(cases.a_memo_with_waiver())


def test_decisions_have_their_pdf_and_record_and_what_followed() -> None:
    memo = cases.a_memo_rolling_out()
    report = ProductionReport(
        kind="deployed", build="engine@sha256:1", scope="host-1", scope_percent="5", text="", happened_at=timezone.now()
    )
    production.report_for_memo(reporter=Reporter(cases.person("sam")), memo_id=memo.pk, report=report)
    observations.observe(
        actor=cases.person("sam"), memo_id=memo.pk, text="Nothing stands out.", assessment="", token=None
    )
    html = page("aud", f"/memos/{memo.number}/")

    assert f'href="/memos/{memo.number}/decision.pdf?decision=1"' in html
    assert f'href="/memos/{memo.number}/dossier.json?decision=1"' in html
    said = shown(memo, "aud")
    assert "Decision 1: bounded rollout, to 10 %" in said
    assert "Deployed engine@sha256:1, host-1, 5 %" in said
    assert "Observed : Nothing stands out." in said


def test_what_changed_since_a_revision_is_shown_by_record() -> None:
    memo = cases.a_memo_with_evidence()
    memos.revise_text(
        actor=cases.person("ann"),
        memo_id=memo.pk,
        base=cases.base_of(memo),
        text=previews.text_of(memo).replace("soak: 72 h", "soak: 96 h"),
        said="Longer soak.",
    )
    latest = cases.again(memo).current_revision
    assert latest is not None

    html = page("bea", f"/memos/{memo.number}/?since={latest.number - 1}")
    assert re.search(r"<del>.*72 h.*</del>", html)
    assert re.search(r"<ins>.*96 h.*</ins>", html)
    assert (
        "1.041 [1.03" in shown(memo, query="?since=1").split("What changed since a revision", 1)[1].split("Symptom")[0]
    )
    assert as_("bea").get(f"/memos/{memo.number}/?since=99").status_code == 404


@pytest.mark.parametrize("since", ["one", "-1", "1.5", "٣", "9" * 5000])
def test_a_revision_that_is_no_number_is_refused(since: str) -> None:
    memo = cases.a_draft()

    answer = as_("ann").get(f"/memos/{memo.number}/", {"since": since})
    assert answer.status_code == 422
    assert "is no number" in answer.content.decode()


def test_the_guidance_of_the_pinned_template_is_at_hand() -> None:
    said = shown(cases.a_draft())

    for part in (
        "Playbook",
        "Debug branches",
        "Pitfalls",
        "Case study",
        "Takeaways",
        "Senior review question",
        "Addendum",
    ):
        assert part in said
    assert "SCHEDULING PIPELINE" in said


STAGES: dict[str, Callable[[], Memo]] = {
    "draft": cases.a_planned_draft,
    "in review": cases.a_memo_in_review,
    "rolling out": cases.a_memo_rolling_out,
}
ACTS = {
    "ann": {
        "draft": {"Submit for review", "Edit the text", "Withdraw", "Evidence", "Waivers"},
        "in review": {"Edit the text", "Withdraw", "Evidence", "Waivers"},
        "rolling out": {"Edit the text", "Evidence", "Waivers"},
    },
    "olga": {"draft": {"Waivers"}, "in review": {"Sign", "Waivers"}, "rolling out": {"Sign", "Waivers"}},
    "bea": {
        "draft": {"Decide", "Waivers"},
        "in review": {"Decide", "Return to the author", "Waivers"},
        "rolling out": {"Decide", "Waivers"},
    },
    "aud": {"draft": set[str](), "in review": set(), "rolling out": set()},
}


@pytest.mark.parametrize("stage", STAGES)
def test_everybody_is_offered_what_the_lifecycle_allows_them_and_no_more(stage: str) -> None:
    memo = STAGES[stage]()
    every = {
        "Submit for review",
        "Edit the text",
        "Withdraw",
        "Evidence",
        "Waivers",
        "Sign",
        "Decide",
        "Return to the author",
    }

    for name, acts in ACTS.items():
        html = page(name, f"/memos/{memo.number}/").split("actions--page", 1)[1].split("with-side", 1)[0]
        offered = {act for act in every if re.search(rf">{act}( …)?<", html)}
        assert offered == acts[stage], name


def test_a_complete_draft_is_submitted_from_its_page() -> None:
    memo = cases.a_planned_draft()
    response = as_("ann").post(f"/memos/{memo.number}/submit/", {"base": cases.base_of(memo)})

    assert follow(response) == f"/memos/{memo.number}/"
    assert cases.again(memo).state == "in_review"


def test_an_incomplete_draft_says_what_is_missing_with_links_to_its_sections() -> None:
    memo = cases.a_draft()
    memos.revise_text(
        actor=cases.person("ann"),
        memo_id=memo.pk,
        base=cases.base_of(memo),
        text=previews.text_of(memo).replace("chat, 1024 fixed prompts in turn", "<name>"),
        said="Open.",
    )
    response = as_("ann").post(f"/memos/{memo.number}/submit/", {"base": cases.base_of(memo)})

    assert response.status_code == 422
    assert f'href="/memos/{memo.number}/#symptom"' in response.content.decode()
    assert cases.again(memo).state == "draft"


def test_the_board_returns_a_memo_with_a_reason() -> None:
    memo = cases.a_memo_in_review()
    path = f"/memos/{memo.number}/return/"

    assert as_("bea").post(path, {"reason": " "}).status_code == 422
    assert as_("ann").post(path, {"reason": "Mine."}).status_code == 403
    follow(as_("bea").post(path, {"reason": "Measure two hosts."}))

    assert cases.again(memo).state == "draft"


def test_the_author_withdraws_a_memo() -> None:
    memo = cases.a_memo_in_review()
    follow(as_("ann").post(f"/memos/{memo.number}/withdraw/", {"reason": "Another way was found."}))

    assert cases.again(memo).state == "withdrawn"
    assert "Comment on symptom" not in shown(memo)


def test_comments_stand_at_their_section_with_answers_and_are_resolved() -> None:
    memo = cases.a_draft()
    path = f"/memos/{memo.number}/comments/"
    assert follow(as_("tess").post(path, {"anchor": "symptom", "text": "Which power cap?"})) == (
        f"/memos/{memo.number}/#comments-symptom"
    )
    first = memo.comments.get()
    as_("ann").post(path, {"anchor": "symptom", "text": "300 W.", "answers": str(first.pk)})
    answer = memo.comments.latest("pk")
    as_("tess").post(path, {"anchor": "symptom", "text": "In both arms?", "answers": str(answer.pk)})

    section = page("bea", f"/memos/{memo.number}/").split('id="comments-symptom"', 1)[1].split("</section>", 1)[0]
    assert section.index("Which power cap?") < section.index("300 W.") < section.index("In both arms?")

    follow(as_("tess").post(f"{path}{first.pk}/resolve/", {"note": "Said."}))
    assert "Resolved by Tess: Said." in shown(memo).replace(" :", ":")


def test_an_empty_comment_or_one_at_no_section_is_refused() -> None:
    memo = cases.a_draft()
    path = f"/memos/{memo.number}/comments/"

    assert as_("tess").post(path, {"anchor": "symptom", "text": " "}).status_code == 422
    assert as_("tess").post(path, {"anchor": "nowhere", "text": "Here."}).status_code == 422
    assert as_("tess").post(path, {"anchor": "symptom", "text": "Here.", "answers": "99"}).status_code == 404
    assert as_("tess").post(path, {"anchor": "symptom", "text": "Here.", "answers": "the first"}).status_code == 422
    assert not memo.comments.exists()


def test_a_comment_of_another_memo_is_not_resolved_through_this_one() -> None:
    other, memo = cases.a_draft("Another"), cases.a_draft()
    row = comments.comment(actor=cases.person("ann"), memo_id=other.pk, anchor="symptom", text="Here.", answers=None)

    assert as_("ann").post(f"/memos/{memo.number}/comments/{row.pk}/resolve/").status_code == 404


def test_what_people_write_is_shown_and_never_run() -> None:
    memo = cases.a_draft("<script>alert(1)</script>")
    comments.comment(
        actor=cases.person("ann"), memo_id=memo.pk, anchor="symptom", text="<img src=x onerror=a()>", answers=None
    )
    html = page("bea", f"/memos/{memo.number}/")

    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "&lt;img src=x onerror=a()&gt;" in html


@pytest.mark.parametrize("rest", ["", "edit/", "text/", "trail/"])
def test_a_stranger_finds_no_page_of_a_memo(rest: str) -> None:
    memo = cases.a_memo_in_review()

    assert as_("eve").get(f"/memos/{memo.number}/{rest}").status_code == 404
    assert as_("bea").get(f"/memos/ARM-1999-0001/{rest}").status_code == 404


@pytest.mark.parametrize("rest", ["edit/", "submit/", "return/", "withdraw/", "comments/", "comments/1/resolve/"])
def test_a_stranger_changes_nothing(rest: str) -> None:
    memo = cases.a_memo_in_review()
    sent = {"base": cases.base_of(memo), "reason": "x", "anchor": "symptom", "text": "x", "said": "x", "act": "save"}

    assert as_("eve").post(f"/memos/{memo.number}/{rest}", sent).status_code == 404
    assert cases.base_of(memo) == sent["base"]
    assert cases.again(memo).state == "in_review"
