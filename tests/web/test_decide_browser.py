"""The pages of evidence, comparisons, signing, deciding and waivers in a real browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import FilePayload, expect

from reviews.models import Artifact, Decision, Signature
from reviews.services import assessments
from tests import cases, cast
from tests.web.conftest import OpenPage

pytestmark = pytest.mark.browser
PAGES = {
    "evidence": "sam",
    "artifact": "sam",
    "comparison": "sam",
    "sign": "quin",
    "decide": "bea",
    "waivers": "ben",
    "decision-pdf": "bea",
}


def address_of(name: str) -> str:
    """A memo with something of everything, and the address of one of its pages."""
    if name == "decision-pdf":
        return reverse(name, args=[cases.a_memo_rolling_out().number])
    memo = cases.a_memo_with_evidence()
    cases.an_open_set(memo)
    cases.ask_for_waiver(memo)
    cases.sign(memo, "olga", cases.OWNERS["olga"], "approve_with_conditions")
    cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="The tail grows.")
    ann = cases.person("ann")
    assessments.state_setting(
        actor=ann, memo_id=memo.pk, comparison="C1", setting="pinning", arm="baseline", value="yes"
    )
    assessments.compute(actor=ann, memo_id=memo.pk, comparison="C1")
    if name == "artifact":
        return reverse(name, args=[Artifact.objects.filter(name__startswith="runs")[0].sha256])
    return reverse(name, args=[memo.number, "C1"] if name == "comparison" else [memo.number])


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_and_fits_narrow_and_wide_light_and_dark(open_page: OpenPage, name: str) -> None:
    address = address_of(name)
    for width, dark in ((1280, False), (320, True)):
        opened = open_page(address, person=cases.person(PAGES[name]), width=width, dark=dark)
        opened.page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")

        opened.is_accessible()
        opened.fits()
        assert opened.complaints == []
        assert opened.site.refused == []


def test_a_person_signs_without_javascript(open_page: OpenPage) -> None:
    memo = cases.a_memo_with_evidence()
    opened = open_page(reverse("sign", args=[memo.number]), person=cases.person("olga"), javascript=False)
    opened.page.get_by_label("approve", exact=True).check()
    opened.page.get_by_label("bounded rollout").check()
    opened.page.get_by_label("Your password").fill(cast.PASSWORD)

    opened.page.get_by_role("button", name="Sign as inference platform owner").click()

    expect(opened.page.get_by_text("Signed, in your name.")).to_be_visible()
    assert Signature.objects.get().signer == cases.person("olga")


def test_the_board_decides_without_javascript(open_page: OpenPage) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    opened = open_page(reverse("decide", args=[memo.number]), person=cases.person("bea"), javascript=False)
    opened.page.get_by_label("Rationale").fill("One host was measured.")
    opened.page.get_by_label("Your password").first.fill(cast.PASSWORD)

    opened.page.get_by_role("button", name="Record bounded rollout").click()

    expect(opened.page.get_by_role("heading", name="Decision 1: bounded rollout")).to_be_visible()
    assert Decision.objects.get().kind == "bounded"


@pytest.mark.parametrize("javascript", [True, False])
def test_files_are_attached_and_the_set_is_sealed(open_page: OpenPage, javascript: bool) -> None:
    memo = cases.a_memo_in_review()
    opened = open_page(reverse("evidence", args=[memo.number]), person=cases.person("sam"), javascript=javascript)
    opened.page.get_by_label("Title").fill("By hand")
    opened.page.get_by_role("button", name="Open a set").click()
    expect(opened.page.get_by_text("Set 1 is open")).to_be_visible()

    files = [
        {"name": f"b1-{arm}.txt", "mimeType": "text/plain", "buffer": arm.encode()} for arm in ("baseline", "candidate")
    ]
    opened.page.get_by_label("Files", exact=True).set_input_files(files)  # type: ignore[arg-type]
    opened.page.get_by_label("Labels from the names").fill("b{block}-{arm}.txt")
    opened.page.get_by_role("button", name="Attach", exact=True).click()

    expect(opened.page.get_by_text("Attached 2 files: b1-baseline.txt, b1-candidate.txt.")).to_be_visible()


def test_a_refused_upload_keeps_the_form_and_says_why(open_page: OpenPage) -> None:
    memo = cases.a_memo_in_review()
    cases.an_open_set(memo)
    opened = open_page(reverse("evidence", args=[memo.number]), person=cases.person("sam"))
    opened.page.get_by_text("Attach files").click()
    file: FilePayload = {"name": "x.txt", "mimeType": "text/plain", "buffer": b"x"}
    opened.page.get_by_label("Files", exact=True).set_input_files([file])
    opened.page.get_by_label("Labels from the names").fill("{colour}.txt")

    opened.page.get_by_role("button", name="Attach", exact=True).click()

    expect(opened.page.get_by_role("alert").get_by_text("is no pattern of labels")).to_be_visible()
    expect(opened.page.get_by_label("Labels from the names")).to_have_value("{colour}.txt")


def test_a_comparison_is_drawn_and_its_text_is_copied(open_page: OpenPage) -> None:
    memo = cases.a_memo_with_evidence()
    opened = open_page(reverse("comparison", args=[memo.number, "C1"]), person=cases.person("sam"))

    expect(opened.page.locator(".chart__plot .scatterlayer").first).to_be_visible()
    expect(opened.page.get_by_role("table", name="throughput rate of each run")).to_be_visible()
    expect(opened.page.get_by_role("button", name="Copy")).to_be_visible()
