"""A memo whose candidate serves 8 % less, with a bisection of five builds and one step of it that was run."""

from datetime import timedelta
from typing import Final

from django.utils import timezone

from reviews.models import Memo, Replay, ReplayStep
from reviews.services import assessments, evidence, triage
from reviews.services.triage import ReplayWish
from tests import cases

SLOWER: Final = cases.Runs(candidate=("920.5", "930.25", "917.75"))
ALIKE: Final = cases.Runs(candidate=("1000.75", "1011.0", "996.0"))
BUILDS: Final = ("v0", "v1", "v2", "v3", "v4")
SAME: Final = "prompts-1024 with seed 7, chat-7b, one GPU, requests sent as fast as they are served"


def a_memo() -> Memo:
    """In review; C1 establishes a regression beyond its margin."""
    return cases.a_memo_with_evidence(runs=SLOWER)


def wish(*builds: str, runs_each: int = 3, condition: str = "") -> ReplayWish:
    """A replay of C1, of the five builds where none are given."""
    return ReplayWish(effect="C1", builds=builds or BUILDS, inputs=SAME, condition=condition, runs_each=runs_each)


def a_bisection(memo: Memo) -> Replay:
    """Planned by Ann."""
    return triage.plan_replay(actor=cases.person("ann"), memo_id=memo.pk, wish=wish())


def run(memo: Memo, replay: Replay, build: str, runs: cases.Runs) -> ReplayStep:
    """The step begun, its runs attached and sealed, and its comparison computed."""
    step = triage.begin_step(actor=cases.person("ann"), memo_id=memo.pk, replay=replay.number, build=build)
    content = cases.runs_file(runs, timezone.now() + timedelta(minutes=len(step.comparison)))
    labels = [
        cases.labels("benchmark_run", arm=arm, run=f"{block}-{arm}", block=block)
        for block in cases.BLOCKS
        for arm in ("baseline", "candidate")
    ]
    cases.attach(step.evidence_set, f"{step.comparison}-of-{memo.number}.json", content, labels)
    evidence.seal(actor=cases.person("sam"), set_id=step.evidence_set_id)
    assessments.compute(actor=cases.person("sam"), memo_id=memo.pk, comparison=step.comparison)
    return step


def a_searched_memo() -> Memo:
    """The bisection has one step behind it: v2 is as the base."""
    memo = a_memo()
    run(memo, a_bisection(memo), "v2", ALIKE)
    return cases.again(memo)
