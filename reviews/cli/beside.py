"""Logs beside the results that `countersign compare` reads: of power, of the server, and what was captured.

A log belongs to the results in its folder and in the folders below, as far as the labels of a pattern agree; one that
`--log` names belongs to the results that it says, or to all.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, Literal

from analysis.assess import LabelledRun
from analysis.clocks import clock_of_rows, stated_clock
from analysis.companions import Companion, role_of
from analysis.errors import Refused
from analysis.inputs import Arm
from analysis.run_windows import lacks_zone
from reviews.capture import facts
from reviews.capture.record import provenance
from reviews.cli.command import UsageError
from reviews.cli.files import EvidenceFile, labelled, labels_of, read
from reviews.errors import BadInput

LABELS: Final = ("arm", "run", "block", "placement")
ALL: Final = "*"


@dataclass(frozen=True, slots=True)
class Log:
    """A file beside results. of: a pattern of their paths, which `--log` gave; "" for those of its folder."""

    file: EvidenceFile
    of: str


def arguments(parser: ArgumentParser) -> None:
    """Which log belongs to which result, and what is known of their clocks."""
    logs = parser.add_argument_group("logs of power, and of servers, beside the results")
    logs.add_argument(
        "--log",
        action="append",
        default=[],
        metavar="[RESULT=]FILE",
        help="a log of these results (a path, or a pattern), or of all; without it, of those in its folder and below",
    )
    logs.add_argument(
        "--zone",
        action="append",
        default=[],
        metavar="[FILE=]ZONE",
        help="zone of the wall clock of a file, +01:00 or UTC; without FILE, of all files that lack one",
    )
    logs.add_argument(
        "--offset",
        action="append",
        default=[],
        metavar="[LOG=]SECONDS",
        help="seconds to add to the times of a log to get those of its run",
    )


def runs(options: Namespace, only: Mapping[str, str]) -> tuple[LabelledRun, ...]:
    """The runs of both arms, each with the files beside it.

    Raises:
        UsageError: a log beside no result, a clock that is none; what `read` and `labelled` raise.
    """
    clocks = tuple(_clocks(options))
    named = [log for said in options.log for log in _named(said, options.format)]
    arms: tuple[tuple[Arm, list[str]], ...] = (("baseline", options.baseline), ("candidate", options.candidate))
    found, used = list[LabelledRun](), set[str]()
    for arm, paths in arms:
        files = read(paths, options.format)
        results = [file for file in files if not role_of(file.reading)]
        if not results:
            found += labelled(files, arm, options.pattern, only)
            continue
        taken = {log.file.sha256 for log in named}
        here = [Log(file, "") for file in files if role_of(file.reading) and file.sha256 not in taken]
        for file in results:
            logs = [log for log in (*named, *here) if _belongs(log, file, options.pattern)]
            used |= {log.file.path for log in logs}
            beside = (*(_companion(log.file, clocks) for log in logs), *_captured(file))
            for run in labelled([file], arm, options.pattern, only):
                found.append(replace(run, companions=beside, clock=_zone_of(run, file.path, clocks)))
        _require_used(here, used)
    _require_used(named, used)
    return tuple(found)


def _named(said: str, format_name: str | None) -> Iterator[Log]:
    """The logs of one `--log`: a whole path, or RESULT=FILE."""
    of, sign, path = ("", "", said) if Path(said).exists() else said.rpartition("=")
    for file in read([path], format_name):
        if not role_of(file.reading):
            raise UsageError(f"{file.path} is read as {file.reading.format}, which is no log of power or of a server.")
        yield Log(file, of if sign else ALL)


def _belongs(log: Log, result: EvidenceFile, pattern: str | None) -> bool:
    if log.of:
        return fnmatch(result.path, log.of)
    folder = Path(log.file.path).resolve().parent
    if not Path(result.path).resolve().is_relative_to(folder):
        return False
    ours, theirs = _labels(log.file.path, pattern), _labels(result.path, pattern)
    return all(ours.get(name, "") in ("", theirs.get(name, "")) for name in LABELS)


def _labels(path: str, pattern: str | None) -> Mapping[str, str]:
    """The labels of a path; a log that does not fit the pattern has none."""
    try:
        return labels_of(path, pattern)
    except BadInput as refused:
        if refused.code != "name_does_not_fit":
            raise
        return {}


def _captured(file: EvidenceFile) -> tuple[Companion, ...]:
    return facts.beside(file.path, file.sha256, provenance(file.capture)) if file.capture else ()


def _require_used(logs: list[Log], used: set[str]) -> None:
    for log in logs:
        if log.file.path not in used:
            where = f"no result fits {log.of}" if log.of else "there is no result in its folder or below"
            raise UsageError(
                f"{log.file.path} is a log beside nothing: {where}. Say of which results: --log RESULT={log.file.path}."
            )


@dataclass(frozen=True, slots=True)
class _Clock:
    """What one option states. of: a pattern of paths; ALL without a file: then only of files that lack a zone."""

    of: str
    text: str
    kind: Literal["zone", "offset"]
    every: bool

    def speaks_of(self, path: str, *, lacks: bool) -> bool:
        return lacks if self.every else fnmatch(path, self.of)


def _clocks(options: Namespace) -> Iterator[_Clock]:
    kinds: tuple[tuple[str, Literal["zone", "offset"]], ...] = (("--zone", "zone"), ("--offset", "offset"))
    for option, kind in kinds:
        for said in getattr(options, kind):
            of, sign, text = said.rpartition("=")
            try:
                stated = stated_clock(text)
            except Refused as refused:
                raise UsageError(f"{option} {said}: {refused.message} {refused.needs}") from refused
            if stated is None or stated.kind != kind:
                raise UsageError(f"{option} {said}: a zone is like +01:00, and an offset like +3600.")
            yield _Clock(of if sign else ALL, text, kind, every=not sign)


def _stated(path: str, clocks: tuple[_Clock, ...], *, lacks: bool) -> str:
    """What counts of a file: the last option that speaks of it."""
    said = [clock.text for clock in clocks if clock.speaks_of(path, lacks=lacks)]
    return said[-1] if said else ""


def _companion(file: EvidenceFile, clocks: tuple[_Clock, ...]) -> Companion:
    lacks = role_of(file.reading) == "power" and clock_of_rows(file.reading) != "epoch"
    return Companion(file.path, file.sha256, file.reading, "", _stated(file.path, clocks, lacks=lacks))


def _zone_of(run: LabelledRun, path: str, clocks: tuple[_Clock, ...]) -> str:
    """The zone of a result. An offset without a file is of logs, and leaves results as they are."""
    named = tuple(clock for clock in clocks if clock.kind == "zone" or not clock.every)
    return _stated(path, named, lacks=lacks_zone(run))
