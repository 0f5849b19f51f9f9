"""May this image be deployed there, and to that share? The answer follows from the decisions that stand now.

Nothing is permitted because nobody forbade it. A memo permits what it decided: everything when it shipped; during a
rollout the stages that it has reached, where they are; after a rollback the baseline to which it goes back.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from reviews.policies.contract import Contract, answer_of
from reviews.policies.facts import ProductionEventFacts
from reviews.policies.numbers import fraction, listed, percent
from reviews.sections import RolloutStage
from reviews.vocabulary import DecisionKind, ProductionEventKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """What one memo says of images. kind: of its latest decision, "" while there is none.

    effective_at: of that decision, None without one. contract: of its latest bounded rollout, None for none.
    escalated: to whom, by when, for a memo that is. recalled: files that the decision stands on and somebody recalled.
    candidate, baseline: digests, as the decision froze them; without one as the memo says now.
    """

    number: str
    state: str
    kind: str
    effective_at: datetime | None
    contract: Contract | None
    escalated: str
    recalled: tuple[str, ...]
    events: tuple[ProductionEventFacts, ...]
    candidate: frozenset[str]
    baseline: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants to deploy. image: 64 digits; scope: hosts or traffic, as the stage names them."""

    image: str
    scope: str
    percent: Fraction


@dataclass(frozen=True, slots=True)
class Permit:
    """The answer. memo: the number of the memo that permits it, "" when none does. reasons: sentences."""

    permitted: bool
    memo: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """What one memo says. at: since when. lapse: why it does not count, "" when it does."""

    memo: str
    at: datetime
    sentence: str
    lapse: str


def permit(authorities: tuple[Authority, ...], wish: Wish) -> Permit:
    """Whether a decision that stands permits the wish: one at least does, and nothing has stopped the image since."""
    stops = [stop for one in authorities for stop in _stops(one, wish.image)]
    grants = [grant for one in authorities for grant in _grants(one, wish)]
    for grant in grants:
        if not grant.lapse and not [stop for stop in stops if stop.at >= grant.at]:
            return Permit(permitted=True, memo=grant.memo, reasons=(grant.sentence,))
    said = [*(stop.sentence for stop in stops), *(grant.lapse for grant in grants if grant.lapse)]
    silent = [sentence for one in authorities if (sentence := _silent(one, wish.image))]
    return Permit(permitted=False, memo="", reasons=tuple(dict.fromkeys([*said, *silent])) or (_unknown(wish),))


def _unknown(wish: Wish) -> str:
    return f"No memo that you can see names the image sha256:{wish.image} as its candidate."


def _varies(one: Authority, image: str) -> bool:
    """Whether the memo speaks for the image: it stands on the candidate's side alone."""
    return image in one.candidate and image not in one.baseline


def _stops(one: Authority, image: str) -> Iterator[_Said]:
    """What took the image out of production."""
    if not _varies(one, image):
        return
    if one.kind == DecisionKind.ROLLBACK and one.effective_at:
        yield _Said(one.number, one.effective_at, f"{one.number} was rolled back on {_day(one.effective_at)}.", "")
    last = max(one.events, key=lambda event: event.at, default=None)
    if last and last.kind == ProductionEventKind.ROLLED_BACK and not last.ratified_by:
        said = f"{last.by} reported on {_day(last.at)} that {one.number} was rolled back, and nobody has decided since."
        yield _Said(one.number, last.at, said, "")


def _grants(one: Authority, wish: Wish) -> Iterator[_Said]:
    if one.effective_at is None:
        return
    recalled = f"{one.number} stands on evidence that was recalled: {listed(one.recalled)}." if one.recalled else ""
    if one.kind == DecisionKind.ROLLBACK and wish.image in one.baseline - one.candidate:
        said = f"{one.number} was rolled back on {_day(one.effective_at)}, to this image."
        yield _Said(one.number, one.effective_at, said, "")
    elif not _varies(one, wish.image):
        return
    elif one.kind == DecisionKind.SHIP:
        yield _Said(one.number, one.effective_at, f"{one.number} was shipped on {_day(one.effective_at)}.", recalled)
    elif one.kind == DecisionKind.BOUNDED and one.contract:
        stage = _stage(one.contract, wish)
        said = f"{one.number} is rolling out: {_stage_words(stage)}." if stage else ""
        lapse = recalled or _over(one, one.contract) or _passed(one, one.contract)
        yield _Said(one.number, one.effective_at, said, lapse or ("" if stage else _too_far(one, one.contract, wish)))


def _stage(contract: Contract, wish: Wish) -> RolloutStage | None:
    """A stage that the rollout has reached, at that place, and that far; never further than was decided."""
    for stage in contract.reached:
        far = min(_percent(stage), contract.scope_percent)
        if _place(stage.where) == _place(wish.scope) and wish.percent <= far:
            return stage
    return None


def _over(one: Authority, contract: Contract) -> str:
    return f"The rollout of {one.number} expired on {_day(contract.ends_at)}." if contract.is_over else ""


def _passed(one: Authority, contract: Contract) -> str:
    """That an abort threshold is passed: the stage may not be deployed again, whatever was decided."""
    if answer_of(contract.thresholds) != "abort":
        return ""
    passed = listed([row.name for row in contract.thresholds if row.answer == "abort"])
    return f"The rollout of {one.number} has passed its abort threshold: {passed}."


def _too_far(one: Authority, contract: Contract, wish: Wish) -> str:
    reached = listed([_stage_words(stage) for stage in contract.reached])
    return f"The rollout of {one.number} has reached {reached}; {percent(wish.percent)} of “{wish.scope}” was asked."


def _silent(one: Authority, image: str) -> str:
    """Why a memo that names the image neither permits nor stops it, "" when it does one of the two."""
    if image in one.candidate & one.baseline:
        return f"{one.number} names the image on both sides: it is not what that memo varies."
    if not _varies(one, image):
        return ""
    if one.kind == DecisionKind.ESCALATE:
        return f"{one.number} is escalated to {one.escalated}."
    return "" if one.kind else f"{one.number} names the image and is {one.state}: nothing is decided."


def _stage_words(stage: RolloutStage) -> str:
    return f"{percent(_percent(stage))} of “{stage.where}”"


def _percent(stage: RolloutStage) -> Fraction:
    return fraction(stage.percent, "The scope of a rollout stage")


def _place(text: str) -> str:
    return " ".join(text.casefold().split())


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"
