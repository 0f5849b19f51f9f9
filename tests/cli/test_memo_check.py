import io
import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

import pytest

from reviews.cli import main
from reviews.cli.command import Command, Exit
from reviews.errors import Incomplete, Missing
from reviews.memo_text import shipped
from tests.cli.typed import Typed, typed

SHORT = "ACCELERATOR REVIEW MEMO - Short\n\n1. Symptom\n   - Workload or traffic slice: <name>\n\nA stray line.\n"


def no_arguments(_parser: ArgumentParser) -> None:
    """For a command that takes none."""


def test_what_is_missing_is_said_field_by_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "memo.txt"
    path.write_text(SHORT)

    answer = typed(capsys, "memo", "check", path)

    assert answer.code == 1
    assert "workload" in answer.out
    assert "kept as it stands: A stray line." in answer.out


def test_a_whole_memo_passes(capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "memo", "check", "examples/batch_policy/memo.txt", "--intent", "planned_change")

    assert answer.code == 0
    assert "Nothing is missing" in answer.out


def test_json_holds_the_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(SHORT))

    told = json.loads(typed(capsys, "memo", "check", "-", "--json").out)

    assert told["sections"]["header"]["title"] == "Short"
    assert told["missing"]


@pytest.mark.parametrize("template", [template.slug for template in shipped.templates()])
def test_every_shipped_template_can_be_chosen(
    template: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "memo.txt"
    path.write_text(SHORT)

    assert typed(capsys, "memo", "check", path, "--template", template).code == 1


def test_a_text_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary = tmp_path / "memo.bin"
    binary.write_bytes(b"\xff\xfe\x00")
    control = tmp_path / "memo.txt"
    control.write_text("title\x00\n")

    assert typed(capsys, "memo", "check", tmp_path / "gone").code == 64
    assert typed(capsys, "memo", "check", binary).code == 64
    assert typed(capsys, "memo", "check", control).code == 4
    assert typed(capsys, "memo", "check", control, "--template", "none").code == 64


def test_a_refusal_lists_what_is_missing_and_who_can_supply_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lacks = (Missing("a", "This is missing.", "ann", ""), Missing("b", "That too.", "", ""))

    def refuse(_options: Namespace) -> Exit:
        raise Incomplete("Not yet.", needs="Fill it in.", missing=lacks)

    monkeypatch.setattr(main, "COMMANDS", (Command("refuse", "refuses", no_arguments, refuse),))

    answer = typed(capsys, "refuse")

    assert answer.code == 4
    assert answer.err == "Not yet. Fill it in. [incomplete]\n  This is missing. (ann)\n  That too.\n"


def test_a_reader_that_went_away_ends_the_command_quietly(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(_options: Namespace) -> Exit:
        raise BrokenPipeError

    monkeypatch.setattr(main, "COMMANDS", (Command("tell", "tells", no_arguments, break_off),))

    assert typed(capsys, "tell") == Typed(1, "", "")
