"""A randomised traffic split: its share is checked, and totals of work follow it."""

from dataclasses import replace
from fractions import Fraction

import pytest
from scipy import stats

from analysis.assess import assess
from analysis.split import ArmTraffic, audited, balance
from tests.analysis.audited import arms, rows
from tests.analysis.props import a_plan, a_request, a_run


def of(baseline: int | None, candidate: int | None, share: str = "0.05") -> object:
    return balance(
        ArmTraffic(hosts=19, runs=19, requests=baseline),
        ArmTraffic(hosts=1, runs=1, requests=candidate),
        intended=Fraction(share),
    )


@pytest.mark.parametrize(
    ("baseline", "candidate", "share", "state"),
    [
        (9500, 500, "0.05", "balanced"),
        (9000, 1000, "0.05", "mismatch"),
        (9500, 0, "0.05", "mismatch"),
        (0, 3, "0.5", "balanced"),
        (500, 500, "0.5", "balanced"),
        (600, 400, "0.5", "mismatch"),
        (400, 600, "0.5", "mismatch"),
        (0, 20, "1", "balanced"),
    ],
)
def test_a_share_is_held_against_the_intended_one_exactly(
    baseline: int, candidate: int, share: str, state: str
) -> None:
    found = of(baseline, candidate, share)

    total = baseline + candidate
    under = stats.binom.cdf(candidate, total, float(share))
    over = stats.binom.sf(candidate - 1, total, float(share))
    assert found.state == state  # type: ignore[attr-defined]
    assert found.p_value == pytest.approx(min(1, 2 * min(under, over)), rel=1e-6)  # type: ignore[attr-defined]
    assert found.observed == candidate / total  # type: ignore[attr-defined]
    assert f"was sent {candidate} of {total} requests" in found.sentence  # type: ignore[attr-defined]


@pytest.mark.parametrize(("baseline", "candidate"), [(None, 5), (5, None), (0, 0)])
def test_requests_that_nobody_counted_are_no_balance(baseline: int | None, candidate: int | None) -> None:
    found = of(baseline, candidate)

    assert (found.state, found.observed, found.p_value) == ("not_recorded", None, None)  # type: ignore[attr-defined]
    assert "not recorded" in found.sentence  # type: ignore[attr-defined]


def test_totals_of_work_follow_a_split_and_block_nothing() -> None:
    unlike = [rows(arms(tokens=("19000", "1000")))["output_tokens"]]

    same_requests = audited(a_plan(), unlike)
    split = audited(a_plan(match="traffic_split"), unlike)

    assert [row.blocks for row in same_requests] == [True]
    assert [(row.state, row.blocks) for row in split] == [("differs_as_declared", False)]
    assert split[0].sentence == "output_tokens follows the traffic split, and is not compared."


def test_settings_work_of_one_arm_only_and_failed_requests_are_audited_as_ever() -> None:
    for unlike in (
        rows(arms(baseline=(("batch", "4"),), candidate=(("batch", "8"),))),
        rows([a_run(arm, i, 1.0, work=(("requests_failed", n),))
              for arm, n in (("baseline", "1"), ("candidate", "90")) for i in range(2)]),
    ):  # fmt: skip
        found = audited(a_plan(match="traffic_split"), unlike.values())
        assert tuple(found) == tuple(unlike.values())
        assert any(row.blocks for row in found)


def test_the_main_path_compares_live_traffic_whose_totals_differ() -> None:
    made = [
        a_run(arm, i, value, work=(("output_tokens", done),))
        for arm, done, values in (("baseline", "1900", (1.0, 1.1, 1.05)), ("candidate", "100", (1.2, 1.25, 1.3)))
        for i, value in enumerate(values)
    ]

    assert assess(a_request(made, a_plan())).outcome == "not_comparable"
    assert assess(a_request(made, replace(a_plan(), match="traffic_split"))).outcome == "verdict"
