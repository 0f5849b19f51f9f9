"""The page of the tail drivers, its graph as SVG, and the same over the API."""

import json
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from analysis import trace_answer
from analysis.errors import Refused
from reviews.models import Memo, TraceComparison
from reviews.planner.pilot import NotSaid
from reviews.services import batch_policy, evidence, parsing
from reviews.services.remembered import remembered
from tests import cases
from tests.api.asking import as_token, good, problem
from tests.services import traced
from tests.web.asking import as_, page
from tests.web.conftest import OpenPage

pytestmark = pytest.mark.django_db


def a_file(waits: tuple[float, ...], policy: str) -> bytes:
    """Runs of 20 requests, of which the last waited for so long."""
    rows = [
        {
            "run": f"r{n}",
            "settings": {"request_rate": "4", "max_num_seqs": policy},
            "work": {"requests_completed": 20},
            "measurements": [
                {"metric": "queue_wait", "unit": "s", "values": [0, *[0.1] * 18, wait]},
                {"metric": "latency", "unit": "s", "values": [1, *[1.1] * 18, 1 + wait]},
            ],
        }
        for n, wait in enumerate(waits)
    ]
    return json.dumps({"countersign": "measurements/1", "runs": rows}).encode()


def a_memo(*arms: str) -> Memo:
    memo = cases.a_memo_in_review()
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="Queues", plan="")
    for at, arm in enumerate(arms):
        waits = (1.0 + 2 * at, 1.2 + 2 * at)
        cases.attach(row, f"{arm}.json", a_file(waits, str(at)), [cases.labels("benchmark_run", arm=arm)])
    return memo


def path(memo: Memo, **asked: str) -> str:
    return f"{reverse('tail-drivers', args=[memo.number])}?{urlencode(asked)}"


def plain(memo: Memo, **asked: str) -> str:
    return page("pat", path(memo, **asked)).replace("\N{NO-BREAK SPACE}", " ").partition("<main")[2]


def test_a_sweep_beside_the_arms_is_no_run_of_the_baseline() -> None:
    memo = a_memo("baseline", "candidate")
    row = memo.evidence_sets.get()
    cases.attach(row, "sweep.json", a_file((9.0, 9.5), "8"), [cases.labels("batch_sweep")])

    assert "Baseline, 2 runs with 40 requests" in plain(memo)


def test_runs_without_an_arm_are_looked_at_when_there_are_no_others() -> None:
    memo = cases.a_memo_in_review()
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="Queues", plan="")
    cases.attach(row, "sweep.json", a_file((1.0, 1.2), "8"), [cases.labels("batch_sweep")])

    assert "Baseline, 2 runs with 40 requests" in plain(memo)


def test_queue_wait_impact_and_drivers_of_requests_stand_on_the_page() -> None:
    memo = a_memo("baseline", "candidate")
    said = plain(memo, varied="max_num_seqs")

    assert "Queue wait at 4 requests/s" in said
    assert "queue wait, mean</th><td>difference 100.0 ms [" in said
    assert "queueing delay → the tail: excess" in said
    assert "mapping fallback → service time: not recorded" in said
    assert "Not recorded: no traces of both arms were compared." in said
    assert "The matched-work audit finds" not in said
    assert "max_num_seqs differs" in plain(memo)
    assert path(memo).removesuffix("?") in page("pat", reverse("memo", args=[memo.number]))


def test_the_graph_is_an_svg_with_the_wish_of_the_page() -> None:
    memo = a_memo("baseline")
    where = reverse("tail-drivers-svg", args=[memo.number, "requests"])
    answer = as_("pat").get(f"{where}?slowest=10")

    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    assert "queueing delay" in answer.content.decode()
    assert f"{where}?slowest=10" in page("pat", path(memo, slowest="10"))
    for of, asked in (("steps", ""), ("nothing", ""), ("requests", "?slowest=x")):
        other = reverse("tail-drivers-svg", args=[memo.number, of])
        assert as_("pat").get(f"{other}{asked}").status_code == 404


def test_evidence_without_waits_or_requests_says_what_it_lacks() -> None:
    said = plain(a_memo())

    assert "Queue wait: No baseline run is left." in said
    assert "No drivers of requests: " in said


