"""How large a file may be before it is refused. A limit is checked before the work that it bounds."""

from typing import Final

from analysis.errors import MalformedEvidence

BYTES: Final = 256 * 1024 * 1024
STREAMED_BYTES: Final = 8 * 1024 * 1024 * 1024  # of a format that is read in blocks
RATIO: Final = 200  # bytes that one packed byte may become
FREE_BYTES: Final = 16 * 1024 * 1024  # what any container may unpack to, whatever its ratio
ROWS: Final = 2_000_000  # measurements, lines of a table, or values one after the other
EVENTS: Final = 10_000_000  # of a trace; about 140 bytes of memory each
COLUMN_VALUES: Final = 60_000_000  # measurements of a table that is read by column
DEPTH: Final = 60  # lists and objects inside each other
TEXT: Final = 20_000  # characters of one setting or reason
DIGITS: Final = 400  # characters of one number


def refuse_many_bytes(size: int, where: str, greatest: int | None = None) -> None:
    """Nothing; or too_large. greatest: of what is read in blocks, else BYTES."""
    most = BYTES if greatest is None else greatest
    if size > most:
        message = f"the file has {size} bytes, and at most {most} are read"
        raise MalformedEvidence(message, where=where, code="too_large")


def refuse_inflation(packed: int, unpacked: int, where: str, greatest: int) -> None:
    """Nothing; or too_large, decompression_ratio. Checked while a container is opened, before more is made of it."""
    refuse_many_bytes(unpacked, where, greatest)
    if unpacked > FREE_BYTES and unpacked > RATIO * packed:
        message = f"{packed} bytes unpack to more than {RATIO} times as many"
        raise MalformedEvidence(message, where=where, code="decompression_ratio")


def refuse_many_rows(rows: int, where: str) -> None:
    """Nothing; or too_many_rows."""
    if rows > ROWS:
        raise MalformedEvidence(f"more than {ROWS} rows: split the file by run", where=where, code="too_many_rows")


def refuse_many_events(events: int, where: str) -> None:
    """Nothing; or too_many_rows."""
    if events > EVENTS:
        message = f"more than {EVENTS} events: record fewer steps"
        raise MalformedEvidence(message, where=where, code="too_many_rows")


def too_deep(where: str) -> MalformedEvidence:
    """The refusal of lists and objects nested too deeply."""
    return MalformedEvidence(f"lists and objects are nested more than {DEPTH} deep", where=where, code="too_deep")
