"""Evidence files for the commands that work without a server."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analysis import evidence
from analysis.assess import LabelledRun
from analysis.evidence.format import Document
from analysis.evidence.stored import Stored
from analysis.evidence.watch import Watch
from analysis.inputs import Arm
from analysis.measurements import FileRun
from analysis.reading import Reading
from reviews.capture.record import Capture
from reviews.cli.captured import Captured, is_capture
from reviews.cli.command import UsageError
from reviews.digests import digest_of
from reviews.label_patterns import labels_in

HELD_BYTES: Final = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file that was read: its path as given, its digest, what stands in it, and the capture of its run, if any."""

    path: str
    sha256: str
    reading: Reading
    capture: Capture | None


def documents(paths: Iterable[str], watched: Callable[[], Watch] = Watch) -> Iterator[Document]:
    """The files; a folder stands for the files in it. watched: makes the watch of each.

    Raises:
        UsageError: a path that is nothing.
    """
    for place in places(paths):
        yield _document(place, watched())


def places(paths: Iterable[str]) -> Iterator[Path]:
    """Where the files are. Raises UsageError for a path that is nothing."""
    for path in paths:
        place = Path(path)
        if place.is_dir():
            yield from sorted(p for p in place.rglob("*") if p.is_file())
        elif place.is_file():
            yield place
        else:
            raise UsageError(f"There is no file {path}.")


def _document(place: Path, watch: Watch) -> Document:
    """The file: in memory when it is small, else where it stands."""
    if place.stat().st_size <= HELD_BYTES:
        return Document(place.read_bytes(), str(place), watch)
    return Document(Stored(place.open("rb"), str(place)), str(place), watch)


def read(paths: Iterable[str], format_name: str | None) -> tuple[EvidenceFile, ...]:
    """The files, read; captures among them and beside them are no files of their own.

    Raises:
        UnknownFormat, MalformedEvidence: a file that cannot be read. BadInput: a capture that is none.
    """
    captured = Captured()
    return tuple(
        _read(document, format_name, captured) for document in documents(paths) if not is_capture(document.name)
    )


def _read(document: Document, format_name: str | None, captured: Captured) -> EvidenceFile:
    place, reading = Path(document.name), evidence.read(document, format_name)
    captured.look_beside(place)
    digest = digest_of(document)
    return EvidenceFile(document.name, digest, reading, captured.of(place, digest))


def labels_of(path: str, pattern: str | None) -> Mapping[str, str]:
    """What the end of a path says by a pattern such as "{placement}/b{block}-*.json"; nothing without one.

    Raises:
        BadInput: a pattern that is none, or a path that does not fit it.
    """
    if not pattern:
        return {}
    tail = Path(path).parts[-(pattern.count("/") + 1) :]
    return {name: value or "" for name, value in labels_in(pattern, "/".join(tail)).items()}


def labelled(
    files: Iterable[EvidenceFile], arm: Arm, pattern: str | None, only: Mapping[str, str]
) -> Iterator[LabelledRun]:
    """The runs of an arm, labelled by their paths; `only` keeps those that state these settings."""
    for file in files:
        said = labels_of(file.path, pattern)
        for run in file.reading.runs:
            stated = {s.name: s.value for s in file.reading.settings_of(run.key)}
            if any(stated.get(name) != value for name, value in only.items()):
                continue
            placement, verified = _placement(stated, said, file.capture)
            yield LabelledRun(
                run=run,
                reading=file.reading,
                artifact=file.sha256,
                label=_label(file, run),
                arm=arm,
                block=said.get("block") or (file.capture.block if file.capture else ""),
                placement=placement,
                placement_verified=verified,
                excluded="",
            )


def _label(file: EvidenceFile, run: FileRun) -> str:
    return file.path if len(file.reading.runs) == 1 else f"{file.path}#{run.key}"


def _placement(stated: Mapping[str, str], said: Mapping[str, str], capture: Capture | None) -> tuple[str, bool]:
    """The host that the file records or that was captured, which counts as verified; else what the path says."""
    host = stated.get("host", "") or (capture.host if capture else "")
    return (host, True) if host else (said.get("placement", ""), False)
