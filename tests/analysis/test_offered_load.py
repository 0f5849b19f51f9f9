"""Whether runs kept up with the load that was offered to them, and what their throughput then says."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentResult, assess
from analysis.offered_load import CHANCE, Offer, load_of
from tests.analysis.props import a_measurement, a_plan, a_request, a_run, codes, interleaved
from tests.analysis.worked import audited, lasting, with_rows

RATE = ("request_rate", "4")


def served(
    seconds: str,
    *,
    requests: str = "200",
    first: float | None = None,
    settings: Any = (RATE,),
    attempted: int | None = None,
) -> Any:
    """A run of requests offered at 4 a second; first: the mean time to the first token, as the tool has it."""
    work = (("requests_completed", requests),)
    run = a_run("baseline", 0, 1.0, work=work, settings=settings, file_run={"attempted": attempted})
    rows = () if first is None else (a_measurement(first, metric="ttft", stat="mean", kind="aggregate"),)
    return with_rows(lasting(run, seconds), rows)


@pytest.mark.parametrize(
    ("requests", "seconds", "chance"),
    [(200, 50.0, 0.4906), (200, 61.8, 0.0013), (200, 62.3, 0.0008), (20, 8.5, 0.0037)],
)
def test_the_chance_of_the_arrivals_is_that_of_a_gamma_distribution(
    requests: int, seconds: float, chance: float
) -> None:
    assert Offer(4, requests, seconds).chance == pytest.approx(chance, abs=6e-4)


def test_bursts_take_longer_by_chance_and_steady_arrivals_are_judged_like_random_ones() -> None:
    bursty, random, steady = (Offer(4, 200, 62.3, burstiness).chance for burstiness in (0.25, 1, 100))

    assert bursty > 0.04 > CHANCE > random == steady


@pytest.mark.parametrize(
    ("run", "load"),
    [
        (served("55", first=9.0), "kept up"),
        (served("80", first=9.0), "fell behind"),
        (served("80", first=0.1), "cannot be told"),
        (served("80"), "cannot be told"),
        (served("70", first=9.0, settings=(RATE, ("burstiness", "0.05"))), "kept up"),
        (served("55", requests="20", first=9.0, attempted=200), "kept up"),
        (served("80", settings=(("request_rate", "inf"),)), None),
        (served("80", settings=()), None),
        (served("80", requests="0"), None),
        (served("80", requests="some"), None),
        (a_run("baseline", 0, 1.0, work=(("requests_completed", "200"),), settings=(RATE,)), None),
    ],
)
def test_a_run_fell_behind_when_it_took_longer_than_chance_and_its_requests_waited(run: Any, load: str | None) -> None:
    assert load_of(run) == load


def test_a_wait_is_what_goes_beyond_the_shortest_time_to_the_first_token() -> None:
    even, growing = (
        with_rows(served("80"), [a_measurement(time, metric="ttft", index=n) for n, time in enumerate(times)])
        for times in ((9.0, 9.1, 9.2), (0.1, 9.0, 18.0))
    )

    assert (load_of(even), load_of(growing)) == ("cannot be told", "fell behind")


@pytest.mark.parametrize(
    ("whole", "held_back", "load"),
    [(7.0, True, "fell behind"), (8.0, True, "cannot be told"), (7.0, False, "cannot be told")],
)
def test_requests_that_the_client_held_back_make_the_run_longer_than_they_are(
    whole: float, held_back: bool, load: str
) -> None:
    settings = (RATE, ("max_concurrency", "16")) if held_back else (RATE,)
    row = a_measurement(whole, metric="e2e_latency", stat="mean", kind="aggregate")

    assert load_of(with_rows(served("80", settings=settings), [row])) == load


def test_it_stands_in_the_audit_as_what_follows_from_the_speed() -> None:
    row = audited([served("55"), replace(served("80", first=9.0), label="c0", arm="candidate")])["offered_load"]

    assert (row.baseline, row.candidate, row.blocks, row.follows) == (("kept up",), ("fell behind",), False, True)


def compared(baseline: Any, candidate: Any, seconds: tuple[str, str]) -> AssessmentResult:
    """Output throughput at 4 requests a second; seconds: how long the runs of each arm took for 200 of them."""
    work = (("requests_completed", "200"), ("output_tokens", "4000"))
    measured = {"metric": "output_throughput", "unit": "1/s"}
    wait = a_measurement(9.0, metric="ttft", stat="mean", kind="aggregate")
    runs = [
        with_rows(lasting(run, seconds[run.arm == "candidate"]), [wait])
        for run in interleaved(baseline, candidate, work=work, settings=(RATE,), measured=measured)
    ]
    plan = a_plan(metric="output_throughput", better="higher", margin=Fraction("0.98"))
    return assess(a_request(runs, plan))


FASTER = [598.5, 598.8, 598.1], [698.6, 698.4, 698.9]


def test_the_throughput_of_arms_that_both_fell_behind_is_that_of_saturation_and_is_judged() -> None:
    result = compared(*FASTER, ("90", "80"))

    assert (result.outcome, result.refusal) == ("verdict", None)
    assert result.verdict is not None
    assert result.verdict.direction == "improvement_established"
    assert "rate_limited" not in codes(result.notices)
    assert "below_offered_rate" in codes(result.notices)


@pytest.mark.parametrize("seconds", [("90", "55"), ("55", "80"), ("55", "55")])
def test_one_arm_that_kept_up_was_bounded_by_the_load(seconds: tuple[str, str]) -> None:
    result = compared(*FASTER, seconds)

    assert (result.outcome, result.refusal and result.refusal.code) == ("withheld", "rate_limited")
