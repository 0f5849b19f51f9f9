"""The stage: a database that commits, a data folder, and nobody who takes messages."""

from pathlib import Path
from typing import Any

import pytest

from reviews.demo import recorded, worker
from tests.demo.rehearsal import Rehearsal


@pytest.fixture
def stage(own_database: str, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of an empty installation."""
    settings.DATA_DIR = tmp_path / "data"
    monkeypatch.setattr("reviews.jobs.publish", lambda *_: True)
    return tmp_path / "data"


@pytest.fixture
def rehearsal(stage: Path, monkeypatch: pytest.MonkeyPatch) -> Rehearsal:
    """The worker of the story, in this process; its PDF is a word, and it leaves the sweep at home."""
    made, files = Rehearsal(), recorded.files()
    monkeypatch.setattr(recorded, "files", lambda: tuple(f for f in files if f.labels.kind != "batch_sweep"))
    monkeypatch.setattr(worker, "running", made.running)
    monkeypatch.setattr("reviews.pdf.render", lambda dossier: f"%PDF of {dossier['memo']['number']}".encode())
    return made
