"""What `nvidia-smi` says: the devices of `-q -x`, the MIG devices of `-L`, and which of them a command may use.

No process is started here: texts in, devices out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from xml.etree import ElementTree

from reviews.capture.record import Device

ABSENT: Final = frozenset({"", "N/A", "[N/A]", "Not Supported", "[Not Supported]", "None", "Unknown Error"})
CLOCKS: Final = (
    ("sm", "clocks/sm_clock"),
    ("memory", "clocks/mem_clock"),
    ("sm_set", "applications_clocks/graphics_clock"),
    ("memory_set", "applications_clocks/mem_clock"),
    ("sm_max", "max_clocks/sm_clock"),
    ("memory_max", "max_clocks/mem_clock"),
)
LIMITS: Final = (
    "gpu_power_readings/current_power_limit",
    "power_readings/enforced_power_limit",
    "power_readings/power_limit",
)
MPS: Final = "nvidia-cuda-mps-server"
LISTED_GPU: Final = re.compile(r"^GPU \d+: .*\(UUID: (GPU-[^)]+)\)")
LISTED_MIG: Final = re.compile(r"^\s+MIG (\S+)\s.*\(UUID: (MIG-[^)]+)\)")
NO_DEVICES: Final = ("", "-1", "NoDevFiles", "void", "none")


@dataclass(frozen=True, slots=True)
class Slice:
    """A MIG device: its own UUID, its size ("1g.18gb"), and the UUID of the device that it is a part of."""

    uuid: str
    size: str
    of: str


@dataclass(frozen=True, slots=True)
class Log:
    """What `nvidia-smi -q -x` says. devices: in the order of the PCI bus, as the tool lists them."""

    driver: str
    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class Usable:
    """The devices that a command may use, and what could not be told of them (sentences)."""

    devices: tuple[Device, ...]
    not_seen: tuple[str, ...] = ()


def read_log(text: str) -> Log | None:
    """The answer of `nvidia-smi -q -x`; None when it is none."""
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - the answer of this machine's own tool
    except ElementTree.ParseError:
        return None
    if root.tag != "nvidia_smi_log":
        return None
    driver, cuda = _said(root, "driver_version"), _said(root, "cuda_version")
    named = f"NVIDIA {driver}" + (f", CUDA {cuda}" if cuda else "") if driver else ""
    return Log(named, tuple(_device(gpu) for gpu in root.iter("gpu") if _said(gpu, "uuid")))


def read_list(text: str) -> tuple[Slice, ...]:
    """The MIG devices that `nvidia-smi -L` lists."""
    found, of = [], ""
    for line in text.splitlines():
        if gpu := LISTED_GPU.match(line):
            of = gpu[1]
        elif mig := LISTED_MIG.match(line):
            found.append(Slice(mig[2], mig[1], of))
    return tuple(found)


def usable(log: Log, slices: Sequence[Slice], *, visible: str | None, order: str) -> Usable:
    """The devices that CUDA shows to a command, by CUDA_VISIBLE_DEVICES (None: not set) and CUDA_DEVICE_ORDER."""
    if visible is None:
        return Usable(log.devices)
    if visible.strip() in NO_DEVICES:
        return Usable((), ("CUDA_VISIBLE_DEVICES shows no device to the command.",))
    words = [word.strip() for word in visible.split(",")]
    if any(word.isdecimal() for word in words) and not _counted_alike(log, order):
        needs = "Set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name the devices by UUID."
        return Usable((), (f"Devices differ, and CUDA may count them otherwise than nvidia-smi. {needs}",))
    found = list[Device]()
    for word in words:
        device = _named(word, log, slices)
        if device is None:
            return Usable(tuple(found), (f"CUDA_VISIBLE_DEVICES names {word!r}, which nvidia-smi does not list.",))
        found.append(device)
    return Usable(tuple(found))


def _counted_alike(log: Log, order: str) -> bool:
    return order == "PCI_BUS_ID" or len({device.name for device in log.devices}) <= 1


def _named(word: str, log: Log, slices: Sequence[Slice]) -> Device | None:
    """The device of a number, a UUID, or the beginning of one that fits no other."""
    if word.isdecimal():
        return log.devices[int(word)] if int(word) < len(log.devices) else None
    if len(word) <= len("GPU-"):
        return None
    whole = {device.uuid: device for device in log.devices}
    parts = {part.uuid: part for part in slices}
    fitting = [uuid for uuid in (*whole, *parts) if uuid.startswith(word)]
    if len(fitting) != 1:
        return None
    if fitting[0] in whole:
        return whole[fitting[0]]
    part = parts[fitting[0]]
    return replace(whole.get(part.of, Device(uuid=part.uuid)), uuid=part.uuid, partition=f"MIG {part.size}")


def _device(gpu: ElementTree.Element) -> Device:
    processes = tuple(_processes(gpu))
    limits = (_said(gpu, place) for place in LIMITS)
    return Device(
        uuid=_said(gpu, "uuid"),
        name=_said(gpu, "product_name"),
        power_limit=next((limit for limit in limits if limit), ""),
        clocks=_clocks(gpu),
        ecc=_said(gpu, "ecc_mode/current_ecc"),
        partition="MIG" if _said(gpu, "mig_mode/current_mig") == "Enabled" else "",
        compute_mode=_said(gpu, "compute_mode"),
        processes=tuple(pid for pid, _ in processes),
        served=any(of_mps for _, of_mps in processes),
    )


def _clocks(gpu: ElementTree.Element) -> Mapping[str, str]:
    said = {name: _said(gpu, place) for name, place in CLOCKS}
    return {name: value for name, value in said.items() if value}


def _processes(gpu: ElementTree.Element) -> Iterator[tuple[int, bool]]:
    """The id of each process that computes, and whether it belongs to MPS; those that only draw are left out."""
    for process in gpu.iterfind("processes/process_info"):
        kind, pid = _said(process, "type"), _said(process, "pid")
        if "C" in kind and pid.isdecimal():
            yield int(pid), "M" in kind or MPS in _said(process, "process_name")


def _said(element: ElementTree.Element, place: str) -> str:
    text = (element.findtext(place) or "").strip()
    return "" if text in ABSENT else text