@pytest.mark.parametrize(
    ("asked", "words", "code"),
    [
        ({"slowest": "x"}, "not a number", "not_a_number"),
        ({"slowest": "0"}, "is no tail", "bad_share"),
        ({"set": "x"}, "is no number of a set", "not_a_number"),
        ({"warmup": "x"}, "is no number of a warmup", "not_a_number"),
    ],
)
def test_a_wish_that_cannot_be_read_is_refused(asked: dict[str, str], words: str, code: str) -> None:
    memo = a_memo("baseline")
    answer = as_("pat").get(path(memo, **asked))

    assert answer.status_code == 422
    assert words in answer.content.decode()
    problem(as_token("pat", "read").get(f"memos/{memo.number}/tail-drivers/?{urlencode(asked)}"), 422, code)


def test_the_api_gives_the_same() -> None:
    memo = a_memo("baseline", "candidate")
    found: Any = good(as_token("pat", "read").get(f"memos/{memo.number}/tail-drivers/?slowest=5&varied=max_num_seqs"))

    assert found["queue"]["loads"][0]["load"] == "4 requests/s"
    assert found["queue"]["loads"][0]["work"] == []
    assert found["drivers"]["arms"][1]["edges"][0]["driver"] == "queueing delay"
    assert (found["no_queue"], found["no_drivers"], found["steps"]) == (None, None, None)


def test_what_steps_do_is_taken_from_the_stored_comparison_of_the_traces() -> None:
    row = traced.several(cases.a_draft())
    kept = traced.compared(row)
    effects = trace_answer.from_json(kept.result).effects
    assert effects is not None
    said = page("bea", path(row.memo, set="1")).replace("\N{NO-BREAK SPACE}", " ")
    found: Any = good(as_token("bea", "read").get(f"memos/{row.memo.number}/tail-drivers/"))["steps"]

    assert '<th scope="row">kernels</th>' in said
    assert "6 runs per arm" in said
    assert (found["set"], found["current"]) == (1, True)
    assert found["effects"]["numbers"][0]["name"] == "time of a step"
    assert found["no_drivers"]["code"] == "too_few_units"
    assert "No tail-latency drivers of steps: " in said


def test_tables_of_times_hold_no_launches() -> None:
    row = traced.tables(cases.a_draft())
    traced.compared(row)
    said = page("bea", path(row.memo))

    assert "are tables of times, which hold no launches, gaps or copies" in said
    assert "A table of the times of stages holds no events" in said
    assert "by an earlier version" not in said


def test_an_older_comparison_is_to_be_made_again() -> None:
    row = traced.one_of_each(cases.a_draft())
    kept = traced.compared(row)
    old = {name: value for name, value in kept.result.items() if name not in ("effects", "drivers", "no_drivers")}
    TraceComparison.objects.create(
        evidence_set=row, version="1", inputs=kept.inputs, inputs_digest="0" * 64, divergence=kept.divergence,
        result=old, digest=kept.digest, compared_at=kept.compared_at,
    )  # fmt: skip

    assert "were compared by an earlier version" in page("bea", path(row.memo))


def test_evidence_is_read_once_for_the_same_files_and_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = a_memo("baseline")
    said = plain(memo, slowest="25")
    reading = Mock(side_effect=AssertionError("the evidence is read again"))
    monkeypatch.setattr(parsing, "reading_of", reading)

    assert plain(memo, slowest="25") == said
    with pytest.raises(AssertionError):
        plain(memo, slowest="30")
    assert batch_policy.held_by(memo)[0].identity[2:4] == ["baseline.json", "baseline"]


def test_a_refusal_is_remembered_and_one_of_a_narrower_kind_is_asked_again() -> None:
    for kind, times in ((Refused, 1), (NotSaid, 2)):
        make = Mock(side_effect=kind("too_few_runs", "No.", "More."))
        for _ in range(2):
            with pytest.raises(kind) as refused:
                remembered("test", {"of": kind.__name__}, make)
            assert refused.value.code == "too_few_runs"
        assert make.call_count == times


@pytest.mark.browser
def test_the_page_is_accessible_and_fits_a_narrow_screen(open_page: OpenPage) -> None:
    opened = open_page(path(a_memo("baseline", "candidate")), person=cases.person("pat"), width=390)

    opened.fits()
    opened.is_accessible()
