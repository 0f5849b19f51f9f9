"""Planned runs for a cluster: one array per placement, whose runs go one after the other, in the order that was drawn.

Slurm: a shell script that submits the arrays. Kubernetes: a Job of indexed completions each, as YAML. A run that fails
ends no other.
"""

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from reviews.digests import sha256_of
from reviews.plan_content import PlannedRun

NAME_LETTERS: Final = 8
SHELL: Final = "/bin/sh"
MOUNT: Final = "/results"


@dataclass(frozen=True, slots=True)
class Pod:
    """What a run needs in Kubernetes: an image with the benchmark and countersign in it, a claim that its results are
    written to, and so many GPUs."""

    image: str
    claim: str
    gpus: int


def command_of(nonce: str, run: PlannedRun, command: str) -> str:
    """The line that makes one run: {run}, {arm} and {block} are filled in, quoted for the shell."""
    for name, value in (("{run}", run.run), ("{arm}", run.arm), ("{block}", run.block)):
        command = command.replace(name, shlex.quote(value))
    labels = shlex.join([f"--plan={nonce}", f"--run={run.run}", f"--arm={run.arm}", f"--block={run.block}"])
    return f"countersign run {labels} -- {command}"


def slurm(nonce: str, runs: Sequence[PlannedRun], command: str) -> str:
    """A shell script that submits one array for each placement."""
    lines = ["#!/bin/sh", "# The runs of a plan, one after the other on each placement.", "set -eu"]
    for number, (placement, there) in enumerate(_by_placement(runs).items(), 1):
        array = "\n".join(_array(nonce, number, placement, there, command))
        end = f"END_{sha256_of(array.encode())[:NAME_LETTERS]}"
        lines += [f"sbatch <<'{end}'", array, end]
    return "\n".join(lines)


def _array(nonce: str, number: int, placement: str, runs: Sequence[PlannedRun], command: str) -> Iterator[str]:
    yield f"#!{SHELL}"
    yield f"#SBATCH --job-name={_name(nonce, number)}"
    yield f"#SBATCH --array=1-{len(runs)}%1"
    if placement:
        yield f"#SBATCH --nodelist={_node(placement)}"
    yield from _cases("$SLURM_ARRAY_TASK_ID", 1, nonce, runs, command)


def kubernetes(nonce: str, runs: Sequence[PlannedRun], command: str, pod: Pod) -> str:
    """One Job for each placement, as the documents of a YAML file."""
    jobs = [
        _job(nonce, number, placement, there, (command, pod))
        for number, (placement, there) in enumerate(_by_placement(runs).items(), 1)
    ]
    return str(yaml.safe_dump_all(jobs, sort_keys=False, width=10_000)).rstrip("\n")


def _job(
    nonce: str, number: int, placement: str, runs: Sequence[PlannedRun], wanted: tuple[str, Pod]
) -> Mapping[str, Any]:
    command, pod = wanted
    script = "\n".join(_cases("$JOB_COMPLETION_INDEX", 0, nonce, runs, command))
    container: dict[str, Any] = {
        "name": "run",
        "image": pod.image,
        "workingDir": MOUNT,
        "command": [SHELL, "-c", script],
        "volumeMounts": [{"name": "results", "mountPath": MOUNT}],
    }
    if pod.gpus:
        container["resources"] = {"limits": {"nvidia.com/gpu": pod.gpus}}
    spec: dict[str, Any] = {
        "restartPolicy": "Never",
        "containers": [container],
        "volumes": [{"name": "results", "persistentVolumeClaim": {"claimName": pod.claim}}],
    }
    if placement:
        spec["nodeSelector"] = {"kubernetes.io/hostname": _node(placement)}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": _name(nonce, number),
            "annotations": {"countersign/plan": nonce, "countersign/runs": ",".join(run.run for run in runs)},
        },
        "spec": {
            "completions": len(runs),
            "parallelism": 1,
            "completionMode": "Indexed",
            "backoffLimitPerIndex": 0,
            "template": {"spec": spec},
        },
    }


def _cases(index: str, first: int, nonce: str, runs: Sequence[PlannedRun], command: str) -> Iterator[str]:
    """The run of each index; the exit status is that of the run."""
    yield f'case "{index}" in'
    for number, run in enumerate(runs, first):
        yield f"{number}) {command_of(nonce, run, command)} ;;"
    yield "esac"


def _by_placement(runs: Sequence[PlannedRun]) -> Mapping[str, list[PlannedRun]]:
    found: dict[str, list[PlannedRun]] = defaultdict(list)
    for run in runs:
        found[run.placement].append(run)
    return found


def _node(placement: str) -> str:
    """The host of a placement: its first word, as a capture writes it before the devices."""
    return placement.split()[0]


def _name(nonce: str, number: int) -> str:
    """A name that both kinds of cluster take, whatever the nonce is made of."""
    return f"countersign-{sha256_of(nonce.encode())[:NAME_LETTERS]}-{number}"
