"""The timeline of traces as a chart: one line for what each part of an arm did in its middle step, both arms apart."""

from typing import Final

from analysis.charts import Axis, ChartSpec, Column, Spans
from analysis.inputs import ARMS
from analysis.trace_answer import TraceAnswer
from analysis.traces.timeline import MOST_DEVICES, MOST_SEGMENTS, Timeline, TimelineLane

Lane = tuple[str, str]
SHORT: Final = {"host": "host", "device 1": "dev 1", "device 2": "dev 2"}
WORDS: Final = {"communication": "comm."}


def timeline_chart(found: TraceAnswer) -> ChartSpec | None:
    """The middle steps side by side, from their begin; None where neither trace has a lane with anything in it."""
    if not any(lane.segments for one in found.timelines for lane in one.lanes):
        return None
    arms = dict(zip(ARMS, found.timelines, strict=True))
    lanes = _lanes(found.timelines)
    places = {lane: float(len(lanes) - at) for at, lane in enumerate(lanes)}
    known = {arm: {(lane.where, lane.what): lane for lane in one.lanes} for arm, one in arms.items()}
    shift = {"baseline": 0.17, "candidate": -0.17}
    spans = tuple(
        Spans(
            arm,
            arm,
            tuple(
                (places[lane] + shift[arm], low, high)
                for lane, drawn in known[arm].items()
                if lane in places
                for low, high in drawn.segments
            ),
        )
        for arm in ARMS
    )
    return ChartSpec(
        title="Timeline of the middle step of each arm",
        subtitle=_subtitle(arms["baseline"], arms["candidate"]),
        x=Axis("time from the begin of the step", "s", log=False, ticks=()),
        y=Axis("", "", log=False, ticks=tuple((place, _words(lane)) for lane, place in places.items())),
        series=(),
        intervals=(),
        bands=(),
        marks=(),
        columns=(
            Column("where", ""), Column("what", ""),
            *(one for arm in ARMS for one in (Column(arm, "s"), Column("share of step", ""))),
        ),
        rows=tuple(
            (*lane, *(cell for arm in ARMS for cell in _cells(known[arm].get(lane), arms[arm]))) for lane in lanes
        ),
        spans=tuple(one for one in spans if one.bars),
    )  # fmt: skip


def _lanes(timelines: tuple[Timeline, ...]) -> tuple[Lane, ...]:
    """What either trace has a lane for that is not empty in both, in their order."""
    named = dict.fromkeys((lane.where, lane.what) for one in timelines for lane in one.lanes)
    some = {(lane.where, lane.what) for one in timelines for lane in one.lanes if lane.busy}
    order = {"host": 0, "device 1": 1, "device 2": 2}
    return tuple(sorted((lane for lane in named if lane in some), key=lambda lane: order[lane[0]]))


def _words(lane: Lane) -> str:
    where, what = lane
    return f"{SHORT[where]} {WORDS.get(what, what)}"


def _cells(lane: TimelineLane | None, timeline: Timeline) -> tuple[float | None, float | None]:
    return (None, None) if lane is None else (lane.busy, lane.busy / timeline.length)


def _subtitle(baseline: Timeline, candidate: Timeline) -> str:
    both = f"{baseline.step} of {baseline.run}, and {candidate.step} of {candidate.run}"
    devices = max(baseline.devices, candidate.devices)
    first = f"; the first {MOST_DEVICES} of {devices} devices" if devices > MOST_DEVICES else ""
    both += ": the baseline above, the candidate below"
    return (
        f"{both}{first}; gaps below 1/{MOST_SEGMENTS} of the longer step are closed in the picture, not in the numbers"
    )
