"""Every code of a refusal has its sentence, its way out, a line in the docs and a test."""

import re
from pathlib import Path

from analysis.ways_out import WAYS_OUT
from tests.house import refusals
from tests.house.sources import ROOT, python_files

SOURCES = [path.read_text() for path in python_files("analysis")]
NUMBERS = sorted({code for source in SOURCES for code in refusals.codes_of(source)})
FILES = sorted({code for source in SOURCES for code in refusals.codes_of_files(source)})


def texts(folder: str, ending: str) -> str:
    """All files of the ending, but this one."""
    return "\n".join(path.read_text() for path in sorted((ROOT / folder).rglob(ending)) if path != Path(__file__))


def test_the_source_is_read_as_it_is_written() -> None:
    source = 'raise Refused("a", m, n)\nNotice("b" if x else "c", m)\nMalformedEvidence(m, where=w, code="d")\nf("e")\n'

    assert list(refusals.codes_of(source)) == ["a", "b", "c"]
    assert list(refusals.codes_of_files(source)) == ["d"]
    assert len(NUMBERS) > 90
    assert len(FILES) > 30


def test_every_code_is_explained() -> None:
    docs = texts("docs", "*.md")

    assert [code for code in [*NUMBERS, *FILES] if f"`{code}`" not in docs] == []


def test_every_code_is_met_in_a_test() -> None:
    tests = texts("tests", "*.py")

    assert [code for code in [*NUMBERS, *FILES] if not re.search(rf"\b{code}\b", tests)] == []


def test_every_refusal_of_a_file_has_a_way_out_and_the_docs_say_it() -> None:
    table = (ROOT / "docs/formats.md").read_text().partition("## Refusals, and the way out of each")[2]

    assert [code for code in FILES if code not in WAYS_OUT] == []
    assert re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE) == sorted(WAYS_OUT.items())
