"""One real dossier and its PDF for the whole session: rendering costs seconds."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from reviews.models import Decision
from reviews.pdf import render
from tests import cases, databases

Dossier = dict[str, Any]


@pytest.fixture(scope="session")
def dossier_text(
    prepared_sqlite: Path, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The dossier of a bounded rollout, made by the services in a database that nobody else sees."""
    with (
        django_db_blocker.unblock(),
        databases.copy_of_sqlite(prepared_sqlite, tmp_path_factory.mktemp("dossier")),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("reviews.jobs.publish", lambda *_: True)
        memo = cases.a_memo_rolling_out()
        return Decision.objects.get(memo=memo).dossier


@pytest.fixture
def dossier(dossier_text: str) -> Dossier:
    """The dossier as JSON values, free to be changed by the test."""
    return copy.deepcopy(json.loads(dossier_text))


def compared(dossier: Dossier, key: str) -> Dossier:
    """The part of the comparison `key`."""
    part: Dossier = next(part for part in dossier["comparisons"] if part["key"] == key)
    return part


@pytest.fixture(scope="session")
def pdf(dossier_text: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its PDF as a file."""
    path = tmp_path_factory.mktemp("pdf") / "record.pdf"
    path.write_bytes(render(json.loads(dossier_text)))
    return path
