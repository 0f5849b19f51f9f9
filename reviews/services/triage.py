"""Triage: marks on the playbook, replays and bisections, and their steps, each with a run set of its own."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from analysis import restored
from analysis.bisection import FEWEST_RUNS
from analysis.errors import Refused
from reviews.errors import BadInput, NotVisible, WrongState
from reviews.models import Artifact, Attachment, Memo, Plan, Replay, ReplayStep, TriageMark
from reviews.plan_content import PlanContent, PlannedComparison, PlannedPrediction, PlannedRun, plan_from_json
from reviews.queries import comparisons
from reviews.queries.replays import Results, replays_of, search
from reviews.sections import Comparison, MemoContent
from reviews.services import carrying, events, evidence, plans, revisions, wellformed
from reviews.services.assessments import comparison_of
from reviews.template_content import template_from_json
from reviews.vocabulary import Action, Arm, ComparisonRole, Purpose

TWO_ONE_SIDED: Final = "0.90"
MOST_BUILDS: Final = 1000
MOST_RUNS: Final = 1000
NAME: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayWish:
    """A replay as somebody asks for it; fields as in `models.Replay`."""

    effect: str
    builds: Sequence[str]
    inputs: str
    condition: str
    runs_each: int


@transaction.atomic
def mark(*, actor: User, memo_id: int, step: int, done: bool, note: str, artifact: str) -> TriageMark:
    """What the actor says of a step of the playbook, from 1. artifact: SHA-256 of a file of the memo, "" for none.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for no such step or file.
        BadInput: no note.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.EDIT)
    steps = template_from_json(memo.template_version.content).playbook
    if not 1 <= step <= len(steps):
        raise NotVisible(f"The playbook has no step {step}.", needs=f"It has {len(steps)}.", where="step")
    wellformed.require_text(note, "note", longest=2000, code="no_note")
    row = TriageMark.objects.create(
        memo=memo,
        step=steps[step - 1],
        done=done,
        note=note,
        artifact=_file_of(memo, artifact) if artifact else None,
        by=actor,
        by_name=events.name_of(actor),
        at=timezone.now(),
    )
    events.append(memo, actor, "mark_step", step=step, done=done, note=note, artifact=artifact)
    return row


def _file_of(memo: Memo, sha256: str) -> Artifact:
    held = Attachment.objects.filter(evidence_set__memo=memo, artifact__sha256=sha256, detachment=None).first()
    if held is None:
        raise NotVisible(f"The memo holds no file {sha256[:12]}.", needs="Attach it to a set first.", where="artifact")
    return held.artifact


