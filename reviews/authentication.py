"""How and when somebody proved who they are; signatures, waivers and decisions record it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Authentication:
    """method: "password"; at: when it was proved, with a time zone."""

    method: str
    at: datetime
