"""What the runs of a sweep measured: the metrics of throughput, tails, power and energy, and one number a run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from analysis.errors import Refused
from analysis.inputs import Better, ComparisonPlan, LabelledRun
from analysis.notices import Refusal, as_value, named
from analysis.quantile import conservative_quantile, quantile_of
from analysis.run_values import require_size, value_of
from analysis.series import after_warmup
from analysis.table import Table

THROUGHPUTS: Final = (
    "throughput", "output_throughput", "forward_throughput", "samples_throughput", "query_throughput",
    "request_throughput",
)  # fmt: skip
LATENCIES: Final = ("e2e_latency", "latency", "forward_latency", "request_latency", "ttft", "itl")
ENERGIES: Final = ("energy_per_request", "energy_per_sample", "energy_per_output_token", "energy_per_token")
TOKEN_TIMES: Final = ("tpot", "itl", "inter_token_latency")
NAMES: Final = ("throughput", "p50", "p95", "p99", "power", "energy", "temperature", "token_time")
COMPUTED_ENERGY: Final = "mean power over throughput"


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """What is read of a sweep; "" is found by the names that tools use.

    varied: the setting that the sweep goes over. throughput, latency, power, energy, temperature: metrics.
    warmup: steps or requests cut from the start of every run. grid: the points that were meant to be measured.
    offered: the rate per second at which the latencies were measured, where throughput was measured apart from them.
    devices: how many serve together, by which a throughput is divided where it is shown per device.
    """

    varied: str = ""
    throughput: str = ""
    latency: str = ""
    power: str = ""
    energy: str = ""
    temperature: str = ""
    warmup: int = 0
    grid: tuple[Fraction, ...] = ()
    offered: float | None = None
    devices: int = 1


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a curve shows, and a limit speaks of. name: of NAMES; metric, stat: as files name it; unit: a base unit."""

    name: str
    metric: str
    stat: str
    better: Better
    unit: str


@dataclass(frozen=True, slots=True)
class RunNumber:
    """A quantity of one run. value: shown where there is one; problem: why nothing may be concluded from it."""

    value: float | None
    requests: int | None
    problem: Refusal | None


def quantities_of(runs: Sequence[LabelledRun], plan: SweepPlan) -> tuple[Quantity, ...]:
    """What some run measures, in the order of NAMES."""
    counted: Counter[tuple[str, str, str]] = Counter()
    for run in runs:
        rows = run.reading.of_run(run.run.key).measured()
        counted.update(_stats(rows))
    found: list[Quantity] = []
    latency = plan.latency or _most(counted, LATENCIES)
    power = plan.power or _of_unit(counted, "W", "limit")
    energy = plan.energy or _most(counted, ENERGIES)
    token = _most(counted, TOKEN_TIMES)
    for name, metric, stat, better in (
        ("throughput", plan.throughput or _most(counted, THROUGHPUTS), "rate", "higher"),
        ("p50", latency, "median", "lower"),
        ("p95", latency, "p95", "lower"),
        ("p99", latency, "p99", "lower"),
        ("power", power, "mean", "lower"),
        ("energy", energy, "mean", "lower"),
        ("temperature", plan.temperature or _temperature(counted), "max", "lower"),
        ("token_time", token, "mean" if _has(counted, token, "mean") else "median", "lower"),
    ):
        units = sorted({unit for of, has, unit in counted if of == metric and has in (stat, "raw")})
        if len(units) > 1:
            raise Refused("mixed_units", f"{metric} is in {named(units)}.", "Measure all runs in one unit.")
        if units:
            found.append(Quantity(name, metric, stat, _better(better), units[0]))
    names = {one.name for one in found}
    if {"throughput", "power"} <= names and "energy" not in names:
        found.append(Quantity("energy", COMPUTED_ENERGY, "mean", "lower", "J"))
    return tuple(sorted(found, key=lambda one: NAMES.index(one.name)))


def _has(counted: Counter[tuple[str, str, str]], metric: str, stat: str) -> bool:
    return any(of == metric and has in (stat, "raw") for of, has, _ in counted)


def _better(word: str) -> Better:
    return "higher" if word == "higher" else "lower"


def _stats(rows: Table) -> set[tuple[str, str, str]]:
    """(metric, stat, unit) of a run; "raw" for raw rows, from which any statistic can be had."""
    found: set[tuple[str, str, str]] = set()
    for metric, stat, unit, kind in rows.combinations("metric", "stat", "unit", "kind"):
        said = "median" if stat == "p50" else stat
        found.add((metric, "raw" if kind == "raw" else said, unit))
    return found


def _most(counted: Counter[tuple[str, str, str]], metrics: Sequence[str]) -> str:
    """The metric that most runs measure, the first one among equals; "" when none does."""
    runs = {metric: max((n for (of, _, _), n in counted.items() if of == metric), default=0) for metric in metrics}
    best = max(metrics, key=lambda metric: runs[metric])
    return best if runs[best] else ""


def _of_unit(counted: Counter[tuple[str, str, str]], unit: str, but: str) -> str:
    found = sorted({metric for metric, _, of in counted if of == unit and but not in metric})
    return "power" if "power" in found else next(iter(found), "")


def _temperature(counted: Counter[tuple[str, str, str]]) -> str:
    return next(iter(sorted({metric for metric, _, _ in counted if "temperature" in metric})), "")


def numbers_of(run: LabelledRun, quantities: Sequence[Quantity], plan: SweepPlan) -> Mapping[str, RunNumber]:
    """The numbers of one run, by quantity."""
    rows = run.reading.of_run(run.run.key).by("metric")
    numbers = {one.name: _number(rows, one, plan) for one in quantities if one.metric != COMPUTED_ENERGY}
    if any(one.metric == COMPUTED_ENERGY for one in quantities):
        numbers["energy"] = _energy(numbers["power"], numbers["throughput"])
    return numbers


def _number(rows: Mapping[str, Table], quantity: Quantity, plan: SweepPlan) -> RunNumber:
    asked = replace(BLANK, metric=quantity.metric, stat=quantity.stat, better=quantity.better, warmup_steps=plan.warmup)
    if quantity.stat == "rate" or quantity.name == "power":
        asked = replace(asked, warmup_steps=0)
    mine = rows.get(quantity.metric, Table.of(()))
    try:
        found = value_of(mine, asked)
    except Refused as refused:
        return RunNumber(None, None, as_value(refused))
    value, p = found.value, quantile_of(quantity.stat)
    try:
        require_size(found, asked)
        if found.computed == "ours" and p is not None:
            value = conservative_quantile(after_warmup(mine, asked).measured().values, p)
    except Refused as refused:
        return RunNumber(value, found.n_inner, as_value(refused))
    return RunNumber(value, found.n_inner, None)


def _energy(power: RunNumber, throughput: RunNumber) -> RunNumber:
    """Joules per unit of work: both are means of the same run."""
    if power.value is None or throughput.value is None:
        return RunNumber(None, None, power.problem or throughput.problem)
    return RunNumber(power.value / throughput.value, None, power.problem or throughput.problem)


BLANK: Final = ComparisonPlan(
    metric="", stat="", better="lower", scale="ratio", margin=Fraction(1), role="", varied=(), required=(),
    tolerances={}, warmup_steps=0, minimum_requests=0, hardware_varied=False, slo=None, match="", confidence=0.95,
    looks=1, look=1,
)  # fmt: skip
