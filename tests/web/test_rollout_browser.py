"""The page of a rollout and the page Deployments in a real browser."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from reviews.models import StageAdvance
from reviews.services import production
from reviews.services.production import ProductionReport, Reporter
from tests import cases, cast, clock, rolling
from tests.web.conftest import OpenPage

pytestmark = pytest.mark.browser


def say(kind: str, build: str) -> None:
    report = ProductionReport(
        kind=kind, build=build, scope="host-1", scope_percent="5", text="p99.", happened_at=timezone.now()
    )
    production.report(reporter=Reporter(cases.person("sam")), team="", report=report)


@pytest.mark.parametrize("name", ["rollout", "deployments", "memo"])
def test_a_page_is_accessible_and_fits_narrow_and_wide_light_and_dark(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    rolling.observe(memo, "C2", rolling.live_file(slower=1.5, traffic=(None, None)))
    if name == "deployments":
        clock.move_on(monkeypatch, hours=24 * 61)
        say("deployed", "sha256:" + "a" * 64)
        say("rolled_back", "sha256:" + "b" * 64)
    address = reverse(name, args=[] if name == "deployments" else [memo.number])
    for width, dark in ((1280, False), (320, True)):
        opened = open_page(address, person=cases.person("rob"), width=width, dark=dark)

        opened.is_accessible()
        opened.fits()
        assert opened.complaints == []
        assert opened.site.refused == []


def test_the_rollback_owner_begins_a_stage_without_javascript(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    memo = rolling.a_watched_memo(monkeypatch)
    opened = open_page(reverse("rollout", args=[memo.number]), person=cases.person("rob"), javascript=False)
    opened.page.get_by_label("Your password").fill(cast.PASSWORD)

    opened.page.get_by_role("button", name="Begin stage 2").click()

    expect(opened.page.get_by_text("Stage 2 has begun.")).to_be_visible()
    assert StageAdvance.objects.get().stage == 2
