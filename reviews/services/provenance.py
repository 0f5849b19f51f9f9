"""What is said of where an artifact comes from, checked when it is taken in."""

from collections.abc import Mapping
from typing import Final

from reviews.errors import BadInput
from reviews.policies import numbers
from reviews.policies.facts import RuleError
from reviews.vocabulary import Source

Provenance = Mapping[str, Mapping[str, str]]
NAMES: Final = (
    "tool", "version", "host", "command", "commit", "started_at", "ended_at", "plan", "run", "devices", "sharing",
    "driver", "power_limit", "ecc", "image", "weights", "job", "texts_dropped",
)  # fmt: skip
TIMES: Final = ("started_at", "ended_at")


def require(provenance: Provenance) -> None:
    """Nothing, when each part is known and has a value with its source. Raises BadInput naming what does not fit."""
    for name, stated in provenance.items():
        where = f"provenance.{name}"
        if name not in NAMES:
            raise BadInput(
                f"{name!r} is no part of a provenance.", needs=f"Choose of: {', '.join(NAMES)}.", where=where
            )
        if set(stated) != {"value", "source"} or stated["source"] not in Source.values:
            raise BadInput(
                f"{name} has a value and a source.", needs=f"A source is: {', '.join(Source.values)}.", where=where
            )
        if name in TIMES:
            _require_time(stated["value"], where)


def _require_time(text: str, where: str) -> None:
    try:
        numbers.moment(text, where)
    except RuleError as error:
        raise BadInput(f"{text[:60]!r} is no time.", needs="Write ISO 8601, in UTC.", where=where) from error
