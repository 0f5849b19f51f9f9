"""Writes event files of TensorBoard from JSON: a list of events with wall_time, step, and values by their tag.

A value is a number, for `simple_value`; {"float": x} or {"double": x}, for a tensor; or {"shape": n}, for one of a
dimension. A text instead of an event is the version; a number is so many bytes to leave out at the end.
"""

import json
import struct
from typing import Any

from analysis.evidence.crc32c import masked
from tests.evidence.xplane import field, varint


def events(text: str) -> bytes:
    """The whole file."""
    content, cut = b"", 0
    for one in json.loads(text):
        if isinstance(one, int):
            cut = one
        else:
            content += record(field(3, one) if isinstance(one, str) else event(**one))
    return content[: len(content) - cut]


def record(content: bytes) -> bytes:
    """A record with its checksums."""
    length = struct.pack("<Q", len(content))
    return length + struct.pack("<L", masked(length)) + content + struct.pack("<L", masked(content))


def event(wall_time: float, step: int, **summary: Any) -> bytes:
    """An event whose summary holds the values by tag."""
    values = b"".join(field(1, _value(tag, value)) for tag, value in summary.items())
    return fixed(1, struct.pack("<d", wall_time)) + field(2, step) + field(5, values)


def fixed(number: int, raw: bytes) -> bytes:
    """A field of four or eight bytes."""
    return varint(number << 3 | (1 if len(raw) == 8 else 5)) + raw


def _value(tag: str, value: Any) -> bytes:
    named = field(1, tag)
    if isinstance(value, dict):
        return named + field(8, _tensor(value))
    return named + fixed(2, struct.pack("<f", float(value)))


def _tensor(value: dict[str, Any]) -> bytes:
    if "shape" in value:
        return field(1, 1) + field(2, field(2, field(1, value["shape"]))) + field(4, b"\0" * 4 * value["shape"])
    if "double" in value:
        return field(1, 2) + field(2, b"") + field(6, struct.pack("<d", value["double"]))
    if "content" in value:
        return field(1, 1) + field(4, struct.pack("<f", value["content"]))
    return field(1, 7 if "text" in value else 1) + field(5, struct.pack("<f", value.get("float", 0.0)))
