"""What AIPerf saw of the GPUs: power in W, and an energy counter in MJ. A GPU under two endpoints is counted once."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, scale, values
from analysis.evidence.collect import Collection, Figure, Run, Sample
from analysis.evidence.values import Json

TWICE: Final = "GPU {uuid} is shown by several endpoints: it is counted once."
ANONYMOUS: Final = (
    "The GPUs have no ids of their own in this file, and several endpoints show GPUs: whether they are the same is not "
    "known, so no power and no energy is read."
)
DISAGREE: Final = (
    "The energy counters rose by {energy} J, and the mean power over the duration gives {power} J: they differ "
    "by {percent} %. Neither is chosen here."
)
COUNTER: Final = "Energy is what the counter of each GPU rose by between its first and last sample in the run, summed."
ONLY_POWER: Final = ("gpu_power_usage", "energy_consumption")
NO_POWER: Final = "the sensor reads 0"
MEANINGFUL: Final = Fraction(5, 100)


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU as one endpoint shows it."""

    uuid: str
    metrics: dict[str, Json]
    where: str


def summarise(collection: Collection, run: Run, telemetry: dict[str, Json], where: str) -> None:
    """Add mean power and energy of the run, summed over the GPUs.

    Raises:
        MalformedEvidence: a value of a GPU that is no number or below zero.
    """
    shown = list(_gpus(telemetry, where))
    gpus: dict[str, Gpu] = {}
    for gpu in shown:
        if gpu.uuid in gpus:
            collection.notice(TWICE.format(uuid=gpu.uuid))
        gpus.setdefault(gpu.uuid, gpu)
    collection.leave(f"telemetry {name}" for gpu in shown for name in gpu.metrics if name not in ONLY_POWER)
    if not all(gpu.uuid.strip("GPU-0") for gpu in shown) and len(shown) > 1:
        collection.notice(ANONYMOUS)
        return
    power = _sum([_power(gpu) for gpu in gpus.values()])
    energy = _sum([_energy(gpu) for gpu in gpus.values()])
    place = f"{where}.endpoints"
    if power:
        run.measured("power", collect.computed(power, "W", "sum of the means of the GPUs", place), MEAN)
    if energy:
        run.measured("energy", collect.computed(energy, "J", "sum of max - min of the GPUs", place), TOTAL)
        collection.notice(COUNTER)
    if power and energy:
        _compare(collection, run, power, energy)


MEAN: Final = Sample("aggregate", "mean", None)
TOTAL: Final = Sample("aggregate", "total", None)


def _gpus(telemetry: dict[str, Json], where: str) -> Iterator[Gpu]:
    endpoints = values.fields(telemetry.get("endpoints", {}), f"{where}.endpoints")
    for url, endpoint in endpoints.items():
        spot = f"{where}.endpoints.{url}"
        gpus = values.fields(values.fields(endpoint, spot).get("gpus", {}), f"{spot}.gpus")
        for name, gpu in gpus.items():
            place = f"{spot}.gpus.{name}"
            fields = values.fields(gpu, place)
            uuid = values.text(values.needed(fields, "gpu_uuid", f"{place}.gpu_uuid"), f"{place}.gpu_uuid")
            yield Gpu(uuid, values.fields(fields.get("metrics", {}), f"{place}.metrics"), f"{place}.metrics")


def _stat(gpu: Gpu, metric: str, key: str, base: str) -> Fraction | None:
    """One statistic of a metric, exactly, in its base unit; None when the file has none."""
    block = gpu.metrics.get(metric)
    if not isinstance(block, dict) or block.get(key) is None:
        return None
    place = f"{gpu.where}.{metric}"
    unit = values.text(values.needed(block, "unit", f"{place}.unit"), f"{place}.unit")
    if scale.base_of(unit, f"{place}.unit") != base:
        raise MalformedEvidence(f'"{metric}" is in {base}, not in {unit}', where=f"{place}.unit", code="unit_mismatch")
    values.not_negative(block[key], f"{place}.{key}")
    return scale.exact(values.numeral(block[key], f"{place}.{key}").text, unit)


def _power(gpu: Gpu) -> Fraction | None:
    return _stat(gpu, "gpu_power_usage", "avg", "W")


def _energy(gpu: Gpu) -> Fraction | None:
    low, high = _stat(gpu, "energy_consumption", "min", "J"), _stat(gpu, "energy_consumption", "max", "J")
    return None if low is None or high is None or high <= low else high - low


