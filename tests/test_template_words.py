"""What a draft changes, field by field, in words."""

from typing import Any

import pytest

from reviews.template_words import changes

NEW_RULE = (
    "Rules, nobody objects: required for ship, required for bounded rollout, only shown for rollback, "
    "not asked for escalate, waivable is new."
)
METRIC = {"metric": "latency", "stat": "p99", "margin": "1.05", "said": ["p99", "tail"]}
OLD: dict[str, Any] = {"version": 1, "quorum": 2, "metrics": [METRIC], "pitfalls": ["a", "b"], "decisions": {}}


@pytest.mark.parametrize(
    ("special", "sentences"),
    [
        ({"version": 2}, []),
        ({"metrics": ({**METRIC, "said": ("p99", "tail")},)}, []),
        ({"quorum": 3}, ["Quorum: 2 becomes 3."]),
        ({"evidence_days": 30}, ["Evidence days: 180 becomes 30."]),
        ({"evidence_days": 180}, []),
        ({"rules": {"nobody_objects": "● ● ○ · ◇"}}, [NEW_RULE]),
        ({"metrics": [{**METRIC, "margin": "1.02"}]}, ["Metrics, latency p99, margin: 1.05 becomes 1.02."]),
        ({"metrics": []}, ["Metrics, latency p99: latency p99 is gone."]),
        ({"metrics": [METRIC, {"role": "sre", "title": "SRE", "on": True}]}, ["Metrics, sre: SRE is new."]),
        ({"metrics": [METRIC, {"odd": 1}]}, ["Metrics, row: row is new."]),
        ({"pitfalls": ["a", "c"]}, ["Pitfalls: c is new.", "Pitfalls: b is gone."]),
        ({"pitfalls": ["b", "a"]}, ["Pitfalls: the order becomes another order."]),
        ({"pitfalls": 3}, ["Pitfalls: a, b becomes 3."]),
        ({"decisions": {"ship": {"on": True}}}, ["Decisions, ship: row is new."]),
        ({"quorum": False}, ["Quorum: 2 becomes no."]),
        ({"quorum": ""}, ["Quorum: 2 becomes none."]),
        ({"quorum": {}}, ["Quorum: 2 becomes none."]),
    ],
)
def test_each_difference_is_one_sentence(special: dict[str, Any], sentences: list[str]) -> None:
    assert [one.sentence for one in changes(OLD, {**OLD, **special})] == sentences


def test_of_a_first_version_everything_is_new() -> None:
    assert [one.sentence for one in changes({}, {"quorum": 2})][-1] == "Quorum: 2 is new."
