"""One trace event as files write it, and the decoding of a list of them by type."""

from decimal import Decimal
from typing import Any, Final, NoReturn

import msgspec

from analysis.errors import MalformedEvidence

EXACT_BELOW: Final = 2**43
"""Microseconds: below this a float holds every whole nanosecond."""

Scalar = bool | int | float | str | None


class Args(msgspec.Struct, gc=False):
    """The arguments of an event, as far as they are read."""

    name: msgspec.Raw = msgspec.Raw()
    dims: msgspec.Raw = msgspec.field(default=msgspec.Raw(), name="Input Dims")
    octets: msgspec.Raw = msgspec.field(default=msgspec.Raw(), name="bytes")


class Event(msgspec.Struct, gc=False):
    """One event; times in microseconds."""

    ph: str = ""
    name: Scalar = ""
    cat: Scalar = ""
    ts: int | float | None = None
    dur: int | float | None = None
    pid: Scalar = None
    tid: Scalar = None
    args: Args | list[Any] | Scalar = None


class ExactEvent(Event, gc=False):
    """The same, for times that a float does not hold, and for times in quotes."""

    ts: Decimal | None = None  # type: ignore[assignment]  # the same fields, read exactly
    dur: Decimal | None = None  # type: ignore[assignment]


EVENTS: Final = msgspec.json.Decoder(list[Event])
EXACT_EVENTS: Final = msgspec.json.Decoder(list[ExactEvent])
ELEMENTS: Final = msgspec.json.Decoder(list[msgspec.Raw])
ONE: Final = msgspec.json.Decoder(ExactEvent)


class Decoder:
    """Decodes lists of events; from the first time on that a float does not hold, or that stands in quotes, exactly."""

    def __init__(self) -> None:
        self._exact = False
        self.quoted = False

    def decode(self, text: bytes) -> list[Event]:
        """The events of a list. Raises msgspec.DecodeError."""
        if not self._exact:
            try:
                found = EVENTS.decode(text)
            except msgspec.ValidationError:
                self.quoted = True
            else:
                floats = [event.ts for event in found if type(event.ts) is float]
                if max(floats, default=0) < EXACT_BELOW:
                    return found
        exact = list[Event](EXACT_EVENTS.decode(text))
        self._exact = True
        return exact


def refuse(text: bytes, first: int, name: str) -> NoReturn:
    """Raise for the first element of the list that is no event. first: the place of its first element in the file."""
    places = enumerate(ELEMENTS.decode(text), first)
    at, error = next((at, error) for at, raw in places if (error := _error(raw)) is not None)
    place = f"{name}:traceEvents[{at}]"
    for key in ("ts", "dur"):
        if f"`$.{key}`" in error:
            raise MalformedEvidence("it is no number", where=f"{place}.{key}", code="not_a_number")
    raise MalformedEvidence(f"it is no event: {error}", where=place, code="not_an_object")


def _error(raw: msgspec.Raw) -> str | None:
    try:
        ONE.decode(raw)
    except msgspec.ValidationError as error:
        return str(error)
    return None
