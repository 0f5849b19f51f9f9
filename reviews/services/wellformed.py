"""What people type, checked when a revision or a plan is made: a number is a number then, and a time a time.

An empty text is a field that is not filled yet, and passes. Everything else has the path of what does not fit.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Final

from django.db.models import TextChoices

from reviews.errors import BadInput
from reviews.plan_content import PlanContent, PlannedComparison
from reviews.policies import numbers
from reviews.policies.facts import RuleError
from reviews.sections import Comparison, Hypotheses, MemoContent, Prediction, ProposedAction, Rollout
from reviews.services import planned_metering
from reviews.vocabulary import Arm, Better, ComparisonRole, Match, Purpose, Resolution, Scale, StageTimes

TITLE: Final = 300
KEY: Final = 20
NONCE: Final = 64
WORDS: Final[Mapping[str, type[TextChoices]]] = {
    "role": ComparisonRole,
    "better": Better,
    "scale": Scale,
    "purpose": Purpose,
    "match": Match,
}


def require_content(content: MemoContent) -> None:
    """Nothing, when a revision can hold the content. Raises BadInput naming the path of what it cannot."""
    require_text(content.header.title, "header.title", longest=TITLE, code="no_title")
    _refuse_unprintable(content, "")
    for row in content.comparisons.comparisons:
        _require_comparison(row, f"comparisons.{row.key}")
    _require_hypotheses(content.hypotheses)
    _require_action(content.action)
    _require_rollout(content.rollout)
    _time(content.signoff.escalation.by, "signoff.escalation.by")


def require_plan(content: PlanContent, nonce: str) -> None:
    """Nothing, when the plan can be registered. Raises BadInput naming the path of what cannot."""
    require_text(content.title, "plan.title", longest=TITLE, code="bad_plan")
    if len(nonce) > NONCE:
        raise _bad(f"A nonce has at most {NONCE} characters.", "nonce", code="bad_plan")
    _refuse_unprintable(content, "plan")
    if content.looks < 1:
        raise _bad("A plan has at least one look.", "plan.looks", code="bad_plan")
    _once((row.key for row in content.comparisons), "plan.comparisons")
    _once((f"{row.hypothesis} {row.prediction.key}" for row in content.predictions), "plan.predictions")
    _once((row.run for row in content.runs), "plan.runs")
    for row in content.comparisons:
        where = f"comparisons.{row.key}"
        require_text(row.key, f"{where}.key", longest=KEY, code="bad_plan")
        for field, words in WORDS.items():
            _word(getattr(row, field), words, f"{where}.{field}", code="bad_plan")
        if not row.margin or row.warmup_steps < 0:
            raise _bad(f"{row.key} has a margin, and a warmup of zero or more.", f"{where}.margin", code="bad_plan")
        _number(row.margin, f"{where}.margin")
        planned_metering.declared(row.metering, f"{where}.metering")
        _require_warmup(row, where)
        _require_parts(row, where)
    for planned in content.predictions:
        _require_prediction(planned.prediction, f"predictions.{planned.prediction.key}")
    for run in content.runs:
        _word(run.arm, Arm, f"runs.{run.run}.arm", code="bad_plan")


def _require_warmup(row: PlannedComparison, where: str) -> None:
    if row.minimum_steps < 0:
        raise _bad(f"{row.key} needs no steps, or some.", f"{where}.minimum_steps", code="bad_plan")
    seconds = _number(row.warmup_seconds, f"{where}.warmup_seconds")
    if seconds is None:
        return
    if row.warmup_steps:
        raise _bad(
            f"{row.key} declares its warmup in steps and in seconds.",
            f"{where}.warmup_seconds",
            code="two_warmups",
            needs="Declare it in steps or in seconds.",
        )
    if seconds <= 0:
        raise _bad(
            "A warmup in seconds is longer than none.",
            f"{where}.warmup_seconds",
            code="bad_plan",
            needs='Leave it out, or write for example "10".',
        )


def _require_parts(row: PlannedComparison, where: str) -> None:
    """Raises BadInput when what the plan says of stages and counters is none of what can be said."""
    _word(row.stages, StageTimes, f"{where}.stages", code="bad_plan")
    require_fits(row.unit_of_work, f"{where}.unit_of_work", longest=TITLE)
    margin = _number(row.counter_margin, f"{where}.counter_margin")
    if margin is None or not 0 < margin < 1:
        raise _bad(
            f"{row.counter_margin!r} is no margin of a counter.",
            f"{where}.counter_margin",
            code="bad_plan",
            needs='Write what counts as a movement, above 0 and below 1, for example "0.03".',
        )


def require_text(text: str, where: str, *, longest: int, code: str) -> None:
    """Raises BadInput when the text says nothing, or has more characters than `longest`."""
    if not text.strip():
        raise _bad("This must be filled.", where, code=code)
    require_fits(text, where, longest=longest)


def require_fits(text: str, where: str, *, longest: int) -> None:
    """Raises BadInput when the text has more characters than `longest`."""
    if len(text) > longest:
        raise _bad(f"This has {len(text)} characters, more than {longest}.", where, code="too_long")


def require_whole(row: Comparison) -> None:
    """Raises BadInput when the comparison lacks a word or number without which nothing can be computed."""
    for field in (*WORDS, "metric", "stat", "margin"):
        if not getattr(row, field).strip():
            raise _bad(
                f"{row.key} has no {field} yet.", f"comparisons.{row.key}.{field}", code="comparison_is_not_whole"
            )


def require_number(text: str, where: str) -> None:
    """Raises BadInput when the text is no decimal number."""
    if _number(text, where) is None:
        raise _bad("This must be filled.", where, code="bad_number")


def require_effect(text: str, where: str) -> None:
    """Raises BadInput when the text is no greatest effect: a ratio of at least 1."""
    effect = _number(text, where)
    if effect is None or effect < 1:
        raise _bad(
            f"{text[:60]!r} is no greatest effect.",
            where,
            code="bad_effect",
            needs='Give the largest ratio by which the difference can move the result, for example "1.01".',
        )


def _require_comparison(row: Comparison, where: str) -> None:
    require_text(row.key, f"{where}.key", longest=KEY, code="no_key")
    for field, words in WORDS.items():
        if getattr(row, field):
            _word(getattr(row, field), words, f"{where}.{field}", code="bad_word")
    _number(row.margin, f"{where}.margin")
    _once((e.setting for e in row.explanations), f"{where}.explanations")
    _once((f"{s.setting} {s.arm}" for s in row.stated), f"{where}.stated")
    for explanation in row.explanations:
        place = f"{where}.explanations.{explanation.setting}"
        require_text(explanation.text, f"{place}.text", longest=100_000, code="no_text")
        if explanation.greatest_effect:
            require_effect(explanation.greatest_effect, f"{place}.greatest_effect")
    for stated in row.stated:
        _word(stated.arm, Arm, f"{where}.stated.{stated.setting}.arm", code="bad_word")


def _require_hypotheses(section: Hypotheses) -> None:
    _once((row.key for row in section.hypotheses), "hypotheses")
    for row in section.hypotheses:
        where = f"hypotheses.{row.key}"
        _once((p.key for p in row.predictions), f"{where}.predictions")
        for prediction in row.predictions:
            _require_prediction(prediction, f"{where}.predictions.{prediction.key}")
        if row.resolution.state:
            _word(row.resolution.state, Resolution, f"{where}.resolution.state", code="bad_word")
        _time(row.resolution.due, f"{where}.resolution.due")


def _require_prediction(row: Prediction, where: str) -> None:
    _range(row.low, row.high, where)


def _require_action(action: ProposedAction) -> None:
    for row in action.expected:
        _range(row.low, row.high, f"action.expected.{row.metric}.{row.stat}")


def _require_rollout(rollout: Rollout) -> None:
    for number, stage in enumerate(rollout.stages):
        percent = _number(stage.percent, f"rollout.stages[{number}].percent")
        if percent is not None and not 0 < percent <= 100:
            raise _bad(
                "A stage reaches above 0 and at most 100 %.", f"rollout.stages[{number}].percent", code="bad_percent"
            )
        _number(stage.soak_hours, f"rollout.stages[{number}].soak_hours")
    for number, threshold in enumerate(rollout.abort_thresholds):
        _number(threshold.limit, f"rollout.abort_thresholds[{number}].limit")
    _time(rollout.ends_at, "rollout.ends_at")


def _range(low: str, high: str, where: str) -> None:
    least, most = _number(low, f"{where}.low"), _number(high, f"{where}.high")
    if least is not None and most is not None and least > most:
        raise _bad(f"The lower end {low} lies above the upper end {high}.", where, code="ends_crossed")


def _number(text: str, where: str) -> Fraction | None:
    """The decimal number, None for ""."""
    if not text:
        return None
    try:
        return numbers.fraction(text, where)
    except RuleError as error:
        raise _bad(
            f"{text[:60]!r} is no decimal number.", where, code="bad_number", needs='Write for example "0.98".'
        ) from error


def _time(text: str, where: str) -> None:
    if not text:
        return
    try:
        numbers.moment(text, where)
    except RuleError as error:
        raise _bad(
            f"{text[:60]!r} is no date.", where, code="bad_time", needs='Write for example "2026-01-31T12:00:00Z".'
        ) from error


def _word(text: str, words: type[TextChoices], where: str, *, code: str) -> None:
    if text not in words.values:
        field = where.rpartition(".")[2]
        raise _bad(f"{text!r} is no {field}.", where, code=code, needs=f"Choose one of: {', '.join(words.values)}.")


def _once(keys: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            raise _bad(f"Two rows are called {key}.", where, code="key_twice")
        seen.add(key)


def _refuse_unprintable(value: object, where: str) -> None:
    """Raises BadInput for a text that a database or canonical JSON cannot hold: U+0000, or half a character."""
    for path, text in _texts(value, where):
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise _bad("This holds a character that no text has.", path, code="bad_character")


def _texts(value: object, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, tuple):
        for number, part in enumerate(value):
            yield from _texts(part, f"{where}[{number}]")
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _texts(key, where)
            yield from _texts(part, f"{where}.{key}")
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name), f"{where}.{field.name}".lstrip("."))


def _bad(message: str, where: str, *, code: str, needs: str = "") -> BadInput:
    return BadInput(message, needs=needs, code=code, where=where)
