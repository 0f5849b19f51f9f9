"""`countersign run`: a benchmark run as a child, and beside its results what its files will not say.

The exit code is that of the command. Nothing is written to standard output, and nothing changes its streams.
"""

import re
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from config import env
from reviews.capture import child, machine, results
from reviews.capture.child import Ended
from reviews.capture.machine import Accelerators, Software
from reviews.capture.record import ENDING, Capture, to_bytes
from reviews.capture.results import MOST_FILES, Snapshot
from reviews.capture.secrets import masked
from reviews.cli.command import Command, UsageError, complain
from reviews.cli.registered import registered
from reviews.errors import BadInput, Refusal
from reviews.plan_content import PlannedRun
from reviews.vocabulary import Arm

NOT_FOUND: Final = 127
NOT_EXECUTABLE: Final = 126
CODES: Final = {"command_not_found": NOT_FOUND, "command_not_executable": NOT_EXECUTABLE}
NO_NAME: Final = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Started:
    """What is known before the command starts."""

    planned: PlannedRun
    nonce: str
    places: tuple[Path, ...]
    out: Path
    before: Snapshot
    accelerators: Accelerators
    software: Software
    at: str


def arguments(parser: ArgumentParser) -> None:
    """The plan and the run of it, where the results will be, and the command."""
    parser.add_argument("--plan", required=True, metavar="P", help="nonce of the plan, or the file of a registered one")
    parser.add_argument("--run", default="", metavar="ID", help="the run, as the plan names it")
    parser.add_argument("--arm", default="", choices=("", *Arm.values), metavar="ARM", help="baseline or candidate")
    parser.add_argument("--block", default="", help="block of the run")
    parser.add_argument(
        "--results", action="append", metavar="PATH", help="a file or folder of results (default: the current folder)"
    )
    parser.add_argument("--out", default="", metavar="FILE", help=f"the capture, FILE{ENDING}; else beside the results")
    parser.add_argument("--image", default="", metavar="DIGEST", help="digest of the image that runs")
    parser.add_argument("--weights", default="", metavar="DIGEST", help="digest of the weights that are served")
    parser.add_argument("child", nargs="+", metavar="COMMAND", help="the command, after --")


def run(options: Namespace) -> int:
    """The exit code of the command; 127 and 126 when there is none to run.

    Raises:
        UsageError: a nonce without a run. BadInput: a plan that is none, or does not list the run.
        Refusal: the capture cannot be written where it should stand; the command is not started then.
    """
    started = _start(options)
    added = {"COUNTERSIGN_PLAN": started.nonce, "COUNTERSIGN_RUN": started.planned.run}
    try:
        ended = child.run(options.child, env.of_child(**added))
    except Refusal as refused:
        started.out.unlink()
        complain(f"{refused.message} {refused.needs} [{refused.code}]")
        return CODES[refused.code]
    _finish(options, started, ended, _now())
    return ended.exit_code


def _start(options: Namespace) -> Started:
    nonce, planned = _planned(options)
    places = tuple(Path(place) for place in options.results or ["."])
    out = _out(options.out, places[0], planned.run)
    accelerators, software = machine.accelerators(), machine.software(options.child)
    return Started(planned, nonce, places, out, results.snapshot(places), accelerators, software, _now())


def _finish(options: Namespace, started: Started, ended: Ended, ended_at: str) -> None:
    """The capture, written. What is said comes before the digests: standard error may be a file of the results."""
    after = machine.accelerators()
    written = results.changed(started.before, results.snapshot(started.places))
    not_seen = [*started.accelerators.not_seen, *started.software.not_seen]
    if len(written) > MOST_FILES:
        not_seen.append(f"{len(written)} files were written; the first {MOST_FILES} are listed.")
    if not written:
        not_seen.append("The command wrote no file where its results were expected.")
    end = f"was ended by {ended.signal}" if ended.signal else f"ended with {ended.exit_code}"
    complain(f"countersign: run {started.planned.run} {end}; {len(written)} file(s) are described in {started.out}.")
    for sentence in not_seen:
        complain(f"countersign: {sentence}")
    shared = {*machine.sharing_of(started.accelerators.devices), *machine.sharing_of(after.devices)}
    capture = Capture(
        started_at=started.at,
        ended_at=ended_at,
        plan=started.nonce,
        run=started.planned.run,
        arm=started.planned.arm,
        block=started.planned.block,
        command=masked(options.child),
        exit_code=ended.exit_code,
        signal=ended.signal,
        host=machine.host(),
        system=machine.system(),
        driver=started.accelerators.driver,
        devices=started.accelerators.devices,
        devices_after=after.devices,
        sharing=tuple(sorted(shared)),
        packages=started.software.packages,
        commit=started.software.commit,
        changed=started.software.changed,
        job=machine.job(),
        image=options.image,
        weights=options.weights,
        files=tuple(results.described(written[:MOST_FILES], started.out.parent)),
        not_seen=tuple(not_seen),
    )
    started.out.write_bytes(to_bytes(capture))


def _planned(options: Namespace) -> tuple[str, PlannedRun]:
    """The nonce, and the run with its labels: of the plan where its file is given, else of the options."""
    place, said = Path(options.plan), PlannedRun(run=options.run, arm=options.arm, block=options.block, placement="")
    if not place.is_file():
        if not options.run:
            raise UsageError("A plan by its nonce needs --run: the run, as the plan names it.")
        return options.plan, said
    plan = registered(place)
    nonce, listed = plan.nonce, plan.runs
    if not listed and options.run:
        return nonce, said
    for one in listed:
        if one.run == options.run:
            return nonce, one
    raise BadInput(
        f"The plan lists no run {options.run}." if options.run else "The plan has several runs.",
        needs=f"Say with --run which one this is: {', '.join(one.run for one in listed[:20]) or 'any name'}.",
        code="no_such_run",
        where="run",
    )


def _out(said: str, place: Path, run_id: str) -> Path:
    """The file of the capture, made now, so that a run is not lost to a folder where nothing can be written."""
    folder = place if place.is_dir() else place.parent
    path = Path(said if said.endswith(ENDING) else f"{said}{ENDING}") if said else folder / f"{_name(run_id)}{ENDING}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(exist_ok=False)
    except OSError as error:
        raise Refusal(
            f"The capture {path} cannot be made: {error.strerror}.",
            needs="Nothing was run. Take away the capture of an earlier try, or name another file with --out.",
            code="capture_not_written",
        ) from error
    return path


def _name(run_id: str) -> str:
    return NO_NAME.sub("-", run_id).strip("-.") or "run"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


COMMAND = Command("run", "run a benchmark and capture what its files will not say", arguments, run)
