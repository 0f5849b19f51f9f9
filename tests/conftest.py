"""Fixtures that many tests share. What they make is in `cast.py` and `databases.py`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.cache import cache
from django.test.testcases import LiveServerThread
from pytest_django import DjangoDbBlocker

from tests import databases

EVIDENCE = Path(__file__).resolve().parents[2] / "shared" / "evidence"
NO_EVIDENCE = "no shared evidence folder"


@pytest.fixture(scope="session")
def shared_evidence() -> Path:
    """The folder of recorded evidence files beside the checkout; without it the test is skipped, and counted."""
    if not EVIDENCE.is_dir():
        pytest.skip(NO_EVIDENCE)
    return EVIDENCE


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if NO_EVIDENCE in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests skipped: {NO_EVIDENCE}")


@pytest.fixture(autouse=True)
def own_store(settings: Any, tmp_path: Path) -> Path:
    """An artifact store of the test's own."""
    settings.ARTIFACT_ROOT = tmp_path / "artifacts"
    return tmp_path / "artifacts"


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    """Passwords are hashed cheaply: no test is about their strength."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def no_tries_before() -> None:
    """Tries of passwords and codes are counted in the cache, by people whose numbers come back with every test."""
    cache.clear()


@pytest.fixture(autouse=True)
def plain_static_files(settings: Any) -> None:
    """Pages name static files as they are: no collected folder, no manifest. Whitenoise warns of a missing folder."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)


@pytest.fixture(scope="session")
def prepared_sqlite(django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with django_db_blocker.unblock():
        return databases.prepare_sqlite(tmp_path_factory.mktemp("database"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL, without a database name, of a PostgreSQL server of this session's own."""
    with databases.postgresql_server() as server:
        yield server


@pytest.fixture(scope="session")
def prepared_postgresql(postgres: str, django_db_blocker: DjangoDbBlocker) -> str:
    with django_db_blocker.unblock():
        databases.prepare_postgresql(postgres)
    return postgres


@pytest.fixture
def own_database(prepared_sqlite: Path, django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[str]:
    """The URL of a migrated SQLite file of the test's own: threads, commits and live servers are welcome."""
    with django_db_blocker.unblock(), databases.copy_of_sqlite(prepared_sqlite, tmp_path) as url:
        yield url


@pytest.fixture
def own_postgresql(prepared_postgresql: str, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The URL of a migrated PostgreSQL database of the test's own. Mark the test with `postgres`."""
    with django_db_blocker.unblock(), databases.copy_of_postgresql(prepared_postgresql) as url:
        yield url


@pytest.fixture(params=["own_database", pytest.param("own_postgresql", marks=pytest.mark.postgres)])
def either_database(request: pytest.FixtureRequest) -> str:
    """The URL of a database of the test's own; the test runs on SQLite, and again on PostgreSQL."""
    return str(request.getfixturevalue(request.param))


@pytest.fixture
def served(own_database: str) -> Iterator[str]:
    """The address of a live server on the test's own database, by name: "http://localhost:PORT"."""
    server = LiveServerThread("localhost", StaticFilesHandler, connections_override={}, port=0)
    server.daemon = True
    server.start()
    server.is_ready.wait()
    assert server.error is None, server.error
    yield f"http://localhost:{server.port}"
    server.terminate()
