"""Words, shapes and tones."""

from collections.abc import Mapping
from itertools import combinations

import pytest

from reviews import vocabulary
from reviews.signs import SIGNS, Sign, sign_of


@pytest.mark.parametrize("kind", SIGNS)
def test_within_a_kind_no_two_answers_share_word_or_shape(kind: str) -> None:
    same = [
        (one.word, two.word)
        for one, two in combinations(SIGNS[kind].values(), 2)
        if one.word == two.word or one.shape == two.shape
    ]

    assert same == []


@pytest.mark.parametrize(
    ("kind", "choices"),
    [
        ("requirement", vocabulary.RequirementState),
        ("state", vocabulary.State),
        ("position", vocabulary.Position),
        ("audit", vocabulary.AuditState),
        ("resolution", vocabulary.Resolution),
        ("waiver", vocabulary.WaiverState),
        ("parse", vocabulary.ParseState),
        ("job", vocabulary.JobState),
    ],
)
def test_every_word_of_the_vocabulary_has_its_sign(kind: str, choices: type[vocabulary.State]) -> None:
    signs: Mapping[str, Sign] = SIGNS[kind]

    assert {value: sign.word for value, sign in signs.items()} == dict(choices.choices)


def test_an_answer_without_a_sign_is_an_error() -> None:
    with pytest.raises(KeyError):
        sign_of("state", "unheard_of")
