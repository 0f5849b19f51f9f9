"""The documented list of names of one setting is the list in the code."""

import re

from analysis.work_names import EXCHANGED, IDEAS
from tests.house.sources import ROOT


def test_the_docs_name_every_name() -> None:
    page = (ROOT / "docs/formats.md").read_text()
    table = page.partition("## One setting under several names")[2].partition("\n## ")[0]

    written = re.findall(r"^\| (the .+|whether .+) \| (.+) \| (yes|no) \|$", table, re.MULTILINE)
    ours = [(i.told, ", ".join(f"`{n}`" for n in i.names), "yes" if i.told in EXCHANGED else "no") for i in IDEAS]
    assert written == ours


def test_no_name_tells_two_things() -> None:
    names = [name for idea in IDEAS for name in idea.names]

    assert len(names) == len(set(names))
