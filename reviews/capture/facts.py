"""What was captured of a run and counts as a setting of it: sharing, driver, image, clocks, power cap."""

from collections.abc import Mapping
from typing import Final

from analysis.companions import Companion, Fact, captured
from analysis.measurements import SettingSource

SETTINGS: Final = ("sharing", "driver", "image", "weights", "clocks", "power_limit", "ecc")
SOURCES: Final[Mapping[str, SettingSource]] = {
    "capture": "captured", "typed": "typed by user", "file": "file field",
}  # fmt: skip


def beside(name: str, artifact: str, provenance: Mapping[str, Mapping[str, str]]) -> tuple[Companion, ...]:
    """The settings that the provenance of a file states, as a companion of its runs; none when it states none."""
    facts: dict[str, Fact] = {
        setting: (said["value"], SOURCES[said["source"]])
        for setting in SETTINGS
        if (said := provenance.get(setting)) is not None
    }
    return (captured(f"what was captured of {name}", artifact, facts),) if facts else ()
