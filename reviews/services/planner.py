"""The planner for pages and API: a pilot out of a memo's evidence, the plan, and what it does for guardrails."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User

from analysis import canonical
from analysis.charts import ChartSpec
from analysis.errors import Refused
from analysis.inputs import LabelledRun
from analysis.power_chart import LOOKS, Curve, power_chart
from reviews import printing
from reviews.models import Memo
from reviews.planner import guardrails
from reviews.planner.asking import FIELDS, asked_of
from reviews.planner.pilot import ASSURANCE
from reviews.planner.planned import USUAL_POWERS, Planned, planned_of, sd_of_run
from reviews.queries import people, records
from reviews.services import batch_policy
from reviews.services.remembered import remembered
from reviews.template_content import template_from_json

ARMS: Final = ("baseline", "candidate")


@dataclass(frozen=True, slots=True)
class Looked:
    """The plan. chart: of its power, None where there is none. warning: on guardrails, None without any or a pilot."""

    planned: Planned
    chart: ChartSpec | None
    warning: guardrails.GuardrailWarning | None


def look(person: User, wish: Mapping[str, str]) -> Looked:
    """The plan for the wish (see asking.FIELDS).

    Raises:
        NotVisible: the memo is none that the person sees. Refused: as `asked_of` and `planned_of`; unknown_arm,
            no_pilot, not_a_number.
    """
    number = wish.get("memo", "").strip()
    memo = people.memo_for(person, number) if number else None
    if memo is None:
        return _looked((), wish, None)
    held = _held(memo, wish)
    declared = guardrails.declared_in(records.content_of(memo).comparisons.comparisons)
    asked = {name: wish.get(name, "").strip() for name in FIELDS if name != "memo"}
    template = memo.template_version.pk
    inputs = batch_policy.identity_of(held, **asked, declared=canonical.as_json(declared), template=template)
    return remembered("planner", inputs, lambda: _looked(_pilot(memo, held, wish), wish, memo))


def _looked(runs: tuple[LabelledRun, ...], wish: Mapping[str, str], memo: Memo | None) -> Looked:
    planned = planned_of(asked_of(wish, runs))
    return Looked(planned, chart_of(planned), _warning(memo, runs, planned, wish) if memo is not None else None)


def _held(memo: Memo, wish: Mapping[str, str]) -> tuple[batch_policy.Held, ...]:
    number = wish.get("set", "").strip()
    if number and not re.fullmatch(r"[0-9]{1,9}", number):
        raise Refused("not_a_number", f"{number!r} is no number of a set.", "Write a whole number.")
    return batch_policy.of_arms(batch_policy.held_by(memo, int(number) if number else None))


def _pilot(memo: Memo, held: Sequence[batch_policy.Held], wish: Mapping[str, str]) -> tuple[LabelledRun, ...]:
    """The runs of one arm, which is one configuration."""
    arm, number = wish.get("arm", "").strip() or ARMS[0], wish.get("set", "").strip()
    if arm not in ARMS:
        raise Refused("unknown_arm", f"{arm!r} is no arm.", f"Choose one of {', '.join(ARMS)}.")
    runs = batch_policy.read(held).of(arm).runs
    if not runs:
        held_in = f"Set {number} of {memo.number} holds no" if number else f"No set of {memo.number} holds a"
        raise Refused(
            "no_pilot",
            f"{held_in} run of the {arm} that was read.",
            "Attach files with runs, or choose another set or arm.",
        )
    return runs


def chart_of(planned: Planned) -> ChartSpec | None:
    """The power curves; None in blocks, and where runs do not differ at all."""
    sd = sd_of_run(planned.noise, planned.steps)
    if not planned.power or not sd:
        return None
    effects = tuple(dict.fromkeys(row.effect for row in planned.power))
    curves = [Curve(f"effect {printing.percent(effect)}", effect, sd) for effect in effects]
    if planned.upper is not None:
        level = printing.percent(ASSURANCE)
        spread = sd_of_run(planned.upper, planned.steps)
        curves.append(Curve(f"effect {printing.percent(effects[0])}, {level} assurance", effects[0], spread))
    wanted = planned.asked_power or USUAL_POWERS[0]
    return power_chart(
        curves[: len(LOOKS)], runs=guardrails.runs_of(planned), wanted=wanted, confidence=planned.confidence
    )


def _warning(
    memo: Memo, runs: tuple[LabelledRun, ...], planned: Planned, wish: Mapping[str, str]
) -> guardrails.GuardrailWarning | None:
    declared = guardrails.declared_in(records.content_of(memo).comparisons.comparisons)
    metric = planned.pilot.metric if planned.pilot is not None else ""
    content = template_from_json(memo.template_version.content)
    return guardrails.warning_of(
        declared or guardrails.of_template(content.metrics, metric),
        runs,
        planned,
        warmup=int(wish.get("warmup", "").strip() or 0),
        declared=bool(declared),
    )
