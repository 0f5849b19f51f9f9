"""Who sees a memo: the people of its team, whatever they are there, and those who took part in it."""

from collections.abc import Mapping


def teams_seen(roles: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The teams whose memos somebody with `roles` sees: team slug -> role slugs held now. Any role is enough.

    No role reaches beyond its team, not even auditor: an administrator of one team could give it to see all others.
    """
    return frozenset(team for team, held in roles.items() if held)


def sees(teams: frozenset[str], *, team: str, took_part: bool) -> bool:
    """Whether a memo of `team` is visible. took_part: wrote, attached, signed, commented or decided on it."""
    return team in teams or took_part
