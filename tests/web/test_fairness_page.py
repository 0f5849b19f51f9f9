"""The page of fairness across streams, and the same over the API."""

import json
from collections.abc import Sequence
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from analysis.fairness import fairness_of
from reviews.models import Memo
from reviews.services import evidence
from tests import cases
from tests.api.asking import as_token, good, problem
from tests.web.asking import as_, page
from tests.web.conftest import OpenPage

pytestmark = pytest.mark.django_db
Runs = Sequence[Sequence[float]]
BASE: Runs = ((100, 101, 80), (99, 102, 84), (101, 100, 79))
CAND: Runs = ((96, 95, 92), (95, 96, 91), (97, 95.5, 93))


def a_file(runs: Runs) -> bytes:
    rows = [
        {
            "run": f"r{n}",
            "work": {"steps": 2},
            "measurements": [
                {"metric": "rate", "unit": "1/s", "stage": f"core {at}", "values": [value - 1, value + 1]}
                for at, value in enumerate(run)
            ],
        }
        for n, run in enumerate(runs)
    ]
    return json.dumps({"countersign": "measurements/1", "runs": rows}).encode()


def a_memo(*arms: tuple[str, Runs]) -> Memo:
    memo = cases.a_memo_in_review()
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="Streams", plan="")
    for arm, runs in arms:
        cases.attach(row, f"{arm}.json", a_file(runs), [cases.labels("benchmark_run", arm=arm)])
    return memo


def path(memo: Memo, **asked: str) -> str:
    return f"{reverse('fairness', args=[memo.number])}?{urlencode(asked)}"


def test_both_arms_stand_with_their_change_and_every_run_in_the_table() -> None:
    memo = a_memo(("baseline", BASE), ("candidate", CAND))
    said = page("pat", path(memo))

    found = fairness_of([dict(zip("abc", run, strict=True)) for run in BASE], better="higher", confidence=0.95)
    assert f"Jain&#x27;s index {found.jain.estimate:.4f}" in said
    assert "Change of the spread of streams" in said
    assert said.count("<td>core 2</td>") == 6
    assert 'data-chart="chart-fairness"' in said
    assert path(memo).removesuffix("?") in page("pat", reverse("memo", args=[memo.number]))


def test_an_arm_alone_has_no_change() -> None:
    said = page("pat", path(a_memo(("candidate", CAND)), better="lower"))

    assert "lower is better" in said
    assert "Change of the spread" not in said


@pytest.mark.parametrize(
    ("asked", "words", "code"),
    [
        ({"better": "faster"}, "is no end of a metric", "unknown_better"),
        ({"set": "x"}, "is no number of a set", "not_a_number"),
        ({"warmup": "x"}, "is no number of a warmup", "not_a_number"),
        ({"set": "9"}, "No metric of these runs has a number for each", "no_streams"),
        ({"metric": "latency"}, "Metrics with several streams: rate.", "metric_not_chosen"),
    ],
)
def test_what_has_no_fairness_is_said_with_its_way_out(asked: dict[str, str], words: str, code: str) -> None:
    memo = a_memo(("baseline", BASE))
    answer = as_("pat").get(path(memo, **asked))

    assert answer.status_code == 422
    assert words in answer.content.decode()
    problem(as_token("pat", "read").get(f"memos/{memo.number}/fairness/?{urlencode(asked)}"), 422, code)


def test_the_api_gives_the_same() -> None:
    memo = a_memo(("baseline", BASE), ("candidate", CAND))
    found = good(as_token("pat", "read").get(f"memos/{memo.number}/fairness/"))

    assert (found["metric"], found["stat"]) == ("rate", "mean")
    assert found["baseline"]["worst_streams"] == [["core 2", 3]]
    assert float(found["change"]["spread"]["high"]) < 0


@pytest.mark.browser
def test_the_page_is_accessible_and_fits_a_narrow_screen(open_page: OpenPage) -> None:
    memo = a_memo(("baseline", BASE), ("candidate", CAND))
    opened = open_page(path(memo), person=cases.person("pat"), width=390)

    opened.fits()
    opened.is_accessible()
