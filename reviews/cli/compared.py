"""Which metrics a command compares, and as what: the primary one, guardrails, claims of a family, a screening."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeVar

from analysis.assess import LabelledRun
from analysis.errors import Refused
from analysis.exact import parse_exact
from analysis.families import Role
from analysis.inputs import Better, Scale
from analysis.metering import energy_metric
from analysis.per_unit import NAME
from reviews.cli.command import UsageError

HIGHER: Final = (
    "throughput",
    "goodput",
    "accuracy",
    "score",
    "bandwidth",
    "per_joule",
    "_match",
    "pass_at",
    "pass_rate",
    "win_rate",
)
SCORES: Final = frozenset({"acc", "em", "f1", "mcc", "mrr", "bleu", "chrf", "rouge1", "rouge2", "rougel", "maj"})
STATS: Final = {"wall_time": "value", "time_to_train": "value", "step_time": "median"}
DIRECTIONS: Final[tuple[Better, ...]] = ("higher", "lower")
SCALES: Final[tuple[Scale, ...]] = ("ratio", "difference", "proportion")

Word = TypeVar("Word", bound=str)
Names = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """One comparison that was asked for."""

    metric: str
    stat: str
    role: Role
    better: Better
    scale: Scale
    margin: Fraction

    @property
    def name(self) -> str:
        """How the command calls it: "ttft p99"."""
        return f"{self.metric} {self.stat}"


def arguments(parser: ArgumentParser) -> None:
    """The metrics with their parts, directions, scales and margins."""
    what = "NAME[:STAT][=MARGIN]"
    parser.add_argument(
        "--metric", action="append", metavar=what, help="the primary metric; every further --metric is a guardrail"
    )
    parser.add_argument("--claim", action="append", default=[], metavar=what, help="a further claim: Holm judges all")
    parser.add_argument("--screening", action="append", default=[], metavar=what, help="only noted, for a new run set")
    parser.add_argument("--stat", help='of the first metric: "value", "mean", "median", "p99", "rate" (default: by it)')
    parser.add_argument(
        "--better", action="append", default=[], metavar="[NAME=]higher|lower", help="default: by the metric"
    )
    parser.add_argument("--margin", default="2%", help='what is still acceptable: "2%%" (default) or a ratio "0.98"')
    parser.add_argument(
        "--scale", action="append", default=[], metavar="[NAME=]ratio|difference|proportion", help="default: ratio"
    )


def asked(options: Namespace, runs: Sequence[LabelledRun]) -> tuple[Asked, ...]:
    """What the options ask for, the primary metric first.

    Raises:
        UsageError: no metric where the files have several, a metric twice, or a word that does not fit.
    """
    measured = [run.reading.of_run(run.run.key).measured() for run in runs]
    names = (found for rows in measured for found in rows.combinations("metric", "stat", "kind"))
    found = {(metric, stat, kind) for metric, stat, kind in names}
    texts = _texts(options, found)
    parts = [(role, *split(text)) for role, text in texts]
    _once([f"{metric} {stat}".strip() for _, metric, stat, _ in parts])
    first = parts[0][1]
    directions = by_metric(options.better, "--better", DIRECTIONS, first)
    scales = by_metric(options.scale, "--scale", SCALES, first)
    made = []
    for role, metric, stat, margin in parts:
        chosen = stat or (options.stat if metric == first and role == "primary" else "") or _stat(metric, found)
        better = directions.get(metric) or usual_direction(metric)
        worst = margin_of(margin or options.margin, better)
        made.append(Asked(metric, chosen, role, better, scales.get(metric, "ratio"), worst))
    _once([one.name for one in made])
    return tuple(made)


def _texts(options: Namespace, found: Iterable[Names]) -> list[tuple[Role, str]]:
    """(role, what was typed) of each, the primary one first; the only metric of the files when none is named."""
    primary, *guardrails = options.metric or [_only(found)]
    rest: tuple[tuple[Role, list[str]], ...] = (
        ("guardrail", guardrails), ("claim", options.claim), ("screening", options.screening),
    )  # fmt: skip
    return [("primary", primary), *((role, text) for role, texts in rest for text in texts)]


def _only(found: Iterable[Names]) -> str:
    seen = sorted({(metric, stat) for metric, stat, _ in found})
    metrics = {metric for metric, _ in seen}
    if len(metrics) == 1:
        return metrics.pop()
    listed = ", ".join(f"{metric} {stat}" for metric, stat in seen) or "none"
    raise UsageError(f"Say which metric is compared: --metric NAME --stat STAT. The files have: {listed}.")


def split(text: str) -> tuple[str, str, str]:
    """(metric, stat, margin) of "NAME[:STAT][=MARGIN]"; no name of a metric holds a colon or an equals sign."""
    named, equals, margin = text.partition("=")
    metric, colon, stat = named.partition(":")
    if not metric or (equals and not margin) or (colon and not stat):
        raise UsageError(f"A metric is written NAME[:STAT][=MARGIN], not {text!r}.")
    return metric, stat, margin


def usual_direction(metric: str) -> Better:
    """Which way is better, by the name of the metric; a score by a whole word of it, so that `memory` is no `em`."""
    known = any(word in metric for word in HIGHER) or not SCORES.isdisjoint(metric.split("_"))
    return "higher" if known else "lower"


def _once(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is asked for twice: a comparison has one part.")


def by_metric(texts: Iterable[str], option: str, words: Sequence[Word], first: str) -> dict[str, Word]:
    """Metric -> its word; a bare word is that of the first metric."""
    return dict(_words(texts, option, words, first))


def _words(texts: Iterable[str], option: str, words: Sequence[Word], first: str) -> Iterator[tuple[str, Word]]:
    for text in texts:
        name, _, said = text.rpartition("=")
        word = next((word for word in words if word == said), None)
        if word is None:
            raise UsageError(f"{option} takes {', '.join(words)}, with NAME= before it for one metric, not {text!r}.")
        yield name or first, word


def _stat(metric: str, found: Iterable[Names]) -> str:
    """The usual stat of the metric, where the runs have it or it can be computed from their rows; else the only one."""
    stats = sorted({stat for name, stat, _ in found if name == metric})
    raw = any(name == metric and kind == "raw" for name, _, kind in found)
    if not stats and (energy_metric(metric) is not None or _is_per_unit(metric, found)):
        return "value"
    usual = STATS.get(metric, "rate" if "throughput" in metric else "p99")
    return stats[0] if len(stats) == 1 and usual not in stats and not raw else usual


def _is_per_unit(metric: str, found: Iterable[Names]) -> bool:
    """Whether it is made of a measured number of the whole run and its work: "wall_time_per_output_token"."""
    parts = NAME.fullmatch(metric)
    return parts is not None and any(name == parts["whole"] for name, _, _ in found)


def margin_of(said: str, better: Better) -> Fraction:
    """The worst acceptable ratio: "2%" is 0.98 when higher is better and 1.02 when lower is."""
    if not said.endswith("%"):
        return share(said)
    part = share(said.removesuffix("%")) / 100
    return 1 - part if better == "higher" else 1 + part


def share(said: str) -> Fraction:
    """The exact number. Raises UsageError."""
    try:
        return parse_exact(said)
    except Refused as refused:
        raise UsageError(f"{said!r} is no number: {refused.message}") from refused
