"""The planner page: the numbers of `countersign plan`, from a memo's evidence or stated spreads, and guardrails."""

import html
import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from analysis.planning import Cost, Noise, plan_placements, plan_runs, power_two_sample
from reviews.models import Memo
from reviews.services import evidence
from tests import cases
from tests.web.asking import as_, page
from tests.web.conftest import OpenPage

pytestmark = pytest.mark.django_db
STATED = {"run_sd": "1%", "step_sd": "3%", "half_width": "1%", "run_cost": "60", "step_cost": "0.1"}
EFFECT = {"run_sd": "1%", "step_sd": "0", "effect": "1%", "power": "80%"}
RATES = (100.0, 101.5, 99.2, 100.7)
TAILS = (20.0, 20.9, 19.4, 20.3)


def a_run(name: str, rate: float, tail: float, **more: Any) -> dict[str, Any]:
    return {
        "run": name,
        "measurements": [
            {"metric": "throughput", "unit": "1/s", "stat": "rate", "value": rate, "n": 2000},
            {"metric": "e2e_latency", "unit": "ms", "stat": "p99", "value": tail, "n": 2000},
        ],
        **more,
    }


def a_file(rates: Sequence[float] = RATES, tails: Sequence[float] = TAILS) -> bytes:
    runs = [a_run(f"r{n}", *pair) for n, pair in enumerate(zip(rates, tails, strict=True))]
    return json.dumps({"countersign": "measurements/1", "runs": runs}).encode()


def of_one_metric() -> bytes:
    """A pilot that measures no latency."""
    runs = [a_run(f"r{n}", rate, 20.0) for n, rate in enumerate(RATES)]
    for run in runs:
        del run["measurements"][1]
    return json.dumps({"countersign": "measurements/1", "runs": runs}).encode()


def piloted(memo: Memo, content: bytes | None = None, arm: str = "baseline") -> Memo:
    """The memo with a pilot in an open set."""
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="Pilot", plan="")
    cases.attach(row, "pilot.json", content or a_file(), [cases.labels("benchmark_run", arm=arm)])
    return memo


def a_pilot(content: bytes | None = None) -> Memo:
    return piloted(cases.a_memo_in_review(), content)


def address(**asked: str) -> str:
    return f"{reverse('planner')}?{urlencode(asked)}"


def of_memo(memo: Memo, **asked: str) -> str:
    wish = {"metric": "throughput", "half_width": "2%", "run_cost": "60", "step_cost": "1"}
    return address(memo=memo.number, **(wish | asked))


def text_of(said: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", said)).replace("\N{NO-BREAK SPACE}", " ").split())


def test_the_empty_page_asks_and_stands_in_the_navigation() -> None:
    cases.set_up()
    said = page("pat", reverse("planner"))

    assert '<a href="/planner/" aria-current="page">Planner</a>' in said
    assert 'name="half_width"' in said
    assert 'id="power"' not in said
    assert 'value="ARM-2026-0001"' in page("pat", address(memo="ARM-2026-0001"))


def test_stated_spreads_give_the_plan_of_the_analysis_and_its_power_curve() -> None:
    cases.set_up()
    said = page("pat", address(**STATED))

    plan = plan_runs(Noise(1e-4, 9e-4, 0), Cost(60, 0.1, 0), half_width=0.01, layout="independent", confidence=0.95)
    row = re.search(r'<th scope="row">at face value</th>(.*?)</tr>', said, re.DOTALL)
    assert row is not None
    assert re.findall(r">(\d+)</td>", row[1]) == ["1", str(plan.runs), str(plan.steps)]
    assert (plan.runs, plan.steps) == (10, 68)
    assert "Kalibera and Jones (2013) would take 74 steps per run." in text_of(said)
    assert "Without a pilot nothing is known of how sure these spreads are" in said
    assert 'data-chart="chart-power"' in said
    shown = power_two_sample(plan.runs, effect=0.01, sd=(1e-4 + 9e-4 / 68) ** 0.5, confidence=0.95)
    assert f">{shown:.4f}</td>" in said
    assert 'value="0.1"' in said
    assert "Guardrails" not in said


def test_placements_are_planned_for_the_spread_between_them() -> None:
    cases.set_up()
    asked = STATED | {"half_width": "2%", "placement_sd": "1%", "placement_cost": "600"}
    said = page("pat", address(**asked))

    plan = plan_placements(Noise(1e-4, 9e-4, 1e-4), Cost(60, 0.1, 600), half_width=0.02, confidence=0.95)
    assert f"on each of {plan.placements} placements" in text_of(said)
    assert plan.placements >= 3


def test_an_effect_alone_has_its_runs_and_blocks_have_none() -> None:
    cases.set_up()
    effect = page("pat", address(run_sd="2%", step_sd="0", effect="2%", power="95%"))
    blocks = page("pat", address(**STATED, layout="blocked"))

    assert "No half-width is asked for" in effect
    assert "2 % 80 % 17" in text_of(effect)
    assert "Runs for power are computed for independent arms only." in blocks
    assert "chart-power" not in blocks


def test_spreads_of_nothing_have_a_plan_and_no_curve() -> None:
    cases.set_up()
    said = as_("pat").get(address(**STATED | {"run_sd": "0", "step_sd": "0"}))

    assert said.status_code == 422
    assert "must be above 0" in said.content.decode()


def test_a_pilot_of_a_memo_gives_spread_assurance_and_the_power_of_declared_guardrails() -> None:
    memo = a_pilot()
    said = text_of(page("pat", of_memo(memo)))

    assert "Pilot: throughput rate, 4 runs." in said
    assert "with 80 % assurance" in said
    assert "The guardrails that the memo declares." in said
    assert "e2e_latency p99, margin 5" in said
    assert "80 % assurance" in said
    assert reverse("planner") + f"?memo={memo.number}" in page("pat", reverse("memo", args=[memo.number]))


def test_a_plan_too_small_for_a_guardrail_is_warned_of() -> None:
    loud = a_pilot(a_file(tails=(20.0, 26.0, 16.0, 22.0)))
    said = text_of(page("pat", of_memo(loud)))

    assert "The plan is underpowered for its guardrails" in said
    assert " underpowered " in said
    assert "Runs per arm for a chance of 80 %:" in said


def test_a_plan_that_is_enough_for_its_guardrails_is_not_warned_of() -> None:
    quiet = a_pilot(a_file(tails=(20.0, 20.01, 19.99, 20.0)))
    said = text_of(page("pat", of_memo(quiet)))

    assert "underpowered" not in said
    assert "enough" in said


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (a_file(tails=(20.0,) * 4), "The runs of the pilot are all alike in it."),
        (of_one_metric(), "Fewer than two runs of the pilot measure it."),
    ],
)
def test_a_guardrail_whose_spread_is_not_known_is_said(content: bytes, why: str) -> None:
    said = text_of(page("pat", of_memo(a_pilot(content))))

    assert f"e2e_latency p99 : not known. {why}" in said
    assert "Their power is not computed" in said


