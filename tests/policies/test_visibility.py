"""Who sees a memo."""

import pytest

from reviews.policies.visibility import sees, teams_seen


@pytest.mark.parametrize(
    ("roles", "team", "took_part", "visible"),
    [
        ({"inference": frozenset({"author"})}, "inference", False, True),
        ({"inference": frozenset({"auditor"})}, "inference", False, True),
        ({"inference": frozenset({"platform"})}, "inference", False, True),
        ({"inference": frozenset({"author"})}, "training", False, False),
        ({"inference": frozenset({"author"})}, "training", True, True),
        ({"inference": frozenset({"auditor"})}, "training", False, False),
        ({"inference": frozenset({"administrator"})}, "training", False, False),
        ({"inference": frozenset({"board"})}, "training", False, False),
        ({"inference": frozenset()}, "inference", False, False),
        ({}, "inference", False, False),
        ({}, "inference", True, True),
    ],
)
def test_a_memo_is_seen_by_its_team_and_by_who_took_part(
    roles: dict[str, frozenset[str]], team: str, took_part: bool, visible: bool
) -> None:
    assert sees(teams_seen(roles), team=team, took_part=took_part) is visible
