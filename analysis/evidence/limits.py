"""How large a file may be before it is refused. A limit is checked before the work that it bounds."""

from typing import Final

from analysis.errors import MalformedEvidence

BYTES: Final = 256 * 1024 * 1024
ROWS: Final = 2_000_000  # measurements, lines of a table, or values one after the other
DEPTH: Final = 60  # lists and objects inside each other
TEXT: Final = 20_000  # characters of one setting or reason
DIGITS: Final = 400  # characters of one number


def refuse_many_bytes(content: bytes, where: str) -> None:
    """Nothing; or too_large."""
    if len(content) > BYTES:
        raise MalformedEvidence(
            f"the file has {len(content)} bytes, and at most {BYTES} are read", where=where, code="too_large"
        )


def refuse_many_rows(rows: int, where: str) -> None:
    """Nothing; or too_many_rows."""
    if rows > ROWS:
        raise MalformedEvidence(f"more than {ROWS} rows: split the file by run", where=where, code="too_many_rows")


def too_deep(where: str) -> MalformedEvidence:
    """The refusal of lists and objects nested too deeply."""
    return MalformedEvidence(f"lists and objects are nested more than {DEPTH} deep", where=where, code="too_deep")
