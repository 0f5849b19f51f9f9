"""Captures among files and beside them, and which file each of them speaks of."""

from pathlib import Path

from analysis.evidence.format import Document
from reviews.capture.record import ENDING, Capture, from_bytes
from reviews.cli.command import complain


def is_capture(name: str) -> bool:
    """Whether a file of that name is a capture, and no evidence itself."""
    return name.endswith(ENDING)


class Captured:
    """The captures that were found. A file belongs to the one that names its bytes; a name alone counts for nothing."""

    def __init__(self) -> None:
        self._held: dict[Path, tuple[Document, Capture]] = {}
        self._used: set[Path] = set()
        self._looked_into: set[Path] = set()

    def take(self, document: Document) -> None:
        """A capture that somebody named: it is kept even when it speaks of no file. Raises BadInput(bad_capture)."""
        self._used.add(self._keep(document))

    def look_beside(self, path: Path) -> None:
        """The captures in the folder of a file and in the one above. Raises BadInput(bad_capture)."""
        folders = {path.parent, path.parent.parent} - self._looked_into
        self._looked_into |= folders
        for folder in folders:
            for place in sorted(folder.glob(f"*{ENDING}")):
                if place.resolve() not in self._held:
                    self._keep(Document(place.read_bytes(), str(place)))

    def of(self, path: Path, digest: str) -> Capture | None:
        """The capture that names the bytes of this digest; None without one, and when several that differ do."""
        named = {place for place, (_, held) in self._held.items() if digest in {file.sha256 for file in held.files}}
        self._used |= named
        found = [self._held[place][1] for place in sorted(named)]
        if not found:
            self._say_other_bytes(path)
            return None
        if len({(one.placement, one.plan, one.run) for one in found}) > 1:
            complain(f"{path} is named by several captures of different runs: none of them is taken for it.")
            return None
        return found[0]

    def used(self) -> list[Document]:
        """The captures that speak of a file that was asked for, and those that somebody named."""
        return [self._held[place][0] for place in sorted(self._used)]

    def _keep(self, document: Document) -> Path:
        place = Path(document.name).resolve()
        self._held[place] = (document, from_bytes(document.content, document.name))
        return place

    def _say_other_bytes(self, path: Path) -> None:
        for place, (document, held) in self._held.items():
            if path.resolve() in {(place.parent / file.path).resolve() for file in held.files}:
                complain(f"{path} has changed since {document.name} named it: nothing of it counts as captured.")
