"""The runs of a registered plan as jobs, in an order that nobody chose: randomised by the nonce, arms interleaved."""

import re
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Final

from reviews.cli.command import UsageError, write, write_json
from reviews.cli.emit_cluster import Pod, command_of, kubernetes, slurm
from reviews.cli.registered import Registered, registered
from reviews.digests import sha256_of
from reviews.errors import BadInput
from reviews.plan_content import PlannedRun

KINDS: Final = ("json", "shell", "github", "slurm", "k8s")
HOST: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
NEED_COMMAND: Final = ("shell", "slurm", "k8s")


def emit(options: Namespace) -> None:
    """Prints the jobs. Raises UsageError without a plan or a command; BadInput for no plan, or one without runs."""
    _check(options)
    plan = registered(Path(options.registered))
    if not plan.runs:
        raise BadInput(
            "The plan lists no runs.",
            needs="Register one that names its runs, arms and blocks.",
            code="no_planned_runs",
        )
    runs = ordered(plan)
    match options.emit:
        case "shell":
            write("\n".join(_script(plan.nonce, runs, options.child)))
        case "slurm":
            write(slurm(plan.nonce, _placed(runs), options.child))
        case "k8s":
            pod = Pod(options.image, options.claim, options.gpus)
            write(kubernetes(plan.nonce, _placed(runs), options.child, pod))
        case _:
            jobs = [_job(plan.nonce, at, run, options.child) for at, run in enumerate(runs, 1)]
            write_json({"include": jobs} if options.emit == "github" else jobs)


def _check(options: Namespace) -> None:
    """Nothing, when the options fit together. Raises UsageError."""
    if not options.registered or (options.emit in NEED_COMMAND and not options.child):
        raise UsageError("--emit needs --registered FILE; shell, slurm and k8s also the --command of a run.")
    in_pods = bool(options.image and options.claim)
    if in_pods != (options.emit == "k8s") or (options.gpus and not in_pods):
        raise UsageError("--emit k8s needs --image and --claim, where the results are written; the others take none.")
    if options.gpus < 0:
        raise UsageError("--gpus is a number of at least 0.")


def _placed(runs: tuple[PlannedRun, ...]) -> tuple[PlannedRun, ...]:
    """The runs. Raises BadInput(bad_placement) where one names no host that a cluster knows."""
    for run in runs:
        if run.placement and not HOST.fullmatch(run.placement.split()[0] if run.placement.split() else ""):
            raise BadInput(
                f"The placement of {run.run} does not begin with the name of a host.",
                needs="Name the host first, then its devices, or leave the placement out of the plan.",
                code="bad_placement",
                where=run.run,
            )
    return runs


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


def _job(nonce: str, at: int, run: PlannedRun, command: str | None) -> dict[str, object]:
    said = {"order": at, "plan": nonce, "run": run.run, "arm": run.arm, "block": run.block, "placement": run.placement}
    return {**said, "command": command_of(nonce, run, command)} if command else said


def _script(nonce: str, runs: Iterable[PlannedRun], command: str) -> Iterator[str]:
    """A shell script: every run is tried, and the exit status is 1 when one of them failed."""
    yield "#!/bin/sh"
    yield "failed=0"
    for run in runs:
        yield f"{command_of(nonce, run, command)} || failed=1"
    yield "exit $failed"
