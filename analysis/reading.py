"""All that was read from one file: its runs, what was measured in them, and what they state about themselves."""

from collections.abc import Iterator
from dataclasses import dataclass

from analysis.measurements import FileRun, Setting
from analysis.table import Table


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a parser read from one file.

    leniences: each departure from the strict format that was needed to read it, in words.
    notices: what a reader should know ("the percentiles are the tool's own"), in words.
    """

    format: str
    parser_version: int
    runs: tuple[FileRun, ...]
    measurements: Table
    settings: tuple[Setting, ...]
    leniences: tuple[str, ...]
    notices: tuple[str, ...]

    def of_run(self, key: str) -> Table:
        """The measurements of one run, in the order of the file."""
        return self.measurements.only(run=key)

    def settings_of(self, key: str) -> Iterator[Setting]:
        """The settings of one run, in the order of the file."""
        return (s for s in self.settings if s.run == key)
