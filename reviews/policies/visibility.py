"""Who sees a memo: the people of its team, those who took part, and those who oversee every team."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reviews.vocabulary import StandingRole

OVERSEERS: Final = frozenset({StandingRole.AUDITOR.value, StandingRole.ADMINISTRATOR.value})


@dataclass(frozen=True, slots=True)
class Reach:
    """What somebody sees beside the memos in which they took part: every team, or those named."""

    every_team: bool
    teams: frozenset[str]


def reach(roles: Mapping[str, frozenset[str]]) -> Reach:
    """The reach of somebody with `roles`: team slug -> role slugs held now. Any role for a team shows its memos."""
    held = frozenset().union(*roles.values())
    return Reach(bool(held & OVERSEERS), frozenset(team for team, some in roles.items() if some))


def sees(reach: Reach, *, team: str, took_part: bool) -> bool:
    """Whether a memo of `team` is visible. took_part: wrote, attached, signed, commented or decided on it."""
    return reach.every_team or team in reach.teams or took_part
