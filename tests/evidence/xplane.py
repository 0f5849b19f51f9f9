"""Writes XSpace protocol buffers from JSON: planes with lines of [name, offset in ps, duration in ps]."""

import json


def varint(number: int) -> bytes:
    """Seven bits a byte."""
    head = bytes([number & 0x7F])
    return bytes([head[0] | 0x80]) + varint(number >> 7) if number >> 7 else head


def field(number: int, value: int | str | bytes) -> bytes:
    """One field: a number, a text, or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def space(text: str) -> bytes:
    """The protocol buffer of all planes."""
    return b"".join(field(1, plane(**one)) for one in json.loads(text)) + field(4, "host-1")


def plane(name: str, lines: list[dict[str, object]]) -> bytes:
    """One plane; its names are numbered as they come."""
    named: dict[str, int] = {}
    parts = [field(1, 0), field(2, name)]
    parts += [field(3, _line(named, **line)) for line in lines]  # type: ignore[arg-type]
    table = (field(4, field(1, at) + field(2, field(1, at) + field(2, word))) for word, at in named.items())
    return b"".join([*parts, *table])


def _line(named: dict[str, int], name: str, started_ns: int, events: list[list[object]]) -> bytes:
    parts = [field(2, name), field(3, started_ns), field(9, 5)]
    for word, offset, length in events:
        at = named.setdefault(str(word), len(named) + 1)
        parts.append(field(4, field(1, at) + field(2, int(str(offset))) + field(3, int(str(length))) + field(4, b"")))
    return b"".join(parts)
