"""The gate's facts as JSON values, for the record of a decision, and back: so that a later rule can be asked of them.

The memo's content and its template stand in the record already, and are left out.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from reviews.policies.facts import GateFacts
from reviews.sections import MemoContent
from reviews.template_content import TemplateContent

ELSEWHERE: Final = ("content", "template")


def to_json(facts: GateFacts) -> dict[str, Any]:
    """The facts without content and template; percentages are written as exact fractions ("25", "1/3")."""
    values = msgspec.to_builtins(facts, enc_hook=str)
    return {name: value for name, value in values.items() if name not in ELSEWHERE}


def from_json(values: Mapping[str, Any], content: MemoContent, template: TemplateContent) -> GateFacts:
    """The facts as they were frozen; raises msgspec.ValidationError for values that are none."""
    whole = {**values, "content": content, "template": template}
    return msgspec.convert(whole, GateFacts, dec_hook=_read)


def _read(kind: type[Any], value: Any) -> Any:
    """A fraction from its text; what is read already stays."""
    return Fraction(value) if kind is Fraction else value
