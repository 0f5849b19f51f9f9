"""The signed contract of a rollout, as it was decided: where it stands, what its thresholds say, and what comes next.

A rollout goes by the contract of its decision, whatever the memo says since. Each threshold answers continue, abort or
hold; what is not known is hold.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final

from reviews.errors import Missing
from reviews.policies.facts import RuleError
from reviews.policies.numbers import fraction, moment, percent
from reviews.sections import Rollout, RolloutStage

ORDER: Final = ("abort", "hold", "continue")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdFacts:
    """What an abort threshold says now. answer: continue, abort or hold; sentence: on what it rests, or what lacks."""

    comparison: str
    metric: str
    stat: str
    answer: str
    sentence: str

    @property
    def name(self) -> str:
        """How sentences call it."""
        return f"{self.metric} {self.stat} of {self.comparison}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvanceFacts:
    """When a stage was begun."""

    stage: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The latest decision for a bounded rollout of a memo, with what came of it.

    decision: its number. digest: of the rollout section, which signatures name.
    scope_percent: how far the board let it reach.
    thresholds: what each says now, asked on everything that was observed under it.
    refused_by: who objects, or no longer stands by the acceptance, as sentences; () for nobody.
    superseded: a later decision took its place.
    """

    decision: int
    digest: str
    rollout: Rollout
    scope_percent: Fraction
    began_at: datetime
    advances: tuple[AdvanceFacts, ...]
    thresholds: tuple[ThresholdFacts, ...]
    refused_by: tuple[Missing, ...]
    superseded: bool
    now: datetime

    @property
    def stage(self) -> int:
        """The number of the stage that it has reached, from 1."""
        return max((one.stage for one in self.advances), default=1)

    @property
    def reached(self) -> tuple[RolloutStage, ...]:
        """The stages that it has reached, the first first."""
        return self.rollout.stages[: self.stage]

    @property
    def following(self) -> RolloutStage | None:
        """The next stage, None after the last one."""
        return self.rollout.stages[self.stage] if self.stage < len(self.rollout.stages) else None

    @property
    def stage_began_at(self) -> datetime:
        """When the present stage began."""
        return max((one.at for one in self.advances), default=self.began_at)

    @property
    def soaked_at(self) -> datetime:
        """When the soak time of the present stage is over."""
        hours = fraction(self.rollout.stages[self.stage - 1].soak_hours, "The soak time of a rollout stage")
        return self.stage_began_at + timedelta(hours=float(hours))

    @property
    def ends_at(self) -> datetime:
        """When it expires by itself."""
        return moment(self.rollout.ends_at, "The end of the rollout")

    @property
    def is_over(self) -> bool:
        """Whether its end has come; read from the clock, whether or not anybody has noted it."""
        return self.ends_at <= self.now

    def stage_at(self, at: datetime) -> int:
        """The stage in which the rollout was at that time."""
        return max((one.stage for one in self.advances if one.at <= at), default=1)


def answer_of(thresholds: Collection[ThresholdFacts]) -> str:
    """What all thresholds say together: abort if one does, continue only if all do; none at all is hold."""
    said = {one.answer for one in thresholds} or {"hold"}
    return next(word for word in ORDER if word in said)


def why_not_advance(contract: Contract) -> tuple[Missing, ...]:
    """What stands between the rollout and its next stage; () when nothing does."""
    return tuple(_gaps(contract))


def _gaps(contract: Contract) -> Iterator[Missing]:
    try:
        yield from _order(contract)
        yield from contract.refused_by
        for one in contract.thresholds:
            if one.answer != "continue":
                who = contract.rollout.owner if one.answer == "abort" else "a contributor"
                yield Missing(f"threshold:{one.comparison}", f"{one.name}: {one.answer}. {one.sentence}", who,
                              "#rollout")  # fmt: skip
    except RuleError as error:
        yield Missing("contract", str(error), "an administrator", "#rollout")


def _order(contract: Contract) -> Iterator[Missing]:
    if contract.superseded:
        yield Missing("superseded", "A later decision has taken the place of this rollout.", "", "decide")
    if contract.is_over:
        yield Missing("expired", f"The rollout expired on {_day(contract.ends_at)}.", "the board", "decide")
    following = contract.following
    if following is None:
        yield Missing("last_stage", f"Stage {contract.stage} is the last of the contract.", "the board", "decide")
    elif (far := fraction(following.percent, "The scope of a rollout stage")) > contract.scope_percent:
        sentence = f"Stage {contract.stage + 1} reaches {percent(far)}; {percent(contract.scope_percent)} was decided."
        yield Missing("scope", sentence, "the board", "decide")
    if contract.soaked_at > contract.now:
        yield Missing("soak", f"Stage {contract.stage} soaks until {_minute(contract.soaked_at)}.", "", "#rollout")


def stands_in_words(contract: Contract) -> str:
    """Where the rollout stands, in a sentence."""
    stage = contract.reached[-1]
    scope = f"stage {contract.stage} of {len(contract.rollout.stages)}, {stage.percent} % of “{stage.where}”"
    until = f"expired on {_day(contract.ends_at)}" if contract.is_over else f"until {_day(contract.ends_at)}"
    return f"{scope}, {until}"


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
