"""Which files stand beside which runs: by their labels, never by what stands in them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from analysis.companions import Companion
from analysis.inputs import LabelledRun


@dataclass(frozen=True, slots=True)
class Beside:
    """A file with the labels that it shares with its runs; "" is every arm, block, placement or run.

    run: key of the run in the file of its result, or a part of this file by its key.
    """

    companion: Companion
    arm: str = ""
    block: str = ""
    placement: str = ""
    run: str = ""

    @property
    def named(self) -> Companion:
        """The companion; only one part of it, when the label names one."""
        keys = {run.key for run in self.companion.reading.runs}
        return replace(self.companion, run=self.run) if self.run in keys else self.companion

    def fits(self, run: LabelledRun) -> bool:
        """Whether the run carries the labels of this file."""
        held = {one.key for one in self.companion.reading.runs}
        labels = ((self.arm, run.arm), (self.block, run.block), (self.placement, run.placement))
        return all(ours in ("", theirs) for ours, theirs in labels) and self.run in ("", run.run.key, *held)


def with_companions(
    runs: Iterable[LabelledRun], files: Sequence[Beside]
) -> tuple[tuple[LabelledRun, ...], tuple[Beside, ...]]:
    """The runs with the files beside them, in the order of their names; and the files that fit no run."""
    found, used = [], set[int]()
    for run in runs:
        fitting = [number for number, file in enumerate(files) if file.fits(run)]
        used.update(fitting)
        beside = sorted((files[number].named for number in fitting), key=lambda one: (one.name, one.artifact, one.run))
        found.append(replace(run, companions=(*run.companions, *beside)))
    return tuple(found), tuple(file for number, file in enumerate(files) if number not in used)
