"""The kept case as the product reads it: evidence files, memo and plan agree with one another."""

import functools
import hashlib
import json
from pathlib import Path

import pytest

from analysis.evidence import read
from analysis.evidence.format import Document
from analysis.reading import Reading
from examples.batch_policy import record
from reviews.memo_text import Parsed, best_template, parse, render
from reviews.memo_text.shipped import templates
from reviews.plan_content import PlanContent, plan_from_json
from reviews.policies import completeness
from reviews.template_content import TemplateContent
from reviews.vocabulary import Intent

HERE = record.HERE
EVIDENCE = HERE / "evidence"
RUN_FILES = sorted((EVIDENCE / "blocks").glob("*.json")) + sorted((EVIDENCE / "sweep").glob("*.json"))
TEXT = (HERE / "memo.txt").read_text(encoding="utf-8")


def template() -> TemplateContent:
    return next(t for t in templates() if t.slug == "batch-size-effects")


def memo() -> Parsed:
    return parse(TEXT, template(), team="inference", intent=Intent.PLANNED_CHANGE.value)


def plan() -> PlanContent:
    return plan_from_json(json.loads((HERE / "plan.json").read_text(encoding="utf-8")))


@functools.cache
def reading(path: Path) -> Reading:
    return read(Document(path.read_bytes(), path.name), None)


@pytest.mark.parametrize("path", RUN_FILES, ids=lambda path: path.name)
def test_a_run_file_is_read_as_countersign_measurements_without_leniences(path: Path) -> None:
    found = reading(path)

    assert (found.format, found.leniences) == ("countersign-measurements", ())
    assert {run.status for run in found.runs} == {"completed"}
    assert all(run.started_ns is not None for run in found.runs)


def test_the_planned_metrics_are_in_every_run_of_a_block() -> None:
    for path in (EVIDENCE / "blocks").glob("*.json"):
        metrics = {m.metric for m in reading(path).measurements if m.value is not None}

        assert metrics == {comparison.metric for comparison in plan().comparisons}


def test_every_run_states_every_setting_that_the_template_asks_for() -> None:
    asked = {work.name for work in template().work_settings}

    for path in RUN_FILES:
        found = reading(path)
        for run in found.runs:
            assert asked <= {setting.name for setting in found.settings_of(run.key)}, run.key


def test_the_memo_is_read_whole_by_the_template_that_fits_best() -> None:
    parsed = memo()
    chosen = best_template(TEXT, templates())

    assert chosen is not None
    assert chosen.slug == "batch-size-effects"
    assert (parsed.notes, parsed.content.header.kept, parsed.content.header.unfilled) == ((), (), ())


@pytest.mark.parametrize("intent", [Intent.PLANNED_CHANGE, Intent.REGRESSION])
def test_the_memo_can_be_submitted(intent: Intent) -> None:
    parsed = parse(TEXT, template(), team="inference", intent=intent.value)

    assert completeness.missing(parsed.content, "ann") == ()


def test_the_memo_survives_being_written_out_and_read_again() -> None:
    content = memo().content

    assert (
        parse(render(content, template()), template(), team="inference", intent=content.header.intent).content
        == content
    )


def test_the_memo_compares_what_the_plan_registered_and_says_why_energy_is_not_compared() -> None:
    compared = {c.key: c for c in memo().content.comparisons.comparisons}

    for planned in plan().comparisons:
        said = compared[planned.key]
        for name in ("metric", "stat", "slice", "role", "better", "scale", "margin", "purpose", "match"):
            assert getattr(said, name) == getattr(planned, name), f"{planned.key} {name}"
    assert [c.metric for c in compared.values() if c.absent_reason] == ["energy_per_request"]


def test_the_memo_predicts_what_the_plan_registered() -> None:
    said = {
        (h.key, p.key, p.metric, p.stat, p.condition, p.low, p.high)
        for h in memo().content.hypotheses.hypotheses
        for p in h.predictions
    }
    registered = [(planned.hypothesis, planned.prediction) for planned in plan().predictions]

    assert said == {(h, p.key, p.metric, p.stat, p.condition, p.low, p.high) for h, p in registered}


def test_the_rollout_of_the_memo_names_the_kept_rollback_procedure() -> None:
    content = (EVIDENCE / "rollback-procedure.md").read_bytes()
    rollout = memo().content.rollout

    assert rollout.procedure == hashlib.sha256(content).hexdigest()
    assert max(float(stage.percent) for stage in rollout.stages) <= float(template().rollout_cap_percent)
