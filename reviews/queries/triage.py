"""The triage board of a memo: playbook, hypotheses against measurements, what is open, replays, and the ladder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.contrib.auth.models import User

from analysis import restored
from analysis.results import AssessmentResult
from reviews.models import Memo
from reviews.policies import lifecycle
from reviews.queries import comparisons, ladder, people, playbook, predictions, records, replays, traced_sets
from reviews.queries.comparisons import Compared
from reviews.queries.ladder import Attributed
from reviews.queries.next_measurement import NextOfMemo, minutes_of, next_of
from reviews.queries.playbook import PlaybookStep
from reviews.queries.predictions import Matrix
from reviews.queries.replays import ReplayView, materiality_of, runs_advised
from reviews.queries.unsettled import Unsettled, unsettled
from reviews.sections import MemoContent
from reviews.template_content import template_from_json
from reviews.vocabulary import Action, ComparisonRole, State


@dataclass(frozen=True, slots=True)
class Effect:
    """A comparison that a replay can explain. located: a bisection can search it. runs: advised for each arm."""

    key: str
    what: str
    located: bool
    runs: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageBoard:
    """Everything that the page shows. files: (SHA-256, name) of the memo's files, for marks. may: write here."""

    memo: Memo
    content: MemoContent
    steps: tuple[PlaybookStep, ...]
    matrix: Matrix
    next: NextOfMemo
    unsettled: tuple[Unsettled, ...]
    replays: tuple[ReplayView, ...]
    attributed: Attributed
    effects: tuple[Effect, ...]
    files: tuple[tuple[str, str], ...]
    may: bool

    @property
    def answered(self) -> int:
        """How many steps are answered by records, or marked by a person."""
        return sum(step.state == "answered" or step.marked is not None for step in self.steps)


def triage_board(person: User, memo: Memo, guess: Fraction) -> TriageBoard:
    """The board; a number of queries that does not grow with the memo. guess: as `next_measurement.next_of`."""
    content = records.content_of(memo)
    template = template_from_json(memo.template_version.content)
    rows = comparisons.compared(memo, content)
    results = {one.row.key: restored.from_json(one.result) for one in rows if one.result}
    hypotheses = content.hypotheses.hypotheses
    following = next_of(content, template, rows, guess)
    traces = traced_sets.newest_of(memo, [one.number for one in content.evidence.sets])
    marks = list(memo.triage_marks.select_related("artifact").order_by("-pk"))
    allowed = lifecycle.allowed(State(memo.state), people.roles_on(person, memo))
    return TriageBoard(
        memo=memo,
        content=content,
        steps=playbook.playbook(template.playbook, playbook.Recorded(content, results, traces), marks),
        matrix=predictions.matrix(hypotheses, rows, results, following),
        next=following,
        unsettled=unsettled([one.row for one in rows], results, hypotheses),
        replays=replays.replays_of(memo, results, minutes_each(rows)),
        attributed=ladder.attributed(content, results),
        effects=effects(content, results),
        files=_files(content),
        may=Action.EDIT in allowed,
    )


def effects(content: MemoContent, results: Mapping[str, AssessmentResult]) -> tuple[Effect, ...]:
    """The comparisons with a result that a replay can explain."""
    return tuple(
        Effect(
            row.key, f"{row.metric} {row.stat}", bool(materiality_of(results[row.key])), runs_advised(results[row.key])
        )
        for row in content.comparisons.comparisons
        if row.key in results and row.role != ComparisonRole.SCREENING
    )


def effects_of(memo: Memo) -> tuple[Effect, ...]:
    """As `effects`, of the memo as it stands; two queries."""
    content = records.content_of(memo)
    rows = comparisons.compared(memo, content)
    return effects(content, {one.row.key: restored.from_json(one.result) for one in rows if one.result})


def files_of(memo: Memo) -> tuple[tuple[str, str], ...]:
    """(SHA-256, name) of the files in the memo's sealed sets."""
    return _files(records.content_of(memo))


def _files(content: MemoContent) -> tuple[tuple[str, str], ...]:
    return tuple({part.artifact: part.name for one in content.evidence.sets for part in one.attachments}.items())


def minutes_each(rows: Sequence[Compared]) -> Mapping[str, float]:
    """Comparison -> minutes of one of its runs, where the starts of all are known."""
    found = {one.row.key: (minutes_of(one.result), len(one.result["runs"])) for one in rows if one.result}
    return {key: minutes / runs for key, (minutes, runs) in found.items() if minutes is not None}
