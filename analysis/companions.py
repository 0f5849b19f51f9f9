"""Files beside the result of a run: logs of power, logs of its server, and what was captured when it ran."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from analysis.measurements import FileRun, Setting, SettingSource
from analysis.reading import Reading
from analysis.table import Table

Role = Literal["power", "settings", ""]
Fact = tuple[str, SettingSource]
"""A value, and where it comes from."""

POWER_LOGS: Final = frozenset({"mlperf-power", "nvidia-smi", "nvidia-smi-dmon", "dcgmi-dmon", "rocm-smi"})
CAPTURE: Final = "capture"
SERVER_LOGS: Final = frozenset({"vllm-server-log"})
SAMPLED: Final = frozenset({"power", "energy_counter"})
TELEMETRY: Final = "aiperf"
OF_SERVER: Final[Mapping[str, str]] = {"seed": "server_seed"}
"""What a server names as its clients do, and means otherwise."""


@dataclass(frozen=True, slots=True)
class Companion:
    """A file beside the result of a run.

    run: the part of the file that counts, by its key; "" for all of it. clock: as somebody states it, "" for nothing.
    """

    name: str
    artifact: str
    reading: Reading
    run: str = ""
    clock: str = ""

    def source_of(self, setting: Setting) -> str:
        """Where one of its settings comes from, in words."""
        return setting.source if self.reading.format == CAPTURE else f"server log {self.name}"

    def settings(self) -> Iterator[Setting]:
        """What it states of the run's configuration, under the names by which results state it."""
        if role_of(self.reading) != "settings":
            return
        for setting in self.reading.settings:
            if setting.role == "configuration" and self.run in ("", setting.run):
                yield setting if self.reading.format == CAPTURE else _of_server(setting)


def _of_server(setting: Setting) -> Setting:
    name = OF_SERVER.get(setting.name, setting.name)
    return Setting(setting.run, name, setting.value, setting.unit, setting.role, setting.source, setting.where)


def role_of(reading: Reading) -> Role:
    """What a file is beside a result: samples of power, settings, or "" for a result itself."""
    if reading.format in POWER_LOGS:
        return "power"
    if reading.format in SERVER_LOGS or reading.format == CAPTURE:
        return "settings"
    sampled = reading.measurements.distinct("metric")
    return "power" if reading.format == TELEMETRY and sampled and SAMPLED.issuperset(sampled) else ""


def captured(name: str, artifact: str, facts: Mapping[str, Fact]) -> Companion:
    """What was captured of a run, or typed for it, as a companion. facts: by the name of the setting."""
    run = FileRun("0", "completed", "", None, None, None, None, name)
    said = tuple(
        Setting("0", fact, value, "", "configuration", source, name) for fact, (value, source) in sorted(facts.items())
    )
    return Companion(name, artifact, Reading(CAPTURE, 1, (run,), Table.of(()), said, (), ()))
