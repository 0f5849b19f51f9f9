"""The pages that people read say what the tables say."""

import re
from pathlib import Path

import pytest
from django.db.models import TextChoices

from reviews import told_words, vocabulary
from reviews.policies import gate, lifecycle
from reviews.policies.lifecycle import Move
from reviews.vocabulary import RequirementState, SectionName, State

from .open_gate import OPEN

DOCS = Path(__file__).parents[2] / "docs"
CHOICES = [
    choices
    for choices in (*vars(vocabulary).values(), *vars(told_words).values())
    if isinstance(choices, type) and issubclass(choices, TextChoices) and choices is not TextChoices
]


def rows(page: str, columns: int) -> list[list[str]]:
    """The cells of every table row of the page that has so many columns."""
    lines = (DOCS / page).read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in cells if len(row) == columns]


def test_the_gate_page_marks_each_rule_as_the_table_does() -> None:
    told = {row[0].strip("`"): row[1:6] for row in rows("gate.md", 7) if row[0] != "rule"}

    expected = {
        rule.name: [mark.replace("·", "") for mark in rule.marks.split()]  # blank: not asked
        for rule in gate.RULES
    }
    assert told == expected
    assert list(told) == [rule.name for rule in gate.RULES]


def test_the_gate_page_says_what_each_rule_asks() -> None:
    assert all(row[6] for row in rows("gate.md", 7))


def test_the_gate_page_explains_each_state() -> None:
    assert [row[0] for row in rows("gate.md", 3)][1:] == [str(state.label) for state in RequirementState]


def test_every_waiver_code_on_the_gate_page_can_be_waived() -> None:
    codes = [row[0].strip("`") for row in rows("gate.md", 2)][1:]

    assert {code.partition(":")[0] for code in codes} == {rule.name for rule in gate.RULES if rule.waivable}
    assert all(gate.can_be_waived(code, OPEN.template) for code in codes)


def told(states: tuple[State, ...]) -> str:
    if states == tuple(State):
        return "all"
    if states == lifecycle.LIVING:
        return "all but withdrawn"
    return ", ".join(str(state.label) for state in states)


ASKS = {
    "": "",
    "completeness": "completeness: what its text asks for is filled in",
    "reason": "a reason",
    "contract": "the signed contract; the thresholds are judged again",
    "end": "the rollout's end has passed",
    "outcome": "outcome: a recheck, with the same work and quality",
}


def asks(row: Move) -> str:
    sections = [str(name.label) for name in SectionName if name in row.sections]
    only = "sections" if len(sections) > 1 else "section"
    parts = (
        f"gate *{row.gate.label}*" if row.gate else "",
        ASKS[row.asks],
        "" if row.sections == lifecycle.ALL_SECTIONS else f"only the {only} {', '.join(sections)}",
    )
    return "; ".join(part for part in parts if part)


def test_the_lifecycle_page_shows_each_move_of_the_table() -> None:
    expected = [
        [
            str(row.action.label),
            told(row.sources),
            "same" if row.target is None else str(row.target.label),
            lifecycle.who([row]),
            asks(row),
        ]
        for row in lifecycle.MOVES
    ]

    assert rows("lifecycle.md", 5)[1:] == expected


@pytest.mark.parametrize("choices", CHOICES, ids=lambda choices: choices.__name__)
def test_every_word_of_the_vocabulary_stands_in_the_glossary(choices: type[TextChoices]) -> None:
    page = (DOCS / "glossary.md").read_text()
    section = re.search(rf"^## {choices.__name__}$(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)

    assert section is not None
    found = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+) \|$", section.group(1), re.MULTILINE)
    assert [(value, word) for value, word, _ in found] == [(word.value, str(word.label)) for word in choices]


def test_the_vocabulary_was_found() -> None:
    assert len(CHOICES) >= 28


def test_the_policies_know_no_database_and_no_clock() -> None:
    sources = [path.read_text() for path in (Path(gate.__file__).parent).glob("*.py")]

    imported = {
        line.split()[1] for text in sources for line in text.splitlines() if line.startswith(("import ", "from "))
    }
    ours = {name for name in imported if name.startswith("reviews.") and not name.startswith("reviews.policies")}
    assert ours <= {
        "reviews.vocabulary",
        "reviews.told_words",
        "reviews.errors",
        "reviews.sections",
        "reviews.template_content",
    }
    assert not {name for name in imported if name.partition(".")[0] in ("django", "time", "random", "os", "analysis")}
    assert not re.search(r"\.(now|today|utcnow)\(", "\n".join(sources))
