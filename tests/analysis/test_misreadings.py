"""Numbers that are easily misread: each is noticed, and said in words that claim no more than is known."""

from fractions import Fraction
from typing import Any

import pytest

from analysis.assess import AssessmentResult, assess
from tests.analysis.props import SECOND, a_measurement, a_plan, a_request, a_run
from tests.analysis.worked import lasting, with_rows

WORK = (("requests_completed", "100"), ("input_tokens", "58270"))


def assessed(runs: Any, **changes: Any) -> AssessmentResult:
    return assess(a_request(runs, a_plan(**{"tolerances": {}, "required": (), **changes})))


def said(result: AssessmentResult) -> dict[str, str]:
    return {notice.code: notice.sentence for notice in result.notices}


def pair(**parts: Any) -> list[Any]:
    return [a_run(arm, 0, 1.0, **{"work": WORK, **parts}) for arm in ("baseline", "candidate")]


def test_a_load_that_was_not_reached_is_said() -> None:
    runs = pair(settings=(("request_rate", "10"),))

    short = said(assessed([lasting(run, "50") for run in runs]))["below_offered_rate"]
    assert short == (
        "Fewer requests were completed than offered, by more than the chance of their arrivals. In b0 (2 of 10 "
        "requests/s), c0 (2 of 10 requests/s) it was saturated, or the run was too short to tell."
    )
    waited = [with_rows(run, [a_measurement(9.0, metric="ttft", stat="mean", kind="aggregate")]) for run in runs]
    assert said(assessed([lasting(run, "50") for run in waited]))["below_offered_rate"].endswith(
        "In b0 (2 of 10 requests/s), c0 (2 of 10 requests/s) it was saturated: its requests waited."
    )
    assert "below_offered_rate" not in said(assessed([lasting(run, "13") for run in runs]))
    assert "below_offered_rate" not in said(
        assessed([lasting(r, "50") for r in pair(settings=(("request_rate", "inf"),))])
    )
    assert "below_offered_rate" not in said(assessed([lasting(r, "50") for r in pair()]))


def aggregate(run: Any, **values: float) -> Any:
    """metric_stat=value, as the tool computed it."""
    rows = []
    for name, value in values.items():
        metric, _, stat = name.rpartition("_")
        rows.append(a_measurement(value, metric=metric, stat=stat, kind="aggregate", unit="1"))
    return with_rows(run, rows)


def test_a_peak_below_the_mean_is_said() -> None:
    wrong = [aggregate(run, wall_time_max=0.9, wall_time_mean=1.0) for run in pair()]
    right = [aggregate(run, wall_time_max=1.1, wall_time_mean=1.0) for run in pair()]

    assert said(assessed(wrong))["peak_below_mean"] == (
        "The peak of wall_time is below its mean in b0, c0: one of the two is wrong."
    )
    assert "peak_below_mean" not in said(assessed(right))
    assert "peak_below_mean" not in said(assessed([aggregate(run, wall_time_max=0.9) for run in pair()]))


def test_a_time_between_tokens_that_counts_chunks_is_refused() -> None:
    def of(itl: float, *, tpot: bool = True) -> AssessmentResult:
        more = {"tpot_mean": 0.020} if tpot else {}
        return assessed([aggregate(run, itl_mean=itl, **more) for run in pair()], metric="itl", stat="mean")

    refused = of(0.004).refusal
    assert refused is not None
    assert (refused.code, refused.needs) == ("itl_counts_chunks", "Compare tpot, the time per output token.")
    for other in (of(0.019), of(0.004, tpot=False)):
        assert other.refusal is not None
        assert other.refusal.code == "too_few_runs"


def in_order(*times: float, better: Any = "lower", settings: Any = ()) -> dict[str, str]:
    runs = [
        a_run("baseline", i, time, settings=settings, file_run={"started_ns": i * SECOND})
        for i, time in enumerate(times)
    ]
    margin = Fraction("1.02") if better == "lower" else Fraction("0.98")
    return said(assessed([*runs, a_run("candidate", 0, 1.0)], better=better, margin=margin))


SEED = (("seed", "0"),)


