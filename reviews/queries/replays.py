"""Replays and bisections of a memo: their steps, how each build stands, and which one to run next."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.bisection import MATERIALITY, Bisection, Standing, Tried, bisect, runs_each_of, standing_of
from analysis.errors import Refused
from analysis.families import verdict_of
from analysis.results import AssessmentResult
from reviews.models import Memo, Replay, ReplayStep
from reviews.queries.unsettled import margin_distance, sd_of
from reviews.vocabulary import SetState

Results = Mapping[str, AssessmentResult]


@dataclass(frozen=True, slots=True)
class StepView:
    """A step. standing: of its build, None while it is not computed. said: the verdict, or what it waits for."""

    row: ReplayStep
    standing: Standing | None
    said: str

    @property
    def set_number(self) -> int:
        """The number of its evidence set."""
        return self.row.evidence_set.number


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayView:
    """A replay with its steps. bisection: None for a replay of two builds, and where `refused` says why there is none.

    runs_advised: of each arm in a step, from the spread that the effect's comparison shows; None when it shows none.
    minutes_each: of a run, as the runs of the effect's comparison took; None when they have no times.
    """

    row: Replay
    steps: tuple[StepView, ...]
    bisection: Bisection | None
    refused: Refused | None
    runs_advised: int | None
    minutes_each: float | None

    @property
    def runs_planned(self) -> int:
        """The runs of a step, of both arms together."""
        return 2 * self.row.runs_each

    @property
    def minutes_expected(self) -> float | None:
        """What the rest of the search is expected to take, one run after the other."""
        if self.bisection is None or self.minutes_each is None:
            return None
        return self.bisection.runs_expected * self.minutes_each

    @property
    def to_begin(self) -> tuple[str, ...]:
        """The builds of which a step can begin, the one to run next first."""
        found = self.bisection
        first = () if found is None or found.next is None else (found.next,)
        waiting = {step.row.build for step in self.steps if step.standing is None}
        rest = tuple(build for build in self.row.builds[1:] if build not in first)
        return tuple(build for build in (*first, *rest) if build not in waiting)


def replays_of(memo: Memo, results: Results, minutes: Mapping[str, float]) -> tuple[ReplayView, ...]:
    """Every replay, the newest first; two queries. minutes: of a run, by the key of the comparison."""
    steps = ReplayStep.objects.select_related("evidence_set", "plan").order_by("pk")
    of_replay: dict[int, list[ReplayStep]] = {}
    for step in steps.filter(replay__memo=memo):
        of_replay.setdefault(step.replay_id, []).append(step)
    rows = memo.replays.order_by("-number")
    return tuple(_view(row, of_replay.get(row.pk, []), results, minutes.get(row.effect)) for row in rows)


def _view(row: Replay, steps: Iterable[ReplayStep], results: Results, minutes: float | None) -> ReplayView:
    effect = results.get(row.effect)
    seen = tuple(_step(step, results, materiality_of(effect)) for step in steps)
    found, refused = None, None
    if row.bisects:
        try:
            found = search(row.builds, seen, effect, row.runs_each)
        except Refused as error:
            refused = error
    return ReplayView(
        row=row,
        steps=seen,
        bisection=found,
        refused=refused,
        runs_advised=runs_advised(effect),
        minutes_each=minutes,
    )


def search(
    builds: Sequence[str], steps: Iterable[StepView], effect: AssessmentResult | None, runs_each: int
) -> Bisection:
    """The bisection as far as its steps and the effect between its ends tell.

    Raises:
        Refused: as `analysis.bisection.bisect`.
    """
    materiality = materiality_of(effect)
    tried = [Tried(builds[-1], standing_of(materiality, materiality))]
    tried += [Tried(step.row.build, step.standing) for step in steps if step.standing is not None]
    return bisect(builds, tried, runs_each=runs_each)


def materiality_of(result: AssessmentResult | None) -> str:
    """On which side of its margin the effect is established, "" where it is not."""
    found = verdict_of(result)
    return found.materiality if found is not None and found.materiality in MATERIALITY else ""


def _step(row: ReplayStep, results: Results, effect: str) -> StepView:
    result = results.get(row.comparison)
    if result is None:
        sealed = row.evidence_set.state == SetState.SEALED
        waits = f"Set {row.evidence_set.number} is sealed: compute {row.comparison}."
        return StepView(row, None, waits if sealed else f"It waits for the runs of set {row.evidence_set.number}.")
    found = verdict_of(result)
    said = found.headline if found is not None else result.outcome.replace("_", " ")
    standing = standing_of(found.materiality if found is not None else None, effect)
    return StepView(row, standing, f"{said[0].upper()}{said[1:]}.")


def runs_advised(effect: AssessmentResult | None) -> int | None:
    """The runs of each arm that decide a step, planned with the spread and the size that the effect shows."""
    if effect is None or effect.interval is None:
        return None
    try:
        return runs_each_of(
            sd=sd_of(effect.interval), margin=margin_distance(effect), effect=abs(effect.interval.centre)
        )
    except Refused:
        return None
