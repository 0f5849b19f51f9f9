"""The documents from which the templates were made, where they are at hand."""

import sys
from pathlib import Path

import pytest

SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"
LINES_OF_THE_PLAYBOOK = 63


@pytest.fixture
def playbook(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of the Batch Size Effects document; none, and a line that says so, without it."""
    files = sorted(SEEDS.glob("004_*.txt"))
    if not files:
        with capsys.disabled():
            sys.stdout.write(f"\nthe playbook document is not here: {LINES_OF_THE_PLAYBOOK} lines are not compared\n")
    return [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
