"""Secrets and texts do not leave the machine unasked."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reviews.digests import sha256_of
from reviews.models import Artifact
from tests import cases
from tests.cli import test_server_commands
from tests.cli.test_captured import a_capture_of
from tests.cli.typed import a_file

Type = Callable[..., Any]
speak = test_server_commands.speak
TOKEN = "hf_" + "Ab3" * 12
DETAILED = Path("tests/evidence/vllm-bench-serve/detailed.json")


@pytest.fixture
def attach(speak: Type) -> Type:
    """`countersign attach <memo> <words>` by somebody who may."""
    memo, command = cases.a_memo_in_review(), speak("sam")
    return lambda *words: command("attach", memo.number, *words)


def stored() -> list[str]:
    return sorted(Artifact.objects.filter(name__endswith=".json").values_list("name", flat=True))


def test_a_secret_is_refused_before_anything_is_sent_and_never_printed(attach: Type, tmp_path: Path) -> None:
    good, bad = a_file(tmp_path, "good", (0.1,)), a_file(tmp_path, "bad", (0.1,), token=TOKEN)
    before = stored()
    answer = attach(good, bad)

    assert (answer.code, "[secret_found]" in answer.err) == (4, True)
    assert "bad.json, line 1: a token of Hugging Face." in answer.err
    assert TOKEN not in answer.err + answer.out
    assert stored() == before


def test_a_dry_run_finds_it_as_well(attach: Type, tmp_path: Path) -> None:
    assert "[secret_found]" in attach(a_file(tmp_path, "bad", (0.1,), token=TOKEN), "--dry-run").err


def test_a_secret_in_a_packed_file_is_found(attach: Type, tmp_path: Path) -> None:
    path = tmp_path / "bad.json.gz"
    path.write_bytes(gzip.compress(a_file(tmp_path, "bad", (0.1,), token=TOKEN).read_bytes()))

    assert "[secret_found]" in attach(path, "--dry-run").err


def test_a_secret_in_a_broken_container_is_found(attach: Type, tmp_path: Path) -> None:
    path = tmp_path / "bad.gz"
    path.write_bytes(b"\x1f\x8b" + TOKEN.encode())

    assert "[secret_found]" in attach(path, "--dry-run").err


def test_texts_are_refused_until_somebody_says_what_becomes_of_them(attach: Type) -> None:
    answer = attach(DETAILED)

    assert (answer.code, "[texts_found]" in answer.err) == (4, True)
    assert "detailed.json, line 1: texts in the field generated_texts." in answer.err
    assert "--drop-texts" in answer.err


def test_texts_are_dropped_and_the_digest_is_that_of_the_file_as_sent(attach: Type) -> None:
    answer = attach(DETAILED, "--drop-texts", "--arm", "baseline")
    artifact = Artifact.objects.get(name="detailed.json")

    assert answer.code == 0, answer.err
    assert artifact.sha256 != sha256_of(DETAILED.read_bytes())
    assert f"is sent without generated_texts: as sent, it is {artifact.sha256}." in answer.out


def test_texts_are_kept_when_asked_and_it_is_said(attach: Type) -> None:
    answer = attach(DETAILED, "--keep-texts", "public prompts", "--arm", "baseline")

    assert answer.code == 0, answer.err
    assert "texts in the field generated_texts. It is sent as it is." in answer.err
    assert Artifact.objects.get(name="detailed.json").sha256 == sha256_of(DETAILED.read_bytes())


def test_what_was_dropped_or_kept_stands_in_the_provenance(attach: Type, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(DETAILED.read_bytes() + b" ")
    attach(DETAILED, "--drop-texts", "--arm", "baseline")
    attach(path, "--keep-texts", "public prompts", "--arm", "baseline")

    dropped, kept = Artifact.objects.get(name="detailed.json"), Artifact.objects.get(name="other.json")
    assert dropped.provenance["texts_dropped"]["value"].startswith("generated_texts, by countersign attach")
    assert kept.provenance["kept_because"]["value"] == "public prompts"


def test_what_cannot_be_searched_is_refused(attach: Type, tmp_path: Path) -> None:
    path = tmp_path / "deep.gz"
    path.write_bytes(gzip.compress(gzip.compress(gzip.compress(b"{}"))))

    assert "[not_searched]" in attach(path, "--dry-run").err


def test_a_secret_beside_texts_is_refused_when_only_the_texts_are_dropped(attach: Type, tmp_path: Path) -> None:
    within, beside = tmp_path / "within.json", tmp_path / "beside.json"
    within.write_text(json.dumps({"prompt": f"use {TOKEN}"}))
    beside.write_text(json.dumps({"prompt": "x", "header": TOKEN}))

    assert attach(within, "--drop-texts", "--dry-run").code == 0
    assert "[secret_found]" in attach(beside, "--drop-texts", "--dry-run").err


def test_texts_in_a_packed_file_cannot_be_dropped(attach: Type, tmp_path: Path) -> None:
    path = tmp_path / "detailed.json.gz"
    path.write_bytes(gzip.compress(DETAILED.read_bytes()))

    assert "[texts_not_dropped]" in attach(path, "--drop-texts", "--dry-run").err
    assert "[texts_found]" in attach(path, "--dry-run").err


def test_a_file_without_its_texts_is_still_the_one_that_was_captured(attach: Type, tmp_path: Path) -> None:
    path = tmp_path / "detailed.json"
    path.write_bytes(DETAILED.read_bytes())
    a_capture_of(path)

    (file, _) = json.loads(attach(path, "--drop-texts", "--dry-run", "--json").out)["files"]

    assert (file["dropped"], file["labels"]["placement_source"]) == (["generated_texts"], "capture")
    assert file["sha256"] != sha256_of(path.read_bytes())
