"""The triage board: the playbook with the records behind it, what is open, and the next measurement or build."""

import pytest
from django.urls import reverse

from reviews.memo_text.shipped import templates
from reviews.models import Memo, Replay, ReplayStep, TriageMark
from reviews.queries.playbook import CHECKS
from tests import cases, staged, triaged
from tests.web.asking import as_, follow, page

pytestmark = pytest.mark.django_db


def path(memo: Memo) -> str:
    return reverse("triage", args=[memo.number])


def flat(text: str) -> str:
    return " ".join(text.split())


def test_every_step_of_a_shipped_playbook_is_answered_by_records_of_its_own() -> None:
    steps = [step for template in templates() for step in template.playbook]

    assert len(steps) == 13
    assert sorted(CHECKS) == sorted(steps)


def test_the_steps_show_the_records_that_answer_them_and_what_is_still_asked_for() -> None:
    memo = staged.a_memo(again=staged.runs_file(2))

    said = flat(page("ann", path(memo)))

    assert path(memo) in page("ann", reverse("memo", args=[memo.number]))
    for words in (
        "1. Freeze workload seed, model revision, and execution environment.",
        "C4</a>: 6 of 7 settings are the same, and none blocks",
        "C4</a>: Divergence is established at run",
        "C4</a>: the counters speak for scheduling alone",
        "C5</a>: Regression of at least 2% established",
        "A quality guardrail after the fix that is not worse: <span",
        "answered by records",
        "partly answered",
    ):
        assert words in said, words


def test_the_board_of_a_draft_says_what_is_missing() -> None:
    memo = cases.a_draft()

    said = flat(page("ann", path(memo)))

    assert "0 of 5 steps answered" in said
    assert "nothing recorded yet" in said
    assert "No replay is planned." in said
    assert "Plan a replay" not in said


def test_hypotheses_stand_against_measurements_with_what_was_seen_of_each() -> None:
    memo = cases.a_memo_with_evidence()

    said = flat(page("bea", path(memo)))

    for words in ("<code>throughput rate</code><br><small>queue full</small>", "1.02 to 1.08", "0.9 to 1", "supported"):
        assert words in said, words
    assert "C1</a>: 1.041 [1.037, 1.044]" in said


def test_an_open_verdict_says_how_many_more_runs_would_settle_it() -> None:
    memo = cases.a_memo_with_evidence(runs=cases.Runs(candidate=("960.5", "1041.25", "1010.75")))

    said = flat(page("bea", path(memo)))

    assert "C1</a>, verdict" in said
    assert "more blocks." in said


def test_a_step_is_marked_and_taken_back_on_the_page() -> None:
    memo = cases.a_draft()
    where = reverse("triage-mark", args=[memo.number, 4])

    assert follow(as_("ann").post(where, {"note": "The replay is attached.", "done": "yes"})) == f"{path(memo)}#step-4"
    said = page("bea", path(memo))
    assert "The replay is attached." in said
    assert "marked by a person" in said
    assert "1 of 5 steps answered" in flat(said)
    as_("ann").post(where, {"note": "It was another build.", "done": "no"})
    assert "0 of 5 steps answered" in flat(page("bea", path(memo)))
    assert as_("bea").post(where, {"note": "x", "done": "yes"}).status_code == 403
    assert TriageMark.objects.count() == 2


def test_a_bisection_is_planned_begun_and_shown_with_its_next_build() -> None:
    memo = triaged.a_memo()
    form = {"effect": "C1", "builds": "v0\nv1\n\nv2\nv3\nv4\n", "inputs": triaged.SAME, "runs_each": "3"}

    assert follow(as_("ann").post(reverse("replay-plan", args=[memo.number]), form)) == f"{path(memo)}#replay-1"
    row = Replay.objects.get()
    assert row.builds == ["v0", "v1", "v2", "v3", "v4"]
    begin = reverse("replay-step", args=[memo.number, 1])
    assert follow(as_("ann").post(begin, {"build": "v2"})) == f"{path(memo)}#replay-1"
    assert ReplayStep.objects.get().build == "v2"
    said = flat(page("ann", path(memo)))
    for words in (
        "Bisection 1 of C1",
        "The effect begins after v0 and not after v4: 4 builds. Run v2 against v0.",
        "12 runs are expected, 12 at most, if no step stays undecided",
        "It waits for the runs of set 2.",
        "is at most 15 %",
    ):
        assert words in said, words
    assert "Begin its step" not in page("bea", path(memo))


def test_a_bisection_step_is_no_slice_that_nobody_declared() -> None:
    memo = triaged.a_searched_memo()

    said = flat(page("bea", reverse("memo", args=[memo.number])))

    assert "it is a step of a bisection, which the triage board judges." in said
    assert "Slices that nobody declared" not in said
    board = flat(page("bea", path(memo)))
    assert "as the base" in board
    assert "The effect begins after v2 and not after v4: 2 builds. Run v3 against v0." in board


def test_what_cannot_be_searched_is_refused_in_words() -> None:
    memo = cases.a_memo_with_evidence()
    form = {"effect": "C1", "builds": "v0\nv1", "inputs": "x", "condition": "", "runs_each": "1"}

    answer = as_("ann").post(reverse("replay-plan", args=[memo.number]), form)

    assert answer.status_code == 422
    assert "Runs of each arm in a step" in answer.content.decode()
