"""The rules of architecture.py, each shown to fail once, then held against the tree."""

import ast
import statistics
from pathlib import Path

import pytest

from tests.house import architecture as rules
from tests.house.sources import PRODUCT, ROOT, functions, length, place, python_files

FACES = ("reviews/web", "reviews/api", "reviews/pdf", "reviews/cli", "reviews/tasks")
# Run by processes that act for nobody: what is written in the trail was written by whoever asked for the job.
# A delivery of a webhook proves by its signature who sends it.
FOR_NOBODY = {"dossiers.keep_pdf", "jobs.cancel", "jobs.sweep", "webhooks.receive"}
# Each change of a job is one statement that compares and sets; the sweep is many of them, one job after the other.
ONE_STATEMENT_EACH = ("reviews/services/jobs.py",)
# A worker takes and ends its job by compare-and-set; proving a token finds out who acts.
CALLED_BY_PROCESSES = {"jobs", "tokens"}
READS_THE_ENVIRONMENT = ("config/env.py",)
INSTALLED = ("analysis", "reviews", "config", "manage")

PRODUCT_FILES = python_files(*PRODUCT, "manage")
FACE_FILES = python_files(*FACES)
SERVICE_FILES = python_files("reviews/services")
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


def without(paths: list[Path], exceptions: tuple[str, ...]) -> list[Path]:
    return [path for path in paths if place(path) not in exceptions]


HELD = [
    (rules.a_module_fits_its_page, PRODUCT_FILES),
    (rules.a_function_fits_a_screen, PRODUCT_FILES),
    (rules.a_function_takes_few_parameters, PRODUCT_FILES),
    (rules.a_face_reads_and_writes_no_rows, FACE_FILES),
    (rules.the_environment_is_read_in_one_place, without(python_files(*INSTALLED), READS_THE_ENVIRONMENT)),
    (rules.a_policy_imports_no_django, python_files("reviews/policies")),
    (rules.a_template_decides_nothing, TEMPLATES),
    (rules.a_service_writes_in_one_transaction, without(SERVICE_FILES, ONE_STATEMENT_EACH)),
]

BREAKS = [
    (rules.a_module_fits_its_page, "x = 1\n" * 301, "x = 1\n" * 300),
    (rules.a_function_fits_a_screen, "def f():\n" + "    x = 1\n" * 50, "def f():\n" + "    x = 1\n" * 49),
    (
        rules.a_function_takes_few_parameters,
        "def f(a, b, c, *, d, e, f, g): ...",
        "def f(self, a, b, c, *, d, e, f): ...",
    ),
    (rules.a_face_reads_and_writes_no_rows, "Memo.objects.get(pk=1)", "queries.memos_visible_to(ann)"),
    (rules.a_face_reads_and_writes_no_rows, "memo.save()", "memos.revise(actor=ann)"),
    (rules.the_environment_is_read_in_one_place, "import os\nos.environ['A']", "from config import env\nenv.text('A')"),
    (
        rules.the_environment_is_read_in_one_place,
        "os.environ.setdefault('A', 'b')",
        "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'b')",
    ),
    (rules.the_environment_is_read_in_one_place, "from os import getenv", "from os import fsync"),
    (rules.a_policy_imports_no_django, "from django.db import models", "from reviews.vocabulary import State"),
    (rules.a_policy_imports_no_django, "import django.utils", "import djangonaut"),
    (rules.a_template_decides_nothing, "{% if memo.state == 'draft' %}", "{% if may_submit %}"),
    (rules.a_template_decides_nothing, "{% elif 'board' in person.roles %}", "{{ memo.state }}"),
    (rules.a_template_decides_nothing, "{% for s in memo.signature_set.all %}", "{% for s in signatures %}"),
    (
        rules.a_service_writes_in_one_transaction,
        "def sign(*, actor): Signature.objects.create()",
        "@transaction.atomic\ndef sign(*, actor): Signature.objects.create()",
    ),
    (
        rules.a_service_writes_in_one_transaction,
        "@cache\ndef sign(*, actor): memo.save()",
        "def sign(*, actor): return digest.update(b'')",
    ),
]


def test_every_rule_is_held_against_the_tree_and_shown_to_fail() -> None:
    written = {rule for name, rule in vars(rules).items() if name.startswith(("a_", "the_"))}

    assert written == {rule for rule, _ in HELD} == {rule for rule, _, _ in BREAKS}


@pytest.mark.parametrize(("rule", "broken", "_held"), BREAKS)
def test_a_rule_finds_what_breaks_it(rule: rules.Rule, broken: str, _held: str) -> None:
    assert rule(broken) != []


@pytest.mark.parametrize(("rule", "_broken", "held"), BREAKS)
def test_a_rule_lets_the_like_of_it_pass(rule: rules.Rule, _broken: str, held: str) -> None:
    assert rule(held) == []


def test_a_door_is_known_by_its_keywords_and_a_helper_by_its_positions() -> None:
    source = "def sign(*, memo_id, actor): memo.save()\ndef add(memo): memo.save()\ndef read(memo): return memo.title"

    assert rules.doors_without_actor(source) == {"sign"}
    assert rules.doors_without_actor(source.replace("memo_id, actor", "actor, memo_id")) == set()
    assert rules.helpers(source) == {"add"}
    assert rules.calls("revisions.add(memo)") == {"revisions.add"}


@pytest.mark.parametrize(("rule", "files"), HELD, ids=[rule.__name__ for rule, _ in HELD])
def test_the_tree_holds_the_rule(rule: rules.Rule, files: list[Path]) -> None:
    assert files, "the rule was held against nothing"
    assert [f"{place(path)}: {broken}" for path in files for broken in rule(path.read_text())] == []


def test_every_door_that_writes_takes_its_actor_first() -> None:
    doors = {f"{path.stem}.{name}" for path in SERVICE_FILES for name in rules.doors_without_actor(path.read_text())}

    assert doors - FOR_NOBODY == set()


def test_no_face_calls_a_function_that_writes_inside_the_transaction_of_another() -> None:
    helpers = {
        f"{path.stem}.{name}"
        for path in SERVICE_FILES
        if path.stem not in CALLED_BY_PROCESSES
        for name in rules.helpers(path.read_text())
    }
    called = [(place(path), name) for path in FACE_FILES for name in sorted(rules.calls(path.read_text()) & helpers)]

    assert helpers >= {"revisions.add"}
    assert called == []


def test_functions_are_short_as_a_habit() -> None:
    lengths = sorted(length(f) for path in python_files(*PRODUCT) for f in functions(ast.parse(path.read_text())))

    assert statistics.median(lengths) <= 8
    assert lengths[len(lengths) * 9 // 10] <= 25
