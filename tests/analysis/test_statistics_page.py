"""docs/statistics.md: its examples run, and every code that the analysis can give has its words there."""

import ast
import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "statistics.md"
EXAMPLES = re.findall(r"```pycon\n(.*?)```", PAGE.read_text(), re.DOTALL)
SAYS = {"Refused", "Refusal", "NotComparable", "Notice"}


def test_the_examples_on_the_page_are_true(capsys: pytest.CaptureFixture[str]) -> None:
    page = doctest.DocTestParser().get_doctest("".join(EXAMPLES), {}, "statistics", str(PAGE), 0)
    outcome = doctest.DocTestRunner().run(page)

    assert outcome.failed == 0, capsys.readouterr().out
    assert outcome.attempted >= 20


def codes_of(source: str) -> set[str]:
    """The literal codes that the source refuses or notices with."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args]
    firsts = [(node.func.id, node.args[0]) for node in calls if isinstance(node.func, ast.Name)]
    return {str(arg.value) for name, arg in firsts if name in SAYS and isinstance(arg, ast.Constant)}


def test_every_code_of_the_analysis_stands_on_the_page() -> None:
    sources = sorted((ROOT / "analysis").glob("*.py"))
    codes = set().union(*(codes_of(path.read_text()) for path in sources))

    assert len(codes) > 40
    assert sorted(code for code in codes if f"`{code}`" not in PAGE.read_text()) == []
