"""The triage board: what of the playbook is answered, what is open, and what to measure or run next."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from reviews.queries import people
from reviews.queries.playbook import PlaybookStep
from reviews.queries.triage import TriageBoard, effects_of, files_of, triage_board
from reviews.services import triage as service
from reviews.services.triage import ReplayWish
from reviews.web.acting import done, values_of
from reviews.web.door import actor_of
from reviews.web.forms.triage import Mark, PlanReplay
from reviews.web.guesses import guess_in


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step with the form that marks it, None for somebody who may not."""

    step: PlaybookStep
    form: Mark | None


@require_safe
def triage(request: HttpRequest, number: str) -> HttpResponse:
    """The board. `?guess=<percent>` is the standard error of measurements of which the memo knows none."""
    actor = actor_of(request)
    board = triage_board(actor, people.memo_for(actor, number), guess_in(request.GET.get("guess", "")))
    context = {
        "board": board,
        "memo": board.memo,
        "steps": _steps(board),
        "plan": PlanReplay(None, effects=board.effects) if board.may and board.effects else None,
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Triage", "")],
    }
    return render(request, "reviews/triage.html", context)


def _steps(board: TriageBoard) -> list[StepLine]:
    return [
        StepLine(step, Mark(None, files=board.files, key=f"step-{step.number}") if board.may else None)
        for step in board.steps
    ]


@require_POST
def mark(request: HttpRequest, number: str, step: int) -> HttpResponse:
    """A step marked as answered, or an earlier mark taken back."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    said = values_of(Mark(request.POST, files=files_of(memo), key=""))
    answered = request.POST.get("done") != "no"
    service.mark(actor=actor, memo_id=memo.pk, step=step, done=answered, note=said["note"], artifact=said["artifact"])
    return done(request, f"{_path(number)}#step-{step}", f"Step {step} is marked {'answered' if answered else 'open'}.")


@require_POST
def plan_replay(request: HttpRequest, number: str) -> HttpResponse:
    """A replay or a bisection planned."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    form = PlanReplay(request.POST, effects=effects_of(memo))
    said = values_of(form)
    wish = ReplayWish(
        effect=said["effect"],
        builds=form.names,
        inputs=said["inputs"],
        condition=said["condition"],
        runs_each=said["runs_each"],
    )
    row = service.plan_replay(actor=actor, memo_id=memo.pk, wish=wish)
    return done(request, f"{_path(number)}#replay-{row.number}", f"{row} is planned.")


@require_POST
def begin_step(request: HttpRequest, number: str, replay: int) -> HttpResponse:
    """A build of the replay run against its base: a plan, a set and a comparison of its own."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    step = service.begin_step(actor=actor, memo_id=memo.pk, replay=replay, build=request.POST.get("build", ""))
    said = f"{step.comparison} judges {step.build}: put the runs of both arms into set {step.evidence_set.number}."
    return done(request, f"{_path(number)}#replay-{replay}", said)


def _path(number: str) -> str:
    return reverse("triage", args=[number])
