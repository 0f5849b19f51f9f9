"""Where a run was placed: a host and its sorted set of device UUIDs, as the file records it, else as somebody says."""

from typing import Final

from analysis.reading import Reading
from reviews.vocabulary import Source

HOST: Final = "host"
DEVICES: Final = "devices"
VERIFIED: Final = (Source.FILE, Source.CAPTURE)


def placement_of(reading: Reading, run: str, typed: str, source: str) -> tuple[str, str]:
    """The placement of a run and where it comes from; ("", "") when nobody says.

    The file counts before a label, but for a capture of the same host that names devices where the file names none.
    """
    stated = {setting.name: setting.value for setting in reading.settings_of(run) if setting.role == "identity"}
    if host := stated.get(HOST, ""):
        devices = sorted(part.strip() for part in stated.get(DEVICES, "").split(",") if part.strip())
        if source == Source.CAPTURE and not devices and host_of(typed) == host:
            return typed, source
        return " ".join([host, *devices]), Source.FILE.value
    return typed, source


def host_of(placement: str) -> str:
    """The host of a placement: two device sets on one host are one placement for the scope of a claim."""
    return placement.partition(" ")[0]


def is_verified(source: str) -> bool:
    """Whether the placement was recorded by a file or captured, not typed."""
    return source in VERIFIED
