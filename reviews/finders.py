"""A staticfiles finder for files that installed packages carry outside of any static folder: plotly.js."""

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, overload

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage

PLOTLY: Final = "vendor/plotly.min.js"


def _plotly_folder() -> Path:
    """Where the installed plotly keeps its plotly.min.js; found without importing it."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("The package plotly is not installed; the charts of the pages come from it.")
    return Path(spec.origin).parent / "package_data"


class PackageFinder(BaseFinder):
    """Finds `vendor/plotly.min.js` in the installed plotly, so that page and package never differ in version."""

    @overload
    def find(self, path: str, find_all: Literal[False] = ...) -> str | None: ...
    @overload
    def find(self, path: str, find_all: Literal[True]) -> list[str]: ...
    def find(self, path: str, find_all: bool = False) -> str | list[str] | None:  # noqa: FBT001, FBT002 Django's own
        """The place of `path`, in a list when all are wanted; [] for another path, as Django's finders say it."""
        if path != PLOTLY:
            return []
        found = str(_plotly_folder() / "plotly.min.js")
        return [found] if find_all else found

    def list(self, _ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        storage = FileSystemStorage(location=_plotly_folder())
        storage.prefix = "vendor"  # type: ignore[attr-defined]
        yield "plotly.min.js", storage
