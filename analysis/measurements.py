"""What a parser reads from a file: runs, measurements and settings, in base units, each with its place.

Base units: "s", "1/s", "J", "W", "1", "B". The value and unit as written are kept beside them. The three
tables are joined on `run`, the key of a run inside its file.
"""

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["raw", "aggregate"]
Phase = Literal["warmup", "measured", "ranging", "idle"]
Status = Literal["completed", "failed", "partial"]
SettingSource = Literal[
    "file field", "file name", "directory name", "command line inside file", "typed by user", "captured"
]
SettingRole = Literal["configuration", "work", "identity"]

BASE_UNITS: Final = ("s", "1/s", "J", "W", "1", "B")


@dataclass(frozen=True, slots=True)
class FileRun:
    """One run found in a file.

    key: unique inside the file, for example "0" or "results[1]".
    status: what became of it; a failed run has `reason` and no usable measurement.
    started_ns, ended_ns: epoch nanoseconds when the file tells them, else None.
    attempted, failed: requests tried and failed in it, or None when the file does not say.
    """

    key: str
    status: Status
    reason: str
    started_ns: int | None
    ended_ns: int | None
    attempted: int | None
    failed: int | None
    where: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """One number of a file.

    metric: canonical name, for example "ttft", "output_throughput", "wall_time".
    value: in `unit`, finite; None means "not measured", and then `reason` says why.
    kind: "raw" is one request, step or repetition; "aggregate" was computed by the tool.
    stat: "value", "mean", "median", "std", "min", "max", "total", "rate" or "pNN" ("p99", "p99.9").
    n: number of samples behind an aggregate, None when the file does not say.
    index: position of the request or step in its run.
    started_ns: start in nanoseconds on the clock of the file, else None.
    stage: stage of the dependency path, "" when there is none.
    original, original_unit: as written.
    item, subject: of a quality evaluation: what was scored, and the family that it belongs to; "" when there is none.
    """

    run: str
    metric: str
    value: float | None
    unit: str
    where: str
    kind: Kind
    stat: str
    n: int | None
    phase: Phase
    index: int | None
    started_ns: int | None
    stage: str
    original: str
    original_unit: str
    reason: str
    item: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that a run states about itself.

    role: "configuration" (how it was run), "work" (what it did: tokens, requests, steps; `value` is a
        decimal number) or "identity" (who and when: never compared).
    value: as text, exactly as the file has it (numbers without reformatting).
    """

    run: str
    name: str
    value: str
    unit: str
    role: SettingRole
    source: SettingSource
    where: str