def test_guardrails_have_no_power_in_blocks() -> None:
    assert "Their power is not computed" in page("pat", of_memo(a_pilot(), layout="blocked"))


def test_without_declared_guardrails_the_template_gives_them() -> None:
    memo = piloted(cases.a_draft())
    said = text_of(page("ann", of_memo(memo)))

    assert "The memo declares no guardrail" in said
    assert "e2e_latency p99, margin 5" in said
    assert "throughput rate, margin" not in said
    alone = text_of(page("ann", of_memo(memo, metric="e2e_latency")))
    assert "throughput rate, margin 2" in alone


def test_guardrails_take_the_runs_that_an_effect_needs() -> None:
    said = text_of(page("pat", of_memo(a_pilot(), half_width="", effect="2%", power="80%")))

    runs = re.search(r"2 % 80 % (\d+)", said)
    assert runs is not None
    assert f"under {runs[1]} runs per arm" in said


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"half_width": "1%"}, "The noise is not known. Name a memo"),
        ({**STATED, "step_sd": ""}, "The noise is not known."),
        ({**STATED, "metric": "ttft"}, "belong to a pilot."),
        ({"run_sd": "1%", "step_sd": "1%"}, "Nothing is asked for."),
        ({**STATED, "effect": "1%"}, "Nothing is asked for."),
        ({**STATED, "run_cost": ""}, "The cheapest plan needs costs."),
        ({**STATED, "layout": "round"}, "'round' is no layout. Choose one of independent, blocked."),
        (STATED | {"layout": "blocked", "placement_sd": "1%"}, "neither a power nor a plan over placements"),
        (EFFECT | {"placement_sd": "1%"}, "Placements are planned for"),
        ({"run_sd": "1%", "step_sd": "1%", "effect": "1%", "power": "80%"}, "Say how many steps a run has."),
        ({**STATED, "steps": "0"}, "'0' is no number of steps."),
        ({**STATED, "half_width": "wide"}, "is not a number"),
        ({**STATED, "run_sd": "-1%"}, "A spread is below 0: -1%."),
        ({**STATED, "half_width": "0.0001%"}, "No plan of a reasonable size gets there."),
    ],
)
def test_what_cannot_be_planned_is_said_with_its_way_out(asked: dict[str, str], words: str) -> None:
    cases.set_up()
    answer = as_("pat").get(address(**asked))

    assert answer.status_code == 422
    assert words in text_of(answer.content.decode())


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"metric": ""}, "The pilot has: e2e_latency, throughput. Say with metric what is planned for."),
        ({"arm": "candidate"}, "holds a run of the candidate that was read."),
        ({"set": "9"}, "Set 9 of"),
        ({"set": "x"}, "'x' is no number of a set."),
        ({"arm": "left"}, "'left' is no arm."),
        ({"warmup": "5"}, "one throughput rate per run, not steps."),
        ({"run_sd": "1%", "step_sd": "1%"}, "The noise is not known."),
    ],
)
def test_a_pilot_that_cannot_be_used_is_said_with_its_way_out(asked: dict[str, str], words: str) -> None:
    memo = a_pilot()
    answer = as_("pat").get(of_memo(memo, **asked))

    assert answer.status_code == 422
    assert words in text_of(answer.content.decode())


def test_the_evidence_of_a_memo_that_is_not_seen_is_no_pilot() -> None:
    a_pilot()

    assert as_("pat").get(address(memo="ARM-2026-9999", half_width="1%")).status_code == 404


@pytest.mark.browser
def test_the_page_plans_anew_and_fits_a_narrow_screen(open_page: OpenPage) -> None:
    cases.set_up()
    opened = open_page(address(**STATED), person=cases.person("pat"), width=390)

    expect(opened.page.get_by_role("region", name="Sizes of the plan")).to_contain_text("68")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    opened.page.get_by_label("Half-width").fill("2%")
    opened.page.get_by_role("button", name="Plan", exact=True).click()
    expect(opened.page.get_by_role("region", name="Sizes of the plan")).not_to_contain_text("68")
    assert "half_width=2%25" in opened.page.url


@pytest.mark.browser
def test_the_page_is_accessible(open_page: OpenPage) -> None:
    memo = a_pilot(a_file(tails=(20.0, 26.0, 16.0, 22.0)))
    opened = open_page(of_memo(memo), person=cases.person("pat"), width=390)

    opened.fits()
    opened.is_accessible()
