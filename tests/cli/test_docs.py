import re
from pathlib import Path

import pytest

from reviews.cli.main import COMMANDS, Parser, parser_of
from tests.cli.typed import typed
from tests.house.documentation import missing_from

PAGE = "docs/cli.md"


def test_every_command_has_its_entry() -> None:
    text = Path(PAGE).read_text()

    assert [command.words for command in COMMANDS if f"### `countersign {command.words} " not in text] == []


def test_every_option_is_named() -> None:
    options = {
        word
        for command in COMMANDS
        for action in _parser(command.words)._actions
        for word in action.option_strings
        if word.startswith("--") and word != "--help"
    }
    text = Path(PAGE).read_text()

    assert [option for option in sorted(options) if option not in text] == []


def test_nobody_signs_or_decides_from_the_command_line() -> None:
    words = " ".join(command.words for command in COMMANDS)

    assert not any(word in words for word in ("sign", "decide", "ship", "approve", "waive"))


@pytest.mark.parametrize("command", [command.words for command in COMMANDS])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, *command.split(), "--help")

    assert answer.code == 0
    assert "usage: countersign" in answer.out


def test_the_page_is_checked_by_the_words_that_stand_as_code() -> None:
    assert missing_from(PAGE, ["COUNTERSIGN_SERVER", "COUNTERSIGN_TOKEN"]) == []


def test_the_question_of_the_page_is_one_that_next_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = re.findall(r"```json\n(.*?)```", Path(PAGE).read_text(), re.DOTALL)
    (tmp_path / "next.json").write_text(text)

    answer = typed(capsys, "next", tmp_path / "next.json")

    assert answer.code == 0, answer.err
    assert "replay of the kernel" in answer.out


@pytest.mark.parametrize("command", re.findall(r"^countersign ((?:bounds|summary) .*)$", Path(PAGE).read_text(), re.M))
def test_the_examples_that_need_no_file_are_answered(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, *command.split())

    assert answer.out
    assert answer.err == ""


def _parser(words: str) -> Parser:
    parser = parser_of(COMMANDS)
    for word in words.split():
        (choices,) = [action.choices for action in parser._actions if isinstance(action.choices, dict)]
        parser = choices[word]
    return parser
