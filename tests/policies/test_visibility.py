"""Who sees a memo."""

import pytest

from reviews.policies.visibility import reach, sees


@pytest.mark.parametrize(
    ("roles", "team", "took_part", "visible"),
    [
        ({"inference": frozenset({"author"})}, "inference", False, True),
        ({"inference": frozenset({"platform"})}, "inference", False, True),
        ({"inference": frozenset({"author"})}, "training", False, False),
        ({"inference": frozenset({"author"})}, "training", True, True),
        ({"inference": frozenset({"auditor"})}, "training", False, True),
        ({"inference": frozenset({"administrator"})}, "training", False, True),
        ({"inference": frozenset({"board"})}, "training", False, False),
        ({"inference": frozenset()}, "inference", False, False),
        ({}, "inference", False, False),
        ({}, "inference", True, True),
    ],
)
def test_a_memo_is_seen_by_its_team_by_who_took_part_and_by_overseers(
    roles: dict[str, frozenset[str]], team: str, took_part: bool, visible: bool
) -> None:
    assert sees(reach(roles), team=team, took_part=took_part) is visible


def test_the_reach_names_the_teams_for_a_query() -> None:
    found = reach({"inference": frozenset({"author"}), "training": frozenset({"board"}), "old": frozenset()})

    assert found.teams == {"inference", "training"}
    assert not found.every_team