def test_runs_that_repeat_their_requests_and_get_faster_may_have_a_warm_cache() -> None:
    assert in_order(1.86, 1.0, settings=SEED)["warm_cache"] == (
        "The baseline runs repeat the same requests (seed 0), and each was faster than the one before: a warm prefix "
        "cache looks like that, and so does chance, in one of 2 arms. Record whether it was on, and empty it before "
        "every run."
    )
    assert "warm_cache" in in_order(1.0, 1.86, better="higher", settings=SEED)
    for other in (
        in_order(1.0, 1.86, settings=SEED),
        in_order(1.86, 1.0),
        in_order(1.03, 1.0, settings=SEED),
        in_order(1.86, 1.0, settings=(*SEED, ("enable_prefix_caching", "False"))),
    ):
        assert "warm_cache" not in other


def test_a_first_run_that_stands_out_is_said() -> None:
    assert in_order(762.0, 58.0, 60.0)["first_run_stands_out"] == (
        "The first baseline run, b0, is slower than all later ones by a factor of at least 12.7: the first run of a "
        "fresh server carries its warm-up. Warm both alike."
    )
    assert "first_run_stands_out" not in in_order(762.0, 58.0)
    assert "first_run_stands_out" not in in_order(61.0, 58.0, 60.0)
    assert "first_run_stands_out" not in in_order(70.0, 58.0, 60.0), "three runs do that by chance"
    assert "first_run_stands_out" in in_order(70.0, 58.0, 60.0, 59.0)
    assert "first_run_stands_out" in in_order(65.0, 58.0, 60.0, 59.0, 58.5, 59.5)
    assert "first_run_stands_out" not in in_order(1.04, 1.0, 1.0)


def test_a_length_that_was_asked_for_and_not_run_is_said() -> None:
    asked = (("random_input_len", "10000"),)

    assert said(assessed(pair(settings=asked)))["requested_length_not_met"] == (
        "random_input_len is not what was run in b0, c0: 582.7 of 10000 tokens a request in b0."
    )
    for settings in (
        (("random_input_len", "583"),),
        (*asked, ("dataset_name", "sharegpt")),
        (("random_input_len", "any"),),
    ):
        assert "requested_length_not_met" not in said(assessed(pair(settings=settings)))
    assert "requested_length_not_met" in said(assessed(pair(settings=(*asked, ("dataset_name", "random")))))


@pytest.mark.parametrize(("time", "noticed"), [(462.0, True), (900.0, False)])
def test_equal_times_for_other_work_are_said(time: float, noticed: bool) -> None:
    runs = [
        a_run("baseline", 0, 459.0, work=(("output_tokens", "1"),)),
        a_run("candidate", 0, time, work=(("output_tokens", "128"),)),
    ]

    found = said(assessed(runs)).get("latency_ignores_work", "")
    assert bool(found) == noticed
    if noticed:
        assert found == (
            "wall_time is nearly the same (ratio 1.01) though output_tokens differs by a factor of 128: check that the "
            "work was done."
        )


@pytest.mark.parametrize(("rate", "noticed"), [(50.0, True), (900.0, False)])
def test_a_rate_that_falls_with_the_batch_may_count_batches(rate: float, noticed: bool) -> None:
    runs = [
        a_run(arm, 0, value, settings=(("batch_size", batch),), measured={"metric": "throughput", "unit": "1/s"})
        for arm, value, batch in (("baseline", 100.0, "1"), ("candidate", rate, "8"))
    ]
    result = assessed(
        runs, metric="throughput", better="higher", margin=Fraction("0.98"), varied=("image", "batch_size")
    )

    assert ("throughput_falls_with_batch" in said(result)) == noticed


def test_what_neither_arm_records_is_not_known_to_be_the_same() -> None:
    found = said(assessed(pair(settings=(("seed", "0"), ("dtype", "bf16")))))["not_known_to_be_the_same"]

    assert found.startswith("Neither arm records the model, the dataset, the state of the prefix cache, the topology, ")
    assert "the seed" not in found
    assert found.endswith(": what is not recorded is not known to be the same.")


def test_arms_without_a_positive_value_have_no_ratio_to_speak_of() -> None:
    runs = [a_run("baseline", 0, 1.0, work=WORK), a_run("candidate", 0, None, work=(("requests_completed", "900"),))]

    assert "latency_ignores_work" not in said(assessed(runs))
