"""A rollout judged by its hosts: within the limit, beyond it, or not known yet, at every look."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from analysis.errors import Refused
from analysis.hosts import HostRun, interval_of, judge, level_of

LIMIT = Fraction("1.05")


def runs(baseline: dict[str, list[float]], candidate: dict[str, list[float]]) -> list[HostRun]:
    return [
        HostRun(arm, host, value)  # type: ignore[arg-type]
        for arm, hosts in (("baseline", baseline), ("candidate", candidate))
        for host, values in hosts.items()
        for value in values
    ]


def apart(factor: float) -> list[HostRun]:
    """Four hosts an arm, that differ by 1 % among themselves."""
    usual = (1.0, 1.01, 0.99, 1.005)
    return runs(
        {f"b{i}": [one] for i, one in enumerate(usual)}, {f"c{i}": [factor * one] for i, one in enumerate(usual)}
    )


def test_the_error_of_all_looks_together_is_five_percent() -> None:
    assert level_of(1) == pytest.approx(0.9696036)
    assert sum(1 - level_of(look) for look in range(1, 200_000)) == pytest.approx(0.05, abs=1e-6)


def test_the_interval_is_welchs_over_the_means_of_hosts_at_the_level_of_the_look() -> None:
    seen = runs({"a": [1.0, 1.2], "b": [1.3]}, {"c": [2.0], "d": [2.1, 2.2, 2.3]})
    means = [
        [np.log([1.0, 1.2]).mean(), math.log(1.3)],
        [math.log(2.0), np.log([2.1, 2.2, 2.3]).mean()],
    ]

    found = interval_of(seen, 3)

    expected = stats.ttest_ind(means[1], means[0], equal_var=False).confidence_interval(level_of(3))
    assert (found.low, found.high) == pytest.approx((math.exp(expected.low), math.exp(expected.high)))
    assert found.estimate == pytest.approx(math.exp(np.mean(means[1]) - np.mean(means[0])))
    assert (found.baseline_hosts, found.candidate_hosts, found.look, found.method) == (2, 2, 3, "welch")


def test_a_thousand_runs_of_one_host_are_one_value() -> None:
    few = interval_of(apart(1.02), 1)
    many = interval_of([run for run in apart(1.02) for _ in range(50)], 1)

    assert (many.low, many.high) == pytest.approx((few.low, few.high))


def test_hosts_that_serve_both_arms_are_pairs() -> None:
    seen = runs({"a": [1.0], "b": [2.0], "c": [4.0]}, {"a": [1.1], "b": [2.3], "c": [4.5]})
    logs = np.log([1.1, 2.3 / 2, 4.5 / 4])

    found = interval_of(seen, 1)

    half = stats.t.ppf(0.5 + level_of(1) / 2, 2) * logs.std(ddof=1) / math.sqrt(3)
    assert (found.low, found.high) == pytest.approx((math.exp(logs.mean() - half), math.exp(logs.mean() + half)))
    assert found.method == "paired"
    assert "3 hosts that serve both arms" in judge(seen, better="lower", limit=LIMIT, look=1).sentence


@pytest.mark.parametrize(
    ("factor", "better", "limit", "answer"),
    [
        (1.00, "lower", "1.05", "continue"),
        (1.05, "lower", "1.05", "hold"),
        (1.20, "lower", "1.05", "abort"),
        (0.80, "lower", "1.05", "continue"),
        (1.00, "higher", "0.95", "continue"),
        (0.95, "higher", "0.95", "hold"),
        (0.80, "higher", "0.95", "abort"),
        (1.20, "higher", "0.95", "continue"),
    ],
)
def test_a_limit_is_kept_passed_or_not_known_in_both_directions(
    factor: float, better: str, limit: str, answer: str
) -> None:
    found = judge(apart(factor), better=better, limit=Fraction(limit), look=2)  # type: ignore[arg-type]

    assert found.answer == answer
    assert found.interval is not None
    words = {"continue": "is within", "abort": "is beyond", "hold": "reaches over"}
    assert f"{words[answer]} the limit of {limit}" in found.sentence
    assert "look 2, 4 baseline and 4 candidate hosts; 95 % over all looks" in found.sentence


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        ([], "too_few_hosts"),
        (runs({"a": [1.0] * 9}, {"b": [1.0], "c": [1.0]}), "too_few_hosts"),
        (runs({"": [1.0, 1.1]}, {"b": [1.0], "c": [1.1]}), "too_few_hosts"),
        (runs({"a": [1.0], "b": [1.0]}, {"b": [1.0], "c": [1.0]}), "hosts_in_both_arms"),
        (runs({"a": [1.0], "b": [1.1], "c": [1.2]}, {"b": [1.0], "c": [1.0]}), "hosts_in_both_arms"),
        (runs({"a": [1.0], "b": [1.0]}, {"c": [1.0], "d": [1.0]}), "zero_variance"),
        (runs({"a": [0.0], "b": [1.0]}, {"c": [1.0], "d": [1.0]}), "no_logarithm"),
        (runs({"a": [1e-300], "b": [1e300]}, {"c": [1.0], "d": [1e300]}), "unbounded"),
    ],
)
def test_without_an_interval_a_rollout_holds_and_says_why(seen: list[HostRun], code: str) -> None:
    with pytest.raises(Refused) as caught:
        interval_of(seen, 1)
    assert caught.value.code == code

    found = judge(seen, better="lower", limit=LIMIT, look=1)

    assert (found.answer, found.interval) == ("hold", None)
    assert found.sentence == f"{caught.value.message} {caught.value.needs}"


def test_all_looks_together_cover_the_effect_although_hosts_are_seen_again() -> None:
    """Six looks; each adds runs to the hosts of before, and hosts. A plain interval at each look is wrong oftener."""
    draw = np.random.default_rng(20)
    missed = plain = 0
    for _ in range(400):
        hosts = {f"{arm}{i}": draw.normal(0, 0.02) for arm in "bc" for i in range(8)}
        seen: list[HostRun] = []
        wrong = naive = False
        for look in range(1, 7):
            for arm, name in (("b", "baseline"), ("c", "candidate")):
                for i in range(2 + look):
                    value = math.exp(hosts[f"{arm}{i}"] + draw.normal(0, 0.02))
                    seen.append(HostRun(name, f"{arm}{i}", value))  # type: ignore[arg-type]
            found = interval_of(seen, look)
            wrong |= not found.low <= 1 <= found.high
            fixed = interval_of(seen, 1)
            naive |= not fixed.low <= 1 <= fixed.high
        missed, plain = missed + wrong, plain + naive
    assert missed <= 20
    assert plain > 20
