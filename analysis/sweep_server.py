"""What a sweep says of the server behind it: the seconds, and the joules, of a full batch of each size."""

from analysis.batch_costs import batch_costs
from analysis.batch_sweep import BatchSweep
from analysis.errors import Refused
from analysis.simulated_tail import Server


def server_of(sweep: BatchSweep, *, servers: int = 1, idle_watts: float = 0.0) -> Server:
    """The server that a batcher can be simulated with: s(b) = b / throughput, measured with full batches.

    Raises:
        Refused: batches_in_flight, batch_outside_sweep (a size that is no number of requests), not_measured,
            no_batch_costs, not_positive.
    """
    if sweep.in_flight:
        raise Refused(
            "batches_in_flight",
            f"An engine that is swept over {sweep.varied} forms its batches while it works: no batcher says "
            "what it does.",
            "Read its curves instead: tokens per second of a device against those of one user.",
        )
    odd = [point.label for point in sweep.points if not (point.at >= 1 and point.at.is_integer())]
    if odd:
        raise Refused("batch_outside_sweep", f"{odd[0]} is no number of requests.", "Sweep over whole batch sizes.")
    sweep.quantity("throughput")
    rates = {int(point.at): point.values("throughput") for point in sweep.points}
    seconds = batch_costs({size: [size / rate for rate in found] for size, found in rates.items()})
    joules = None
    if any(one.name == "energy" for one in sweep.quantities):
        energy = {int(point.at): point.values("energy") for point in sweep.points}
        if all(energy.values()):
            joules = batch_costs({size: [size * each for each in found] for size, found in energy.items()})
    return Server(seconds, joules, idle_watts, servers)