def _sum(parts: list[Fraction | None]) -> Fraction | None:
    """The sum; None when one GPU has no such number: a part is not the whole."""
    known = [part for part in parts if part is not None]
    return sum(known, Fraction(0)) if known and len(known) == len(parts) else None


def _compare(collection: Collection, run: Run, power: Fraction, energy: Fraction) -> None:
    """A notice where power x duration and the counters disagree."""
    durations = [setting for setting in run.settings if setting.name == "duration"]
    for duration in durations:
        integrated = power * Fraction(duration.value)
        share = abs(integrated / energy - 1)
        if share > MEANINGFUL:
            words = DISAGREE.format(energy=round(energy), power=round(integrated), percent=round(100 * share))
            collection.notice(words)


def parse_samples(collection: Collection, lines: tuple[Json, ...]) -> None:
    """The samples of `gpu_telemetry_export.jsonl`: raw power and counter readings, a stage for each of several GPUs.

    Raises:
        MalformedEvidence: a line without time, GPU or values, or a value that is no number.
    """
    where, seen = collection.document.name, Seen()
    samples = [sample(line, f"{where}:[{i}]") for i, line in enumerate(lines)]
    shown = [seen.add(collection, one) for one in samples]
    run = collection.add(collect.completed("0", where, started_ns=seen.first))
    for i, one in enumerate(samples):
        if shown[i]:
            stage = one.uuid if len(seen.urls) > 1 else ""
            for metric, figure, _ in figures(collection, one):
                run.measured(metric, figure, Sample("raw", "value", 1, i, one.moment, stage=stage))
    seen.identify(run, where)


@dataclass(frozen=True, slots=True)
class Shown:
    """One sample of a GPU as an endpoint shows it."""

    uuid: str
    moment: int
    values: dict[str, Json]
    url: str
    where: str


@dataclass(slots=True)
class Seen:
    """The GPUs so far, each with the endpoint that showed it first; and the moment of the first sample."""

    urls: dict[str, str] = field(default_factory=dict)
    first: int | None = None

    def add(self, collection: Collection, one: Shown) -> bool:
        """Whether the sample counts: it does not where another endpoint showed its GPU first."""
        self.first = one.moment if self.first is None else min(self.first, one.moment)
        if self.urls.setdefault(one.uuid, one.url) == one.url:
            return True
        collection.notice(TWICE.format(uuid=one.uuid))
        return False

    def identify(self, run: Run, where: str) -> None:
        """Name the GPUs."""
        run.identified("gpu_uuids", "; ".join(self.urls), where)
        run.identified("counter_unit", "1 mJ", where)


def figures(collection: Collection, one: Shown) -> Iterator[tuple[str, Figure, str]]:
    """Power and counter of a sample, each with its figure and where it stands in the line."""
    power, energy = (one.values.get(key) for key in ONLY_POWER)
    if power is not None:
        place = f"{one.where}.gpu_power_usage"
        yield "power", collect.positive_or_nothing(power, "W", place, NO_POWER), "telemetry_data.gpu_power_usage"
    if energy is not None:
        yield "energy_counter", _counts(energy, one.where), "telemetry_data.energy_consumption"
    collection.leave(key for key in one.values if key not in ONLY_POWER)


def _counts(value: Json, where: str) -> Figure:
    """A reading of the counter in whole mJ, which is what DCGM counts in; the file has it as a float in MJ."""
    place = f"{where}.energy_consumption"
    values.not_negative(value, place)
    written = values.numeral(value, place).text
    counts = Fraction(round(scale.exact(written, "MJ") * 1000))
    return replace(collect.computed(counts, "1", written, place), original_unit="MJ")


def sample(line: Json, where: str) -> Shown:
    """A line. Raises MalformedEvidence."""
    fields = values.fields(line, where)
    moment = values.count(values.needed(fields, "timestamp_ns", f"{where}.timestamp_ns"), f"{where}.timestamp_ns")
    uuid, url = (
        values.text(values.needed(fields, key, f"{where}.{key}"), f"{where}.{key}") for key in ("gpu_uuid", "dcgm_url")
    )
    telemetry = values.fields(
        values.needed(fields, "telemetry_data", f"{where}.telemetry_data"), f"{where}.telemetry_data"
    )
    return Shown(uuid, moment, telemetry, url, f"{where}.telemetry_data")
