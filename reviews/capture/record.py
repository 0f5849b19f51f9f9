"""The shape of a capture: what stands in a file `*.countersign.json` beside the results of a run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from reviews.errors import BadInput

Provenance = Mapping[str, Mapping[str, str]]
NAMES: Final = (
    "tool", "version", "host", "command", "commit", "started_at", "ended_at", "plan", "run", "devices", "sharing",
    "driver", "power_limit", "ecc", "clocks", "image", "weights", "job", "texts_dropped",
)  # fmt: skip
"""The parts of a provenance, each with its value and its source."""
KIND: Final = "capture/1"
ENDING: Final = ".countersign.json"
SET_CLOCKS: Final = ("sm_set", "memory_set", "sm_max", "memory_max")


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """An accelerator as its tool tells it: texts with their units, "" for what the tool does not say.

    partition: how it is divided (MIG), "" when it is whole. processes: ids of processes that compute on it.
    served: a process of MPS is among them, or clients of it.
    """

    uuid: str
    name: str = ""
    power_limit: str = ""
    clocks: Mapping[str, str] = field(default_factory=dict)
    ecc: str = ""
    partition: str = ""
    compute_mode: str = ""
    processes: tuple[int, ...] = ()
    served: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedFile:
    """A file that was written or changed while the command ran. path: from the folder of the capture."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One run of a command. Texts are "" where nothing is known; `not_seen` says of what, and why.

    plan: its nonce; run, arm, block: as planned. command: its words, secrets masked. times: ISO 8601 in UTC.
    exit_code: of the command, 128 and the number of the signal when one ended it; signal: its name, or "".
    devices: those that the command could use, before it; devices_after: the same, after it.
    sharing: "MIG", "MPS", "other processes"; none when none of these was seen.
    image, weights: digests as somebody stated them. changed: the working tree differs from the commit.
    """

    countersign: str = KIND
    plan: str
    run: str
    started_at: str
    ended_at: str
    command: tuple[str, ...]
    exit_code: int
    host: str
    arm: str = ""
    block: str = ""
    signal: str = ""
    system: str = ""
    driver: str = ""
    devices: tuple[Device, ...] = ()
    devices_after: tuple[Device, ...] = ()
    sharing: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    commit: str = ""
    changed: bool = False
    job: str = ""
    image: str = ""
    weights: str = ""
    files: tuple[CapturedFile, ...] = ()
    not_seen: tuple[str, ...] = ()

    @property
    def placement(self) -> str:
        """The host and its sorted set of devices."""
        return " ".join([self.host, *sorted(device.uuid for device in self.devices)])


def to_bytes(capture: Capture) -> bytes:
    """The file of a capture."""
    return msgspec.json.format(msgspec.json.encode(capture), indent=2) + b"\n"


def from_bytes(content: bytes, where: str) -> Capture:
    """A capture from its file. Raises BadInput(bad_capture) naming what does not fit."""
    try:
        found = msgspec.json.decode(content, type=Capture)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _bad(where, str(error)) from error
    if found.countersign != KIND:
        raise _bad(where, f'it says "countersign": "{found.countersign[:40]}", and "{KIND}" is read')
    return found


def provenance(capture: Capture) -> Provenance:
    """What the capture says of where a file comes from; the digests that somebody stated are typed."""
    seen = {
        "tool": capture.command[0] if capture.command else "",
        "host": capture.host,
        "command": " ".join(capture.command),
        "commit": f"{capture.commit}, with changes" if capture.commit and capture.changed else capture.commit,
        "started_at": capture.started_at,
        "ended_at": capture.ended_at,
        "plan": capture.plan,
        "run": capture.run,
        "devices": ", ".join(sorted(device.uuid for device in capture.devices)),
        "sharing": ", ".join(capture.sharing) or ("none seen" if capture.devices else ""),
        "driver": capture.driver,
        "power_limit": _of_all(device.power_limit for device in capture.devices),
        "ecc": _of_all(device.ecc for device in capture.devices),
        "clocks": _of_all(_clocks(device) for device in capture.devices),
        "job": capture.job,
    }
    typed = {"image": capture.image, "weights": capture.weights}
    return {
        name: {"value": value, "source": source}
        for said, source in ((seen, "capture"), (typed, "typed"))
        for name, value in said.items()
        if value
    }


def _clocks(device: Device) -> str:
    """The clocks that were set and that are the greatest; what they are at a moment is no setting."""
    return "; ".join(f"{name} {device.clocks[name]}" for name in SET_CLOCKS if device.clocks.get(name))


def _of_all(values: Iterable[str]) -> str:
    return ", ".join(sorted({value for value in values if value}))


def _bad(where: str, said: str) -> BadInput:
    return BadInput(
        f"{where} is no capture: {said}.",
        needs="Leave it as `countersign run` wrote it, or take it away from the results.",
        code="bad_capture",
        where=where,
    )
