"""Records the evidence of this example: `sweep` over batch sizes, then `blocks` of baseline and candidate.

Each run is a process of its own. The order inside a block, or inside a round of the sweep, is drawn at random with a
fixed seed. A run starts when a core is free for it, whichever its arm: on a busy machine the server could not keep up
with the arrivals, and the rate would not be the stated load. Files are in the format `countersign-measurements`.
Recorded files are never written over.
"""

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

HERE: Final = Path(__file__).parent
ORDER_SEED: Final = 20261
BLOCKS: Final = 10
ARMS: Final[Mapping[str, int]] = {"baseline": 4, "candidate": 16}
ROUNDS: Final = 5
SWEEP: Final = (1, 2, 4, 8, 16, 32)
FIRST_SWEEP_STREAM: Final = 101
LOOK_S: Final = 0.5
FREE_SHARE: Final = 0.95
ONE_THREAD: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Planned:
    """A run to be started: its label, the greatest batch, the arrival stream, and what the file says of it besides."""

    label: str
    max_batch: int
    stream: int
    identity: Mapping[str, str]


def shuffled(things: Sequence[str], seed: int, turn: int) -> list[str]:
    """The things in the random order of their turn."""
    return [things[i] for i in np.random.default_rng([seed, turn]).permutation(len(things))]


def block(number: int, nonce: str) -> list[Planned]:
    """The two runs of a block, in the order in which they start; both meet the same arrivals."""
    name = f"b{number:02}"
    return [
        Planned(f"{name}-{arm}", ARMS[arm], number, {"plan": nonce, "arm": arm, "block": name})
        for arm in shuffled(tuple(ARMS), ORDER_SEED, number)
    ]


def sweep_round(number: int) -> list[Planned]:
    """One run of each batch size, in the order in which they start; all meet the same arrivals."""
    stream = FIRST_SWEEP_STREAM + number - 1
    sizes = shuffled([str(size) for size in SWEEP], ORDER_SEED, stream)
    return [Planned(f"s{number}-batch-{int(size):02}", int(size), stream, {"round": f"s{number}"}) for size in sizes]


def host_fingerprint(salt: str) -> str:
    """A name for this host that shows nothing of it, and differs from plan to plan: "host-" and 12 hex digits."""
    number = Path("/etc/machine-id")
    secret = number.read_text() if number.exists() else ""
    return "host-" + hashlib.sha256(f"{salt}\n{platform.node()}\n{secret}".encode()).hexdigest()[:12]


def share_of_a_core(seconds: float) -> float:
    """Which share of a core this process gets while it asks for a whole one, 0 to 1."""
    start, used = time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        pass
    return (time.process_time() - used) / (time.perf_counter() - start)


def wait_for_a_free_core() -> str:
    """The share of a core found before the run starts, as text: at least 0.95, however long that takes."""
    while (share := share_of_a_core(LOOK_S)) < FREE_SHARE:
        time.sleep(LOOK_S)
    return f"{share:.2f}"


def started(planned: Planned) -> dict[str, object]:
    """The run's record as its process printed it, or a failed run with its exit code."""
    command = [sys.executable, "-m", "examples.batch_policy.workload"]
    given = ["--max-batch", str(planned.max_batch), "--stream", str(planned.stream)]
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    done = subprocess.run(  # noqa: S603 - our own module, started with fixed arguments
        [*command, *given], cwd=HERE.parent.parent, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return {"status": "failed", "reason": f"the process ended with code {done.returncode}", "identity": {}}
    return dict(json.loads(done.stdout))


def recorded(planned: Planned, host: str) -> dict[str, object]:
    """The run as the file holds it."""
    free = wait_for_a_free_core()
    run = started(planned)
    told = run.pop("identity")
    identity = {"host": host, **planned.identity, "free_core_before": free, **(told if isinstance(told, dict) else {})}
    return {"run": planned.label, **run, "identity": identity}


def files(what: str, nonce: str) -> Iterator[tuple[str, list[Planned]]]:
    """(name, runs) of each file: one per run of a block, and one per round of the sweep."""
    if what == "sweep":
        yield from ((f"sweep/round-{n}.json", sweep_round(n)) for n in range(1, ROUNDS + 1))
        return
    for number in range(1, BLOCKS + 1):
        yield from ((f"blocks/{planned.label}.json", [planned]) for planned in block(number, nonce))


def write(path: Path, runs: Sequence[Mapping[str, object]]) -> None:
    """One evidence file; FileExistsError when it is there already."""
    document = {"countersign": "measurements/1", "tool": "batch_policy workload 1", "runs": runs}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as file:
        json.dump(document, file, separators=(",", ":"))
        file.write("\n")


def main() -> int:
    """Records what is asked for, file by file."""
    parser = argparse.ArgumentParser(description="record the evidence of the batch policy example")
    parser.add_argument("what", choices=("sweep", "blocks"))
    parser.add_argument("--into", type=Path, default=HERE / "evidence", help="a folder without such files")
    given = parser.parse_args()
    nonce = (HERE / "plan.nonce").read_text(encoding="ascii").strip()
    host = host_fingerprint(nonce)
    for name, planned in files(given.what, nonce):
        if (given.into / name).exists():
            print(f"{name} is recorded already; give an empty folder with --into", file=sys.stderr)
            return 1
        write(given.into / name, [recorded(run, host) for run in planned])
        print(name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
