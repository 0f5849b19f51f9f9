"""`countersign verify`: a decision record is checked by anybody, from the file alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reviews.digests import sha256_of
from tests import cases
from tests.authenticators import SoftPasskey
from tests.cli.typed import typed
from tests.services.test_passkeys import signed

Write = Callable[[Callable[[dict[str, Any]], object]], Path]


@pytest.fixture(scope="module")
def record(django_db_setup: None, django_db_blocker: Any) -> str:
    """The record of a decision; Olga signed with a passkey, the others after typing their password."""
    from django.db import transaction  # noqa: PLC0415 - everything is undone again

    with django_db_blocker.unblock(), transaction.atomic():
        memo, key = cases.a_memo_ready_to_roll_out(), SoftPasskey()
        key.enrolled_by(cases.person("olga"))
        signed(memo, key)
        made: str = cases.decide(cases.again(memo)).dossier
        transaction.set_rollback(True)
    return made


@pytest.fixture
def write(record: str, tmp_path: Path) -> Write:
    """The record in a file, after a change."""

    def written(change: Callable[[dict[str, Any]], object]) -> Path:
        said = json.loads(record)
        change(said)
        path = tmp_path / "changed.json"
        path.write_text(json.dumps(said))
        return path

    return written


def the_passkeys(said: dict[str, Any]) -> dict[str, Any]:
    """The signature that a passkey gave."""
    return next(one for one in said["signatures"] if "passkey" in one["authentication"])


def test_a_record_that_was_not_touched_holds(record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dossier.json"
    path.write_text(record)

    answer = typed(capsys, "verify", path, "--sha256", sha256_of(record.encode()))

    assert answer.code == 0, answer.err
    assert "holds: Olga as inference_platform_owner\n  a passkey signed the statement, on localhost" in answer.out
    assert "which only the server saw" in answer.out
    assert answer.out.endswith("Every signature holds.\n")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda one: one.update(statement=one["statement"].replace('"10"', '"50"')), "not what its digest says"),
        (lambda one: one.update(scope_percent="50"), "the record says scope_percent '50', and the statement '10'"),
        (lambda one: one.update(position="object"), "the record says position 'object'"),
        (lambda one: one.update(sections=["header"]), "other sections than the statement"),
        (lambda one: one.update(statement="[]", statement_sha256=sha256_of(b"[]")), "the statement cannot be read"),
        (lambda one: one.update(statement="{", statement_sha256=sha256_of(b"{")), "the statement cannot be read"),
        (lambda one: one["authentication"]["passkey"].update(signature="AA"), "the enrolled key did not sign it"),
        (lambda one: one["authentication"]["passkey"].pop("rp_id"), "it has no rp_id"),
    ],
)
def test_whatever_is_changed_in_it_is_named(
    write: Write, capsys: pytest.CaptureFixture[str], change: Callable[[dict[str, Any]], object], sentence: str
) -> None:
    answer = typed(capsys, "verify", write(lambda said: change(the_passkeys(said))))

    assert answer.code == 1
    assert "does not hold: Olga as inference_platform_owner" in answer.out
    assert sentence in answer.out
    assert answer.out.endswith("Not everything holds.\n")


def test_a_statement_with_a_digest_of_its_own_is_found_by_the_passkey(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever changes the record and mends its digests cannot mend what the passkey signed."""

    def forge(said: dict[str, Any]) -> None:
        one = the_passkeys(said)
        statement = one["statement"].replace('"10"', '"50"')
        one.update(statement=statement, statement_sha256=sha256_of(statement.encode()), scope_percent="50")

    answer = typed(capsys, "verify", write(forge))

    assert answer.code == 1
    assert "the challenge is not the digest of the statement" in answer.out


def test_signatures_of_another_memo_are_named(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "verify", write(lambda said: said["memo"].update(number="ARM-2026-0999")))

    assert "not of ARM-2026-0999" in answer.out
    assert answer.code == 1


def test_json_says_the_same(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(typed(capsys, "verify", write(lambda _: None), "--json", "--sha256", "00").out)

    assert (told["as_given"], told["holds"]) == (False, False)
    assert all(one["faults"] == [] for one in told["signatures"])


@pytest.mark.parametrize(
    "text", ["no json", "[" * 100_000, "[]", "{}", '{"memo": {}, "signatures": [{"statement": "x"}]}']
)
def test_what_is_no_decision_record_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)

    answer = typed(capsys, "verify", path)

    assert answer.code == 4
    assert "[no_decision_record]" in answer.err


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(capsys, "verify", tmp_path / "none.json").code == 64
