"""Queue waits, the impact of a batch policy, and the tail-latency drivers of a memo's evidence, for pages and API.

Requests are read from the tables of the memo's runs, once for the same files; steps from the newest comparison of the
traces of a set, which a job has made and which is stored.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis import trace_answer
from analysis.errors import Refused
from analysis.evidence import traces
from analysis.exact import parse_exact
from analysis.inputs import LabelledRun
from analysis.notices import Refusal, as_value
from analysis.policy_impact import QueueAnswer, queue_answer
from analysis.request_drivers import request_drivers
from analysis.tail_drivers import SLOWEST, TailDrivers, require_share
from analysis.trace_answer import TraceAnswer
from reviews.models import Memo, TraceComparison
from reviews.queries.traced_sets import is_current, sets_with_traces
from reviews.services import batch_policy
from reviews.services.remembered import remembered

FIELDS: Final = ("set", "slowest", "warmup", "varied")
PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class Steps:
    """The newest comparison of the traces of a set. current: of the traces as they are now."""

    set_number: int
    row: TraceComparison
    found: TraceAnswer
    current: bool


@dataclass(frozen=True, slots=True)
class OfRequests:
    """What the tables of requests show; each is refused where it is None."""

    queue: QueueAnswer | None
    no_queue: Refusal | None
    drivers: TailDrivers | None
    no_drivers: Refusal | None


@dataclass(frozen=True, slots=True)
class Looked:
    """Both sources. steps: None where no traces were compared."""

    requests: OfRequests
    steps: Steps | None


@dataclass(frozen=True, slots=True)
class Asked:
    """slowest: the share of the slowest. warmup: requests cut from the start of every run. varied: the policy."""

    slowest: float
    warmup: int
    varied: tuple[str, ...]


def look(memo: Memo, wish: Mapping[str, str]) -> Looked:
    """What the memo's evidence, or that of one set, shows.

    Raises:
        Refused: not_a_number, bad_share.
    """
    given = {name: wish.get(name, "").strip() for name in FIELDS}
    asked, number = asked_of(given), whole(given["set"], "set")
    held = batch_policy.of_arms(batch_policy.held_by(memo, number))
    inputs = batch_policy.identity_of(held, **given)
    return Looked(
        remembered("tail_drivers", inputs, lambda: of_requests(_arms(held), asked)),
        _steps(memo, number),
    )


def asked_of(given: Mapping[str, str]) -> Asked:
    """What the texts ask for; "" is the usual. Raises Refused: not_a_number, bad_share."""
    return Asked(
        slowest=share_of(given["slowest"]),
        warmup=whole(given["warmup"], "warmup") or 0,
        varied=tuple(name.strip() for name in given["varied"].split(",") if name.strip()),
    )


def share_of(said: str) -> float:
    """The share that a percentage says, as "5" or "5%"; "" is the usual. Raises Refused: not_a_number, bad_share."""
    if not said:
        return SLOWEST
    share = float(parse_exact(said.removesuffix("%").strip())) / PERCENT
    require_share(share)
    return share


def whole(said: str, what: str) -> int | None:
    """A whole number; None for "". Raises Refused: not_a_number."""
    if said and not re.fullmatch(r"[0-9]{1,9}", said):
        raise Refused("not_a_number", f"{said!r} is no number of a {what}.", "Write a whole number.")
    return int(said) if said else None


def _arms(held: Sequence[batch_policy.Held]) -> tuple[tuple[LabelledRun, ...], tuple[LabelledRun, ...]]:
    """The runs of each arm but for traces, of which the stored comparison speaks."""
    runs = batch_policy.read([one for one in held if one.parse.format not in traces.FORMATS])
    return runs.of("baseline").runs, runs.of("candidate").runs


def of_requests(arms: tuple[Sequence[LabelledRun], Sequence[LabelledRun]], asked: Asked) -> OfRequests:
    """What the tables show."""
    baseline, candidate = arms
    queue, no_queue, drivers, no_drivers = None, None, None, None
    try:
        queue = queue_answer(baseline, candidate, varied=asked.varied, warmup=asked.warmup)
    except Refused as refused:
        no_queue = as_value(refused)
    try:
        drivers = request_drivers(baseline, candidate, share=asked.slowest, warmup=asked.warmup)
    except Refused as refused:
        no_drivers = as_value(refused)
    return OfRequests(queue, no_queue, drivers, no_drivers)


def _steps(memo: Memo, number: int | None) -> Steps | None:
    """Of that set, else of the newest set whose traces were compared."""
    for traced in sets_with_traces(memo, number):
        row = traced.row.trace_comparisons.order_by("-pk").first()
        if row is not None and number in (None, traced.row.number):
            return Steps(traced.row.number, row, trace_answer.from_json(row.result), is_current(row, traced))
    return None
