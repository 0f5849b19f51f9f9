"""The templates that come with the product: the JSON files of `reviews/memo_templates/`."""

import json
from functools import cache
from pathlib import Path
from typing import Final

from reviews.template_content import TemplateContent, template_from_json

FOLDER: Final = Path(__file__).resolve().parent.parent / "memo_templates"


@cache
def templates() -> tuple[TemplateContent, ...]:
    """The shipped templates, by slug. Raises msgspec.ValidationError for a file that is no template."""
    files = sorted(FOLDER.glob("*.json"))
    return tuple(template_from_json(json.loads(file.read_text(encoding="utf-8"))) for file in files)
