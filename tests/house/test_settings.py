"""config/env.py and config/settings.py: typed reading, refusals in words, and the choices that records name."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import env
from config.settings import database
from reviews import sections


def test_a_value_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERSIGN_TEST", "from the environment")

    assert env.text("TEST") == "from the environment"


def test_a_value_is_read_from_the_file_that_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("from the file\n")
    monkeypatch.setenv("COUNTERSIGN_TEST", "from the environment")
    monkeypatch.setenv("COUNTERSIGN_TEST_FILE", str(secret))

    assert env.text("TEST") == "from the file"


def test_a_value_that_must_be_given_is_asked_for_by_both_of_its_names() -> None:
    with pytest.raises(ImproperlyConfigured, match="Set COUNTERSIGN_TEST or COUNTERSIGN_TEST_FILE"):
        env.text("TEST")


@pytest.mark.parametrize(("said", "meant"), [("1", True), ("Yes", True), ("on", True), ("0", False), ("FALSE", False)])
def test_a_flag_takes_the_usual_words(monkeypatch: pytest.MonkeyPatch, said: str, meant: bool) -> None:
    monkeypatch.setenv("COUNTERSIGN_TEST", said)

    assert env.flag("TEST", default=not meant) is meant


def test_a_flag_that_is_neither_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERSIGN_TEST", "perhaps")

    with pytest.raises(ImproperlyConfigured, match="COUNTERSIGN_TEST must be yes or no, not 'perhaps'"):
        env.flag("TEST", default=False)


def test_a_number_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERSIGN_TEST", "12 MB")

    with pytest.raises(ImproperlyConfigured, match="COUNTERSIGN_TEST must be a whole number, not '12 MB'"):
        env.number("TEST", default=1)


def test_a_list_has_no_empty_words() -> None:
    assert env.words("TEST", default="a.example, b.example,,") == ["a.example", "b.example"]


def test_sqlite_takes_its_lock_at_the_start_and_syncs_every_commit() -> None:
    made = database("sqlite:")

    assert made["ENGINE"] == "django.db.backends.sqlite3"
    assert made["OPTIONS"] == {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    assert made["ATOMIC_REQUESTS"] is False


def test_the_file_of_sqlite_can_be_named_absolutely() -> None:
    assert database("sqlite:////srv/records.sqlite3")["NAME"] == "/srv/records.sqlite3"


def test_postgresql_is_named_by_its_url() -> None:
    made = database("postgresql://ann:p%40ss@db.example:5433/records")

    assert {key: made[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")} == {
        "NAME": "records",
        "USER": "ann",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": "5433",
    }


def test_another_database_is_refused_in_words() -> None:
    with pytest.raises(ImproperlyConfigured, match="must start with sqlite: or postgresql:, not 'mysql'"):
        database("mysql://localhost/records")


def test_only_accounts_of_this_installation_can_sign_in() -> None:
    assert settings.AUTHENTICATION_BACKENDS == ["django.contrib.auth.backends.ModelBackend"]


def test_a_section_keeps_its_digest_whatever_the_order_of_its_keys() -> None:
    header = sections.Header(title="t", team="x", intent="regression", template="a", template_version=1)
    written = sections.to_json(header)
    turned = dict(reversed(written.items()))

    assert list(turned) != list(written)
    assert sections.digest_of(turned) == sections.digest_of(written)


def test_a_changed_section_changes_its_own_digest_alone() -> None:
    header = sections.Header(title="t", team="x", intent="regression", template="a", template_version=1)
    before, after = (
        sections.section_digests(sections.content_to_json(sections.MemoContent(header=replace(header, title=title))))
        for title in ("t", "T")
    )

    assert {name for name in before if before[name] != after[name]} == {"header"}
