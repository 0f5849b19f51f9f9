"""What somebody asks of the planner, as texts: "1%", "0.01", seconds, and how arms are laid out."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.inputs import LabelledRun
from analysis.planning import Cost, Layout, Noise
from reviews.planner.pilot import Choice, NotSaid, pilot_of
from reviews.planner.planned import Asked, Wanted

PLACES: Final = ("memo", "set", "arm")
PILOT: Final = (*PLACES, "metric", "stat", "warmup")
SPREADS: Final = ("run_sd", "step_sd")
FIELDS: Final = (
    *PILOT, *SPREADS, "half_width", "run_cost", "step_cost", "effect", "power", "steps", "layout", "placement_sd",
    "placement_cost", "confidence",
)  # fmt: skip
LAYOUTS: Final[tuple[Layout, ...]] = ("independent", "blocked")
CONFIDENCE: Final = "0.95"


def amount(said: str) -> float:
    """ "1%" and "0.01" are the same. Raises Refused: not_a_number, not_finite."""
    return float(parse_exact(said.removesuffix("%").strip()) / (100 if said.endswith("%") else 1))


def square(said: str) -> float:
    """A stated spread, squared. Raises Refused."""
    sd = amount(said)
    if sd < 0:
        raise Refused("not_positive", f"A spread is below 0: {said}.", "Give standard deviations.")
    return sd**2


def is_blank(wish: Mapping[str, str]) -> bool:
    """Whether nothing is asked yet, but perhaps a memo is named."""
    return not any(wish.get(name, "").strip() for name in FIELDS if name not in PLACES)


def asked_of(wish: Mapping[str, str], runs: Sequence[LabelledRun]) -> Asked:
    """What the texts ask for; "" is the usual. runs: of the pilot, where the wish names a memo.

    Raises:
        NotSaid: spread_not_given, nothing_asked, cost_not_given, not_of_a_pilot, no_power_in_blocks,
            metric_not_chosen. Refused: not_a_number, and as `pilot_of`.
    """
    given = {name: wish.get(name, "").strip() for name in FIELDS}
    _check(given)
    pilot = None
    if given["memo"]:
        pilot = pilot_of(runs, Choice(given["metric"], given["stat"], _whole(given["warmup"], "warmup", least=0) or 0))
    return Asked(
        noise=pilot.noise if pilot else Noise(square(given["run_sd"]), square(given["step_sd"]), 0.0),
        pilot=pilot,
        wanted=_wanted(given) if given["half_width"] else None,
        effect=_or_none(given["effect"]),
        power=_or_none(given["power"]),
        steps=_whole(given["steps"], "steps", least=1),
        confidence=amount(given["confidence"] or CONFIDENCE),
        blocked=given["layout"] == "blocked",
    )


def _check(given: Mapping[str, str]) -> None:
    stated = [name for name in SPREADS if given[name]]
    if bool(given["memo"]) == bool(stated) or len(stated) == 1:
        raise NotSaid("spread_not_given", "The noise is not known.", "Name a memo with a pilot, or give both spreads.")
    if not given["memo"] and any(given[name] for name in PILOT):
        raise NotSaid("not_of_a_pilot", "Set, metric, stat and warmup belong to a pilot.", "Name the memo as well.")
    if bool(given["effect"]) != bool(given["power"]) or not (given["half_width"] or given["effect"]):
        raise NotSaid("nothing_asked", "Nothing is asked for.", "Give a half-width, or an effect with its power.")
    if given["half_width"] and not (given["run_cost"] and given["step_cost"]):
        raise NotSaid("cost_not_given", "The cheapest plan needs costs.", "Give the seconds of a run and of a step.")
    if given["layout"] not in ("", *LAYOUTS):
        raise NotSaid("unknown_layout", f"{given['layout']!r} is no layout.", f"Choose one of {', '.join(LAYOUTS)}.")
    if given["layout"] == "blocked" and (given["effect"] or given["placement_sd"]):
        raise NotSaid(
            "only_independent",
            "In blocks there is neither a power nor a plan over placements.",
            "Choose independent arms, or ask for a half-width on one placement.",
        )
    if given["placement_sd"] and not given["half_width"]:
        raise NotSaid("nothing_asked", "Placements are planned for a half-width.", "Give a half-width with its costs.")


def _wanted(given: Mapping[str, str]) -> Wanted:
    cost = Cost(amount(given["run_cost"]), amount(given["step_cost"]), amount(given["placement_cost"] or "0"))
    layout: Layout = "blocked" if given["layout"] == "blocked" else "independent"
    placement = square(given["placement_sd"]) ** 0.5 if given["placement_sd"] else None
    return Wanted(amount(given["half_width"]), cost, layout, amount(given["confidence"] or CONFIDENCE), placement)


def _or_none(said: str) -> float | None:
    return amount(said) if said else None


def _whole(said: str, what: str, *, least: int) -> int | None:
    if not said:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", said) or int(said) < least:
        raise Refused("not_a_number", f"{said!r} is no number of {what}.", f"Write a whole number from {least} on.")
    return int(said)
