"""The house's own pages are complete and lead somewhere."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.house import documentation
from tests.house.sources import ROOT, place, tracked

PAGES = [place(path) for path in tracked() if path.suffix == ".md"]
RECORDS = sorted((ROOT / "docs/adr").glob("*.md"))


def settings_read() -> set[str]:
    """COUNTERSIGN_<name> for every name that the settings file reads."""
    calls = [
        node for node in ast.walk(ast.parse((ROOT / "config/settings.py").read_text())) if isinstance(node, ast.Call)
    ]
    return {
        f"COUNTERSIGN_{call.args[0].value}"
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "env"
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


def make_targets() -> set[str]:
    """The targets that `make help` names."""
    return set(re.findall(r'@echo "make (\w+) ', (ROOT / "Makefile").read_text()))


def test_a_word_counts_as_named_only_where_it_stands_as_code_or_heading(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "page.md").write_text("# state\n**arm** is `one` of two roles\n")
    monkeypatch.setattr(documentation, "ROOT", tmp_path)

    assert documentation.missing_from("page.md", ["state", "arm", "one", "two", "role"]) == ["role", "two"]


def test_every_setting_has_its_entry() -> None:
    assert len(settings_read()) > 5
    assert documentation.missing_from("docs/operations.md", settings_read()) == []


def test_no_setting_is_described_that_nothing_reads() -> None:
    text = (ROOT / "docs/operations.md").read_text()
    described = set(re.findall(r"^\| `(COUNTERSIGN_\w+)`", text, re.MULTILINE))

    assert described - settings_read() == set()


def test_every_target_of_the_makefile_has_its_entry() -> None:
    assert make_targets() >= {"demo", "test", "serve", "lint", "types", "format", "bench", "clean"}
    assert documentation.missing_from("docs/operations.md", {f"make {name}" for name in make_targets()}) == []


def test_the_changelog_begins_with_the_version_of_the_project() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    versions = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert versions[:1] == [version]


def test_the_image_carries_the_version_of_the_project() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert f"image: countersign:{version}" in (ROOT / "docker-compose.yml").read_text()


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_to_a_file(page: str) -> None:
    folder = (ROOT / page).parent

    assert [target for target in documentation.links(page) if not (folder / target).exists()] == []


def test_every_page_of_the_docs_stands_on_the_map() -> None:
    pages = {place(path) for path in tracked() if place(path).startswith("docs/") and path.suffix == ".md"}
    mapped = set(documentation.links("README.md"))

    assert {page for page in pages if not page.startswith("docs/adr/")} - mapped == set()


def test_decision_records_are_numbered_without_a_gap() -> None:
    assert [path.name[:4] for path in RECORDS] == [f"{number:04}" for number in range(1, len(RECORDS) + 1)]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_decision_record_says_why_what_at_which_price_and_how_it_is_shown(path: Path) -> None:
    text = path.read_text()

    assert text.startswith(f"# {path.name[:4]}. ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Why", "Decision", "Price", "Shown by"]
    assert len(text.splitlines()) <= 60


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_the_tests_that_a_decision_record_names_exist(path: Path) -> None:
    shown = path.read_text().partition("## Shown by")[2]
    named = re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", shown)

    assert named
    for file, test in named:
        assert (ROOT / file).is_file(), file
        assert not test or f"def {test}(" in (ROOT / file).read_text(), test
