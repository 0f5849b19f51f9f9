"""What is known exactly of queues: the values that the simulation must meet. Times are means in the system, in seconds.

All arrivals are Poisson, `rate` per second, and all servers take requests in their order.
"""

import math
from typing import Final

import numpy as np
from scipy.special import gammaln

from analysis.errors import Refused
from analysis.table import Floats

SMALL: Final = 1e-13
MOST_STATES: Final = 2048


def md1_time(rate: float, seconds: float) -> float:
    """One server, a constant service time.

    Raises:
        Refused: unstable.
    """
    return mg1_time(rate, seconds, 0.0)


def mg1_time(rate: float, seconds: float, scv: float) -> float:
    """One server; scv: variance of the service time over its squared mean (0 constant, 1 exponential).

    Raises:
        Refused: unstable.
    """
    load = rate * seconds
    _require(load)
    return seconds * (1 + load * (1 + scv) / (2 * (1 - load)))


def mm1_quantile(rate: float, seconds: float, p: float) -> float:
    """The p-quantile of the time in the system, one server with exponential service times.

    Raises:
        Refused: unstable.
    """
    _require(rate * seconds)
    return -math.log1p(-p) / (1 / seconds - rate)


def mmc_time(rate: float, seconds: float, servers: int) -> float:
    """Several servers with exponential service times (Erlang C).

    Raises:
        Refused: unstable.
    """
    offered = rate * seconds
    _require(offered / servers)
    blocked = 1.0
    for busy in range(1, servers + 1):
        blocked = offered * blocked / (busy + offered * blocked)
    waits = blocked / (1 - offered / servers * (1 - blocked))
    return seconds + waits * seconds / (servers - offered)


def bulk_time(rate: float, service: Floats) -> float:
    """One server that takes all who wait, at most service.size at once, as soon as it is free.

    From the chain of those left behind at the ends of batches. service: seconds of a batch of 1, 2, ….

    Raises:
        Refused: unstable.
    """
    _require(rate * float((service / np.arange(1, service.size + 1)).min()))
    states = 64
    while states <= MOST_STATES:
        left = _left_behind(rate, service, states)
        if left[-states // 8 :].sum() < SMALL:
            return _time_of(rate, service, left)
        states *= 2
    raise Refused("unstable", f"{rate:g} per second is too close to the capacity to be worked out.", "Lower the rate.")


def _batch_of(service: Floats, states: int) -> Floats:
    """The batch taken when so many were left behind; after none, the next arrival is alone."""
    return np.clip(np.arange(states), 1, service.size)


def _left_behind(rate: float, service: Floats, states: int) -> Floats:
    waiting = np.maximum(np.arange(states), 1)
    batch = _batch_of(service, states).astype(int)
    arrive = rate * service[batch - 1]
    gained = np.arange(states)[None, :] - (waiting - batch)[:, None]
    with np.errstate(invalid="ignore"):
        logs = gained * np.log(arrive)[:, None] - arrive[:, None] - gammaln(np.maximum(gained, 0) + 1)
    chain = np.where(gained >= 0, np.exp(logs), 0.0)
    chain[:, -1] += 1 - chain.sum(axis=1)
    equations = chain.T - np.eye(states)
    equations[-1] = 1.0
    right = np.zeros(states)
    right[-1] = 1.0
    left: Floats = np.asarray(np.linalg.solve(equations, right), dtype=np.float64)
    return left


def _time_of(rate: float, service: Floats, left: Floats) -> float:
    """By Little's law, from the mean of requests in the system over a cycle."""
    states = left.size
    waiting = np.maximum(np.arange(states), 1)
    seconds = service[_batch_of(service, states).astype(int) - 1]
    lasts = seconds + np.where(np.arange(states) == 0, 1 / rate, 0.0)
    present = waiting * seconds + rate * seconds**2 / 2
    return float((left @ present) / (left @ lasts) / rate)


def affine_bound(rate: float, per_request: float, per_batch: float) -> float:
    """Inoue's closed bound of the mean, when a batch of b takes per_batch + b * per_request and all who wait go in.

    Raises:
        Refused: unstable.
    """
    load = rate * per_request
    _require(load)
    first = (per_request + per_batch) / (2 * (1 - load))
    first *= 1 + 2 * rate * per_batch + (1 - rate * per_batch) / (1 + load)
    second = 1.5 * per_batch / (1 - load) + per_request / 2 * (load + 2) / (1 - load**2)
    return min(first, second)


def _require(load: float) -> None:
    if not 0 < load < 1:
        raise Refused("unstable", f"At a load of {load:g} no queue comes to rest.", "Give a load above 0 and below 1.")
