"""The triage board of a memo: the playbook, what is open, replays and bisections."""

from fractions import Fraction

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reviews.api.authentication import ATTACH, person_of
from reviews.api.base import Door, asked, given, memo_of, shown
from reviews.api.once import once
from reviews.api.shapes.planning import GuessQuery
from reviews.api.shapes.triage import BeginStep, MarkShape, NewMark, NewReplay, ReplayShape, StepBegunShape, TriageShape
from reviews.queries.next_measurement import GUESS
from reviews.queries.replays import ReplayView
from reviews.queries.triage import triage_board
from reviews.services import triage
from reviews.services.triage import ReplayWish


class Triage(Door):
    """What of a memo is answered, and what comes next."""

    @extend_schema(operation_id="triage_get", parameters=[GuessQuery], responses=TriageShape)
    def get(self, request: Request, number: str) -> Response:
        """Playbook, hypotheses against measurements, open verdicts, replays and bisections, and the attribution."""
        guess = asked(GuessQuery, request)["guess"]
        memo = memo_of(request, number)
        share = GUESS if guess is None else Fraction(guess) / 100
        return shown(TriageShape(triage_board(person_of(request), memo, share)))


class Marks(Door):
    """What people say of the steps of the playbook."""

    writes = ATTACH

    @extend_schema(operation_id="triage_mark", request=NewMark, responses={201: MarkShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """A step marked as answered, or an earlier mark taken back; with a note, and a file of the memo."""
        memo = memo_of(request, number)
        row = triage.mark(actor=person_of(request), memo_id=memo.pk, **given(NewMark, request))
        return shown(MarkShape(row), status=201)


class Replays(Door):
    """Replays and bisections of a memo."""

    writes = ATTACH

    @extend_schema(operation_id="replays_plan", request=NewReplay, responses={201: ReplayShape})
    @once
    def post(self, request: Request, number: str) -> Response:
        """A replay of two builds, or a bisection of more in their order; its steps begin one by one."""
        memo = memo_of(request, number)
        row = triage.plan_replay(
            actor=person_of(request), memo_id=memo.pk, wish=ReplayWish(**given(NewReplay, request))
        )
        return shown(ReplayShape(_view(request, number, row.number)), status=201)


class ReplaySteps(Door):
    """The steps of one replay."""

    writes = ATTACH

    @extend_schema(operation_id="replay_steps_begin", request=BeginStep, responses={201: StepBegunShape})
    @once
    def post(self, request: Request, number: str, replay: int) -> Response:
        """A build run against the base: a registered plan, an open set for its runs, and the comparison for it."""
        memo = memo_of(request, number)
        step = triage.begin_step(
            actor=person_of(request), memo_id=memo.pk, replay=replay, build=given(BeginStep, request)["build"]
        )
        return shown(StepBegunShape(step), status=201)


def _view(request: Request, number: str, replay: int) -> ReplayView:
    board = triage_board(person_of(request), memo_of(request, number), GUESS)
    return next(one for one in board.replays if one.row.number == replay)
