from typing import Any

import pytest

from analysis import failures
from tests.analysis.props import a_run, codes


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(0, 5, 0.0, 0.5218237501), (2, 5, 0.0527449505, 0.8533672003), (5, 5, 0.4781762499, 1.0), (0, 0, 0.0, 1.0)],
)
def test_the_exact_interval_of_a_share(k: int, n: int, low: float, high: float) -> None:
    assert failures.clopper_pearson(k, n) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(
    ("file_run", "work", "why"),
    [
        ({"status": "failed", "reason": "killed"}, (), "killed"),
        ({"status": "failed"}, (), "the file marks it as failed"),
        ({"attempted": 10, "failed": 10}, (), "all 10 requests failed"),
        ({}, (("requests_completed", "0"),), "no request completed"),
        ({"attempted": 10, "failed": 9}, (("requests_completed", "1"),), ""),
        ({"attempted": 0, "failed": 0}, (), ""),
        ({"attempted": 10}, (("requests_completed", "n/a"),), ""),
    ],
)
def test_a_run_fails_by_its_file_or_by_its_requests(file_run: Any, work: Any, why: str) -> None:
    assert failures.why_failed(a_run("candidate", 1, 1.0, work=work, file_run=file_run)) == why


def test_excluded_runs_are_in_neither_number() -> None:
    found = failures.count(["excluded", "failed", "used", "dropped_with_block"], "candidate")

    assert (found.runs, found.failed) == (3, 1)
    assert failures.in_words(found).startswith("1 of 3 candidate runs failed (95 % interval of the share: 0.8 % to")


@pytest.mark.parametrize(
    ("baseline", "candidate", "failed_to_serve"),
    [((5, 0), (5, 1), True), ((5, 1), (5, 1), False), ((5, 0), (5, 0), False), ((0, 0), (5, 5), False)],
)
def test_only_a_candidate_that_alone_lost_runs_failed_to_serve(
    baseline: tuple[int, int], candidate: tuple[int, int], failed_to_serve: bool
) -> None:
    one, other = (
        failures.FailureCount("baseline", *baseline, 0, 1),
        failures.FailureCount("candidate", *candidate, 0, 1),
    )

    assert failures.candidate_failed_to_serve(one, other) == failed_to_serve


def test_failed_runs_and_failed_requests_are_said() -> None:
    labelled = [a_run("baseline", 1, 1.0, file_run={"attempted": 9, "failed": 2})]
    lost = failures.FailureCount("candidate", 5, 1, 0, 1)

    assert codes(failures.notices(labelled, [lost])) == {"failed_runs", "among_completed_runs", "failed_requests"}
    sentences = [notice.sentence for notice in failures.notices(labelled, [lost], goodput=True)]
    assert sentences[1:] == [
        "The effect is among completed runs: a failed one has no value.",
        "2 requests failed in 1 runs; they kept no limit.",
    ]
    assert failures.notices([a_run("baseline", 1, 1.0)], [failures.FailureCount("candidate", 5, 0, 0, 1)]) == ()
