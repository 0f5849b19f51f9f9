"""The runs of a registered plan as jobs, in an order that nobody chose: randomised by the nonce, arms interleaved."""

import shlex
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Final

from reviews.cli.command import UsageError, write, write_json
from reviews.cli.registered import Registered, registered
from reviews.digests import sha256_of
from reviews.errors import BadInput
from reviews.plan_content import PlannedRun

KINDS: Final = ("json", "shell", "github")


def emit(options: Namespace) -> None:
    """Prints the jobs. Raises UsageError without a plan or a command; BadInput for no plan, or one without runs."""
    if not options.registered or bool(options.child) != (options.emit == "shell"):
        raise UsageError("--emit needs --registered FILE, and shell the --command of a run; the others take none.")
    plan = registered(Path(options.registered))
    if not plan.runs:
        raise BadInput(
            "The plan lists no runs.",
            needs="Register one that names its runs, arms and blocks.",
            code="no_planned_runs",
        )
    runs = ordered(plan)
    if options.emit == "shell":
        write("\n".join(_script(plan.nonce, runs, options.child)))
    else:
        jobs = [_job(plan.nonce, at, run) for at, run in enumerate(runs, 1)]
        write_json({"include": jobs} if options.emit == "github" else jobs)


def ordered(plan: Registered) -> tuple[PlannedRun, ...]:
    """The runs in the order of their digests with the nonce: block by block, else one run of each arm after another."""
    runs = sorted(plan.runs, key=lambda run: _drawn(plan.nonce, run.run))
    if plan.design != "blocks":
        return tuple(_interleaved(plan.nonce, runs))
    blocks = _by(runs, "block")
    return tuple(run for name in sorted(blocks, key=lambda name: _drawn(plan.nonce, name)) for run in blocks[name])


def _drawn(nonce: str, name: str) -> str:
    return sha256_of(f"{nonce}:{name}".encode())


def _by(runs: Iterable[PlannedRun], label: str) -> Mapping[str, list[PlannedRun]]:
    found: dict[str, list[PlannedRun]] = defaultdict(list)
    for run in runs:
        found[getattr(run, label)].append(run)
    return found


def _interleaved(nonce: str, runs: Iterable[PlannedRun]) -> Iterator[PlannedRun]:
    """Rounds of one run of each arm, each round in an order of its own."""
    for round_of_arms in zip_longest(*_by(runs, "arm").values()):
        yield from sorted((run for run in round_of_arms if run), key=lambda run: _drawn(nonce, run.run))


def _job(nonce: str, at: int, run: PlannedRun) -> dict[str, object]:
    return {"order": at, "plan": nonce, "run": run.run, "arm": run.arm, "block": run.block, "placement": run.placement}


def _script(nonce: str, runs: Iterable[PlannedRun], command: str) -> Iterator[str]:
    """A shell script: every run is tried, and the exit status is 1 when one of them failed."""
    yield "#!/bin/sh"
    yield "failed=0"
    for run in runs:
        said = {"{run}": run.run, "{arm}": run.arm, "{block}": run.block}
        line = command
        for name, value in said.items():
            line = line.replace(name, shlex.quote(value))
        labels = shlex.join([f"--plan={nonce}", f"--run={run.run}", f"--arm={run.arm}", f"--block={run.block}"])
        yield f"countersign run {labels} -- {line} || failed=1"
    yield "exit $failed"
