"""What a device serves against what each user gets: an engine that batches in flight trades the one for the other."""

from dataclasses import dataclass, replace
from typing import Final

from analysis.batch_front import Front, pareto_front
from analysis.batch_sweep import CONCURRENCIES, BatchSweep, PointRun, SweepPoint
from analysis.errors import Refused
from analysis.sweep_numbers import Quantity, RunNumber

DEVICE: Final = "device_rate"
USER: Final = "user_rate"
OUTPUT_RATES: Final = ("output_throughput", "output_token_throughput")


@dataclass(frozen=True, slots=True)
class Interactivity:
    """Output tokens per second of a device and of one user at each point of a sweep.

    rates: the sweep, with DEVICE and USER for its quantities. front: how its points stand to each other in both.
    per_user: what the rate of a user was computed from, in words. devices: by which the throughput was divided.
    """

    rates: BatchSweep
    front: Front
    per_user: str
    devices: int


def interactivity(sweep: BatchSweep, *, confidence: float = 0.95) -> Interactivity:
    """The two rates of every run, and the front of them.

    Raises:
        Refused: no_output_tokens, no_user_rate, too_few_objectives.
    """
    known = {one.name: one for one in sweep.quantities}
    if "throughput" not in known or known["throughput"].metric not in OUTPUT_RATES:
        raise Refused(
            "no_output_tokens",
            "No throughput of output tokens was measured: tokens per second of a user cannot be set against it.",
            f"Attach runs that measure {OUTPUT_RATES[0]}, or name it as the throughput.",
        )
    token, concurrency = known.get("token_time"), sweep.axes[0] in CONCURRENCIES
    if token is None and not concurrency:
        raise Refused(
            "no_user_rate",
            f"Neither the time of an output token was measured nor a concurrency varied (but {sweep.varied}).",
            "Attach runs that measure tpot or itl.",
        )
    per_user = f"1 / {token.metric} {token.stat}" if token else f"output tokens per second / {sweep.axes[0]}"
    quantities = (Quantity(DEVICE, "output tokens of a device", "rate", "higher", "1/s"),
                  Quantity(USER, per_user, "rate", "higher", "1/s"))  # fmt: skip
    points = tuple(
        replace(point, runs=tuple(_rates(run, point, sweep.devices, timed=token is not None) for run in point.runs))
        for point in sweep.points
    )
    rates = replace(sweep, points=points, quantities=quantities)
    return Interactivity(rates, pareto_front(rates, of=(USER, DEVICE), confidence=confidence), per_user, sweep.devices)


def _rates(run: PointRun, point: SweepPoint, devices: int, *, timed: bool) -> PointRun:
    whole = run.numbers["throughput"]
    user, problem = None, whole.problem
    if timed:
        each = run.numbers["token_time"]
        user, problem = None if each.value is None else 1 / each.value, each.problem
    elif whole.value is not None and point.at > 0:
        user = whole.value / point.at
    device = None if whole.value is None else whole.value / devices
    return replace(run, numbers={DEVICE: RunNumber(device, None, whole.problem), USER: RunNumber(user, None, problem)})
