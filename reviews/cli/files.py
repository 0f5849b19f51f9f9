"""Evidence files for the commands that work without a server."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analysis import evidence
from analysis.assess import LabelledRun
from analysis.evidence.format import Document
from analysis.inputs import Arm
from analysis.measurements import FileRun, Reading
from reviews.cli.command import UsageError
from reviews.digests import sha256_of

FIELDS: Final = ("arm", "block", "placement", "run")


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file that was read: its path as given, its digest, and what stands in it."""

    path: str
    sha256: str
    reading: Reading


def documents(paths: Iterable[str]) -> Iterator[Document]:
    """The files; a folder stands for the files in it. Raises UsageError for a path that is nothing."""
    for path in paths:
        place = Path(path)
        if place.is_dir():
            for inside in sorted(p for p in place.rglob("*") if p.is_file()):
                yield Document(inside.read_bytes(), str(inside))
        elif place.is_file():
            yield Document(place.read_bytes(), path)
        else:
            raise UsageError(f"There is no file {path}.")


def read(paths: Iterable[str], format_name: str | None) -> tuple[EvidenceFile, ...]:
    """The files, read. Raises UnknownFormat, MalformedEvidence."""
    return tuple(
        EvidenceFile(document.name, sha256_of(document.content), evidence.read(document, format_name))
        for document in documents(paths)
    )


def pattern_of(text: str) -> re.Pattern[str]:
    """A pattern such as "{arm}/{placement}/b{block}/run{run}.json" as an expression for the end of a path.

    Raises:
        UsageError: an unknown field, or one that stands twice.
    """
    parts, seen = re.split(r"\{(\w+)\}", text), []
    expression = ""
    for at, part in enumerate(parts):
        if at % 2 == 0:
            expression += re.escape(part)
            continue
        if part not in FIELDS or part in seen:
            raise UsageError(f"{{{part}}} is no field of a pattern, or stands twice: use {', '.join(FIELDS)}.")
        seen.append(part)
        expression += f"(?P<{part}>[^/]+?)"
    return re.compile(f"(?:^|/){expression}$")


def labels_of(path: str, pattern: re.Pattern[str] | None) -> Mapping[str, str]:
    """What a path says by the pattern; nothing without one. Raises UsageError for a path that does not fit."""
    if pattern is None:
        return {}
    found = pattern.search(path)
    if found is None:
        raise UsageError(f"{path} does not fit the pattern.")
    return {name: value or "" for name, value in found.groupdict().items()}


def labelled(
    files: Iterable[EvidenceFile], arm: Arm, pattern: re.Pattern[str] | None, only: Mapping[str, str]
) -> Iterator[LabelledRun]:
    """The runs of an arm, labelled by their paths; `only` keeps those that state these settings."""
    for file in files:
        said = labels_of(file.path, pattern)
        for run in file.reading.runs:
            stated = {s.name: s.value for s in file.reading.settings_of(run.key)}
            if any(stated.get(name) != value for name, value in only.items()):
                continue
            placement, verified = _placement(stated, said)
            yield LabelledRun(
                run=run,
                reading=file.reading,
                artifact=file.sha256,
                label=_label(file, run),
                arm=arm,
                block=said.get("block", ""),
                placement=placement,
                placement_verified=verified,
                excluded="",
            )


def _label(file: EvidenceFile, run: FileRun) -> str:
    return file.path if len(file.reading.runs) == 1 else f"{file.path}#{run.key}"


def _placement(stated: Mapping[str, str], said: Mapping[str, str]) -> tuple[str, bool]:
    """The host that the file records, which counts as verified; else what the path says."""
    host = stated.get("host", "")
    return (host, True) if host else (said.get("placement", ""), False)
