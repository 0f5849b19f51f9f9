"""A registered plan from its file, as the API gives it."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from reviews.errors import BadInput
from reviews.plan_content import PlannedRun, plan_from_json


@dataclass(frozen=True, slots=True)
class Registered:
    """What a plan says of its runs. design: "blocks" or "independent"."""

    nonce: str
    design: str
    runs: tuple[PlannedRun, ...]


def registered(place: Path) -> Registered:
    """The nonce and the runs of a plan. Raises BadInput(bad_plan)."""
    try:
        value = msgspec.json.decode(place.read_bytes())
        content = plan_from_json(value["content"])
        return Registered(str(value["nonce"]), content.design, content.runs)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise BadInput(
            f"{place} is no registered plan: {error}.",
            needs="Fetch it from the server: GET /api/v1/memos/{number}/plans/{nonce}/.",
            code="bad_plan",
            where=str(place),
        ) from error
