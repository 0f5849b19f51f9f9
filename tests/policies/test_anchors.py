"""What became of the text that a comment is about, and whom a comment names."""

import pytest

from reviews.policies import anchors, mentions
from reviews.told_words import Anchored

SECTION = {
    "rollback_target": "build 41",
    "empty": "",
    "none": None,
    "sure": True,
    "unsure": False,
    "risks": [{"kind": "thermal", "result": "68 °C"}, {"kind": "", "result": "fine"}, "a word"],
    "nested": {"build": {"driver": "550"}},
}


def stands(now: object, field: str = "", quote: str = "", then: object = SECTION) -> tuple[Anchored, str]:
    found = anchors.standing(then, now, field, quote)
    assert found.changed == (found.word is Anchored.CHANGED)
    assert found.outdated == (found.word is Anchored.OUTDATED)
    return found.word, found.was


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("rollback_target", "build 41"),
        ("risks.thermal.result", "68 °C"),
        ("risks.2.result", "fine"),
        ("risks.3", "a word"),
        ("nested", "build.driver: 550"),
        ("risks", "thermal.kind: thermal\nthermal.result: 68 °C\n2.result: fine\n3: a word"),
        ("sure", "True"),
        ("unsure", ""),
        ("none", ""),
        ("weather", ""),
        ("risks.4", ""),
        ("rollback_target.rain", ""),
    ],
)
def test_a_field_is_found_by_its_path(field: str, text: str) -> None:
    assert anchors.text_at(SECTION, field) == text


def test_a_field_may_be_empty_and_is_there() -> None:
    assert anchors.has_field(SECTION, "empty")
    assert anchors.has_field(SECTION, "")
    assert not anchors.has_field(SECTION, "weather")


def test_filled_fields_are_offered_and_not_more_than_forty() -> None:
    assert anchors.fields(SECTION)[:3] == ("rollback_target", "sure", "risks.thermal.kind")
    assert len(anchors.fields({str(n): "x" for n in range(99)})) == 40


def test_a_text_that_stands_is_said_to_stand() -> None:
    assert stands(SECTION, "rollback_target") == (Anchored.STANDS, "")
    assert stands({**SECTION, "rollback_target": "build 40"}, "risks.thermal.result") == (Anchored.STANDS, "")
    assert stands({**SECTION, "rollback_target": "the build 41 of May"}, "rollback_target", "build 41") == (
        Anchored.STANDS,
        "",
    )


def test_a_text_that_changed_is_said_as_it_was() -> None:
    now = {**SECTION, "rollback_target": "build 40"}

    assert stands(now, "rollback_target") == (Anchored.CHANGED, "build 41")
    assert stands(now, "rollback_target", "41") == (Anchored.CHANGED, "41")
    assert stands(now) == (Anchored.CHANGED, "rollback_target: build 41")
    assert stands(SECTION, "rollback_target", then={**SECTION, "rollback_target": ""}) == (Anchored.CHANGED, "")


def test_an_entry_follows_its_name_to_another_place_in_the_list() -> None:
    now = {"risks": [{"kind": "quality", "result": "-"}, {"kind": "thermal", "result": "68 °C"}]}

    assert stands(now, "risks.thermal.result") == (Anchored.STANDS, "")


@pytest.mark.parametrize("now", [{}, None, {"rollback_target": ""}])
def test_what_is_gone_is_outdated_and_keeps_its_words(now: object) -> None:
    assert stands(now, "rollback_target") == (Anchored.OUTDATED, "build 41")
    assert stands(now, "rollback_target", "41") == (Anchored.OUTDATED, "41")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@olga, and @pat.x@y.z: look. Ask @olga again.", ("olga", "pat.x@y.z")),
        ("Write to ann@example.org, not to @.", ()),
        ("(@bea)", ("bea",)),
    ],
)
def test_names_stand_after_an_at(text: str, names: tuple[str, ...]) -> None:
    assert mentions.mentioned(text) == names
