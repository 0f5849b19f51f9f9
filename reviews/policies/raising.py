"""What a version of a template may ask beyond its rule set: it raises marks, and lowers none."""

from collections.abc import Mapping
from typing import Final

from reviews.policies import gate

STRENGTH: Final = {gate.NOT_ASKED: 0, gate.SHOWN: 1, gate.REQUIRED: 2}
ENDS: Final = frozenset({gate.NOT_ASKED, gate.WAIVABLE})
SPELT: Final = "four marks of ● ○ · for ship, bounded rollout, rollback and escalate, then ◇ or ·"


def wrong(rules_version: str, raised: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """(rule, why it is refused) for each raised mark that is none; () when all of them only ask more."""
    known = {rule.name: rule.marks for rule in gate.RULE_SETS.get(rules_version, ())}
    lacks = ((name, _lack(name, marks, known)) for name, marks in raised.items())
    return tuple((name, lack) for name, lack in lacks if lack)


def _lack(name: str, marks: str, known: Mapping[str, str]) -> str:
    if name not in known:
        return f"The rule set has no rule {name}."
    *given, waivable = marks.split() or [""]
    if len(given) != len(gate.COLUMNS) or not set(given) <= set(STRENGTH) or waivable not in ENDS:
        return f"{name} is marked by {SPELT}."
    *base, base_waivable = known[name].split()
    lower = [
        str(kind.label)
        for kind, was, now in zip(gate.COLUMNS, base, given, strict=True)
        if STRENGTH[now] < STRENGTH[was]
    ]
    if lower:
        return f"{name} asks less for {', '.join(lower)} than its rule set; a template only asks more."
    if waivable == gate.WAIVABLE and base_waivable != gate.WAIVABLE:
        return f"{name} cannot be waived by its rule set, and a template does not loosen that."
    return ""
