"""What AIPerf saw of the GPUs: power in W, and an energy counter in MJ. A GPU under two endpoints is counted once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
    where = collection.document.name
    samples = [_sample(line, f"{where}:[{i}]") for i, line in enumerate(lines)]
    urls: dict[str, str] = {}
    for uuid, _, _, url, _ in samples:
        if urls.setdefault(uuid, url) != url:
            collection.notice(TWICE.format(uuid=uuid))
    run = collection.add(collect.completed("0", where, started_ns=min(moment for _, moment, *_ in samples)))
    for i, (uuid, moment, telemetry, url, place) in enumerate(samples):
        if urls[uuid] != url:
            continue
        sample = Sample("raw", "value", 1, i, moment, stage=uuid if len(urls) > 1 else "")
        if telemetry.get("gpu_power_usage") is not None:
            spot = f"{place}.gpu_power_usage"
            run.measured(
                "power", collect.positive_or_nothing(telemetry["gpu_power_usage"], "W", spot, NO_POWER), sample
            )
        if telemetry.get("energy_consumption") is not None:
            run.measured("energy_counter", _counts(telemetry["energy_consumption"], place), sample)
        collection.leave(key for key in telemetry if key not in ONLY_POWER)
    run.identified("gpu_uuids", "; ".join(urls), where)
    run.identified("counter_unit", "1 mJ", where)


def _counts(value: Json, where: str) -> Figure:
    """A reading of the counter in whole mJ, which is what DCGM counts in; the file has it as a float in MJ."""
    place = f"{where}.energy_consumption"
    values.not_negative(value, place)
    written = values.numeral(value, place).text
    counts = Fraction(round(scale.exact(written, "MJ") * 1000))
    return replace(collect.computed(counts, "1", written, place), original_unit="MJ")


def _sample(line: Json, where: str) -> tuple[str, int, dict[str, Json], str, str]:
    fields = values.fields(line, where)
    moment = values.count(values.needed(fields, "timestamp_ns", f"{where}.timestamp_ns"), f"{where}.timestamp_ns")
    uuid, url = (
        values.text(values.needed(fields, key, f"{where}.{key}"), f"{where}.{key}") for key in ("gpu_uuid", "dcgm_url")
    )
    telemetry = values.fields(
        values.needed(fields, "telemetry_data", f"{where}.telemetry_data"), f"{where}.telemetry_data"
    )
    return uuid, moment, telemetry, url, f"{where}.telemetry_data"
