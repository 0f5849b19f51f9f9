"""The time of a batch as a straight line s(b) = alpha + beta b, and the batch at which most of the gain is had."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.batch_costs import BatchCosts
from analysis.errors import Refused
from analysis.procedures import ROUNDING

GREATEST_RESIDUAL: Final = 0.05
FEWEST_SIZES: Final = 3
SHARES: Final = (0.5, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class ServiceFit:
    """alpha, beta: seconds. residual: the greatest relative distance of a measured size from the line."""

    alpha: float
    beta: float
    residual: float
    sizes: int


def service_fit(costs: BatchCosts) -> ServiceFit:
    """The line through the typical times of the sizes, by least squares of relative distances.

    Raises:
        Refused: not_affine (fewer than three sizes, farther than 5 % from a line, or a line that does not rise).
    """
    sizes = np.array([cost.size for cost in costs.costs], dtype=np.float64)
    times = np.array([cost.typical for cost in costs.costs])
    if sizes.size < FEWEST_SIZES:
        raise Refused(
            "not_affine", f"{sizes.size} sizes are too few to see a line.", f"Measure at least {FEWEST_SIZES} sizes."
        )
    design = np.stack([1 / times, sizes / times], axis=1)
    (alpha, beta), *_ = np.linalg.lstsq(design, np.ones(sizes.size), rcond=None)
    residual = float(np.abs((alpha + beta * sizes) / times - 1).max())
    if residual > GREATEST_RESIDUAL or min(alpha, beta * sizes[-1]) <= ROUNDING * times[-1]:
        raise Refused(
            "not_affine",
            f"The time of a batch is no line with a fixed part: it is up to {100 * residual:.3g} % away from one.",
            "Read the table of the sizes instead.",
        )
    return ServiceFit(float(alpha), float(beta), residual, sizes.size)


def efficiency_batch(fit: ServiceFit, share: float) -> float:
    """The batch that reaches `share` of the throughput 1 / beta of an endless batch.

    Raises:
        Refused: bad_share.
    """
    if not 0 < share < 1:
        raise Refused("bad_share", f"{share:g} of the greatest throughput is never reached.", "Give 0.5, 0.8 or 0.9.")
    return share / (1 - share) * fit.alpha / fit.beta