@transaction.atomic
def plan_replay(*, actor: User, memo_id: int, wish: ReplayWish) -> Replay:
    """The replay recorded: two builds, or the list that a bisection searches. Its steps begin one by one.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown comparison.
        BadInput: no inputs, fewer than two builds or one named twice, a single run of each arm; and of a bisection
            what `analysis.bisection.bisect` refuses, under its code.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.EDIT)
    content = revisions.content_of(revisions.current(memo))
    effect = comparison_of(content, wish.effect)
    builds = [build.strip() for build in wish.builds if build.strip()]
    _check(wish, builds)
    if len(builds) > len(Arm.values):
        try:
            search(builds, (), _results(memo, content).get(effect.key), wish.runs_each)
        except Refused as refused:
            raise BadInput(refused.message, needs=refused.needs, code=refused.code, where="builds") from refused
    row = Replay.objects.create(
        memo=memo,
        number=memo.replays.count() + 1,
        effect=effect.key,
        builds=builds,
        inputs=wish.inputs,
        condition=wish.condition,
        runs_each=wish.runs_each,
        by=actor,
        by_name=events.name_of(actor),
        at=timezone.now(),
    )
    events.append(
        memo, actor, "plan_replay", replay=row.number, effect=row.effect, builds=builds, inputs=row.inputs,
        condition=row.condition, runs_each=row.runs_each,
    )  # fmt: skip
    return row


def _check(wish: ReplayWish, builds: Sequence[str]) -> None:
    wellformed.require_text(wish.inputs, "inputs", longest=2000, code="no_inputs")
    if not len(Arm.values) <= len(builds) <= MOST_BUILDS:
        raise BadInput(
            f"A replay has from 2 to {MOST_BUILDS} builds, and this one has {len(builds)}.",
            needs="Name the builds in their order, the base first and the candidate last.",
            code="too_few_builds",
            where="builds",
        )
    for build in builds:
        wellformed.require_text(build, "builds", longest=NAME, code="bad_build")
    if len(set(builds)) < len(builds):
        raise BadInput("A build is named twice.", needs="Name each build once.", code="named_twice", where="builds")
    if not FEWEST_RUNS <= wish.runs_each <= MOST_RUNS:
        raise BadInput(
            "A single run of each arm decides no step.",
            needs=f"Plan from {FEWEST_RUNS} to {MOST_RUNS} runs of each arm a step.",
            code="too_few_runs",
            where="runs_each",
        )
    if len(wish.condition) > NAME:
        raise BadInput(f"A condition has at most {NAME} characters.", code="bad_condition", where="condition")


def _results(memo: Memo, content: MemoContent) -> Results:
    rows = comparisons.compared(memo, content)
    return {one.row.key: restored.from_json(one.result) for one in rows if one.result}


@transaction.atomic
def begin_step(*, actor: User, memo_id: int, replay: int, build: str) -> ReplayStep:
    """A build run against the base: a registered plan with its runs, an open set for them, and a comparison.

    A replay of two builds registers with it what the open hypotheses predict for the effect under its condition.

    Raises:
        NotVisible, NotPermitted, WrongState: see policies/lifecycle.py; NotVisible also for an unknown replay or build,
            WrongState also while a step of the build waits for its verdict.
        BadInput: as `plans.register`.
    """
    memo = revisions.locked(actor, memo_id)
    revisions.asked(actor, memo, Action.EDIT)
    row = memo.replays.filter(number=replay).first()
    if row is None:
        raise NotVisible(f"The memo has no replay {replay}.", needs="Plan it first.", where="replay")
    if build not in row.builds[1:]:
        known = ", ".join(row.builds[1:])
        raise NotVisible(f"{row} runs no build {build}.", needs=f"It runs: {known}.", where="build")
    content = revisions.content_of(revisions.current(memo))
    view = next(one for one in replays_of(memo, _results(memo, content), {}) if one.row.pk == row.pk)
    if build not in view.to_begin:
        raise WrongState(
            f"A step of {build} waits for its verdict.",
            needs="Seal its runs and compute its comparison first.",
            code="step_waits",
        )
    planned = _planned(memo, content, row, build)
    registered = plans.register(actor=actor, memo_id=memo.pk, content=planned, nonce="", registered_at=None)
    opened = evidence.open_set(actor=actor, memo_id=memo.pk, title=planned.title[:300], plan=registered.nonce)
    step = ReplayStep.objects.create(
        replay=row,
        build=build,
        comparison=planned.comparisons[0].key,
        plan=registered,
        evidence_set=opened,
        by=actor,
        by_name=events.name_of(actor),
        at=timezone.now(),
    )
    events.append(
        memo, actor, "begin_step", replay=row.number, build=build, comparison=step.comparison, set=opened.number,
        plan=registered.nonce,
    )  # fmt: skip
    return step


def _planned(memo: Memo, content: MemoContent, row: Replay, build: str) -> PlanContent:
    effect = comparison_of(content, row.effect)
    plan = memo.plans.filter(nonce=effect.plan).first() if effect.plan else None
    key = _free({one.key for one in content.comparisons.comparisons})
    known = plan_from_json(plan.content) if plan is not None else None
    return PlanContent(
        title=f"{'Bisection' if row.bisects else 'Replay'} {row.number}: {build} against {row.builds[0]}"[:NAME],
        purpose=f"Find what explains {row.effect}. The same in every run: {row.inputs}",
        design="blocks",
        varied=known.varied if known is not None else content.change.varied,
        hardware_varied=False,
        looks=1,
        comparisons=(_comparison(effect, plan, key, bisects=row.bisects),),
        predictions=() if row.bisects else tuple(_predictions(content, effect, row.condition)),
        runs=tuple(
            PlannedRun(run=f"{key.lower()}-b{block}-{arm}", arm=arm, block=f"b{block}", placement="")
            for block in range(1, row.runs_each + 1)
            for arm in Arm.values
        ),
    )


def _free(taken: Collection[str]) -> str:
    return next(key for at in count(1) if (key := f"C{at}") not in taken)


def _comparison(effect: Comparison, plan: Plan | None, key: str, *, bisects: bool) -> PlannedComparison:
    """The effect's comparison on other runs: a claim; of a bisection a screening, with two one-sided tests."""
    planned = plan_from_json(plan.content).comparisons if plan is not None else ()
    known = next((one for one in planned if one.key == effect.key), None)
    if known is None:
        fields = {name: getattr(effect, name) for name in carrying.DEFINING}
        known = PlannedComparison(**{**fields, "key": key, "warmup_steps": 0, "exclusion_rules": ()})
    role = ComparisonRole.SCREENING if bisects else ComparisonRole.CLAIM
    level = known.equivalence_level or (TWO_ONE_SIDED if bisects else "")
    return replace(known, key=key, role=role.value, purpose=Purpose.REPLAY.value, equivalence_level=level)


def _predictions(content: MemoContent, effect: Comparison, condition: str) -> list[PlannedPrediction]:
    return [
        PlannedPrediction(hypothesis=hypothesis.key, prediction=one)
        for hypothesis in content.hypotheses.hypotheses
        for one in hypothesis.predictions
        if (one.metric, one.stat, one.condition) == (effect.metric, effect.stat, condition) and not one.plan
    ]
