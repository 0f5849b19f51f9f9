"""A template raises marks of its rule set, and lowers none."""

import pytest

from reviews.policies import raising


@pytest.mark.parametrize(
    ("rule", "marks"),
    [
        ("every_hypothesis_is_resolved", "● ● · · ·"),
        ("every_hypothesis_is_resolved", "● ○ · · ·"),
        ("evidence_is_fresh", "● ● ● ● ◇"),
        ("evidence_is_fresh", "● ● ○ · ·"),
    ],
)
def test_more_is_asked(rule: str, marks: str) -> None:
    assert raising.wrong("2", {rule: marks}) == ()


@pytest.mark.parametrize(
    ("rule", "marks", "why"),
    [
        ("every_hypothesis_is_resolved", "○ ○ · · ·", "asks less for ship than its rule set"),
        ("nobody_objects", "○ ○ · · ·", "asks less for ship, bounded rollout, rollback than its rule set"),
        ("nobody_objects", "● ● ● ● ◇", "cannot be waived by its rule set"),
        ("nobody_objects", "● ● ●", "is marked by four marks"),
        ("nobody_objects", "", "is marked by four marks"),
        ("nobody_objects", "● ● x · ·", "is marked by four marks"),
        ("nobody_objects", "● ● ○ · ●", "is marked by four marks"),
        ("the_weather_is_fine", "● ● ● ● ·", "The rule set has no rule"),
    ],
)
def test_less_or_nonsense_is_refused(rule: str, marks: str, why: str) -> None:
    [(name, said)] = raising.wrong("2", {rule: marks})

    assert name == rule
    assert why in said


def test_a_rule_of_a_later_set_cannot_be_raised_in_an_earlier_one() -> None:
    assert raising.wrong("1", {"evidence_is_fresh": "● ● ● ● ·"}) != ()
    assert raising.wrong("7", {"nobody_objects": "● ● ● ● ·"}) != ()
