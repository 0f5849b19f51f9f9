"""Bodies: JSON of a bounded size that any of our databases can keep, and multipart for files."""

import json
from collections.abc import Mapping
from typing import IO, Any, Final

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request

from reviews.errors import BadInput, TooLarge

GREATEST_JSON_BYTES: Final = 4 * 1024 * 1024
GREATEST_INTEGER: Final = 2**53 - 1
FORM_BYTES: Final = 64 * 1024


class Json(BaseParser):
    """I-JSON (RFC 7493): UTF-8, no text that cannot be kept, no number that other readers would round."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The value. Raises TooLarge; ParseError for what is no JSON; BadInput for what cannot be kept."""
        del media_type, parser_context
        raw = stream.read(GREATEST_JSON_BYTES + 1)
        if len(raw) > GREATEST_JSON_BYTES:
            raise TooLarge(f"The body is larger than {GREATEST_JSON_BYTES} bytes.", needs="Send files as artifacts.")
        try:
            value = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise ParseError(f"The body is no JSON: {error}.") from error
        _check(value)
        return value


class Form(MultiPartParser):
    """multipart/form-data; a body that is larger than a file may be is refused before it is read."""

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        request: Request = (parser_context or {})["request"]
        limit: int = (parser_context or {})["view"].limit_bytes()
        if int(request.META.get("CONTENT_LENGTH") or 0) > limit + FORM_BYTES:
            raise TooLarge(f"The file is larger than the limit of {limit} bytes.", needs="Send a smaller file.")
        return super().parse(stream, media_type, parser_context)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _check(value: Any) -> None:
    """Raises BadInput for a text or number that cannot be kept as it is."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            _check_text(one)
        elif isinstance(one, int) and abs(one) > GREATEST_INTEGER:
            raise BadInput(f"The number {one:.3e} is too large to be exact.", needs="Send it as text.", code="bad_json")
        elif isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            waiting.extend(one)
            waiting.extend(one.values())


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInput("A text holds half a character.", needs="Send valid Unicode.", code="bad_json") from error
    if "\0" in text:
        raise BadInput("A text holds a NUL character.", needs="Leave it out.", code="bad_json")
