"""What `rocm-smi --json` says: texts in, devices out."""

import json
from typing import Any, Final

from reviews.capture.nvidia import Log
from reviews.capture.record import Device

WORDS: Final = ("--showuniqueid", "--showproductname", "--showmaxpower", "--showdriverversion", "--json")
NAMES: Final = ("Card Series", "Card series", "Device Name")
POWER: Final = "Max Graphics Package Power (W)"


def read_log(text: str) -> Log | None:
    """The answer of `rocm-smi`, asked with WORDS; None when it is none. A card without a unique id is no device."""
    try:
        said = json.loads(text)
    except ValueError:
        return None
    if not isinstance(said, dict):
        return None
    cards = [card for name, card in sorted(said.items()) if name.startswith("card") and isinstance(card, dict)]
    driver = _text(said.get("system"), "Driver version")
    return Log(
        f"AMD {driver}" if driver else "",
        tuple(_device(card) for card in cards if _text(card, "Unique ID")),
    )


def _device(card: dict[str, Any]) -> Device:
    power = _text(card, POWER)
    return Device(
        uuid=_text(card, "Unique ID"),
        name=next((found for name in NAMES if (found := _text(card, name))), ""),
        power_limit=f"{power} W" if power else "",
    )


def _text(card: Any, name: str) -> str:
    value = card.get(name) if isinstance(card, dict) else None
    return value if isinstance(value, str) and value != "N/A" else ""
