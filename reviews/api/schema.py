"""How operations are described: keys, preconditions and problems are the same everywhere, so they are said once."""

from typing import Any, Final

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry

from reviews.api import once, preconditions
from reviews.api.authentication import scope_of
from reviews.api.problems import MEDIA_TYPE
from reviews.api.shapes.common import Problem

KEY: Final = {
    "in": "header",
    "name": once.HEADER,
    "schema": {"type": "string", "minLength": 1, "maxLength": once.LONGEST_KEY, "pattern": "^[!-~]+$"},
    "description": "The same key with the same request gives the first answer again.",
}
MATCH: Final = {
    "in": "header",
    "name": preconditions.HEADER,
    "required": True,
    "schema": {"type": "string", "pattern": '^"[0-9a-f]{64}"$'},
    "description": "The ETag of the memo that the change was made from.",
}


class Described(AutoSchema):
    """Adds what every operation has: headers of the method, the scope for tokens, and the problem."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> dict[str, Any] | None:
        operation = super().get_operation(path, path_regex, path_prefix, method, registry)
        if operation is None:
            return None
        parameters = [*operation.get("parameters", []), *self._headers(method)]
        if parameters:
            operation["parameters"] = parameters
        problem = self.resolve_serializer(Problem(), "response")
        operation["responses"]["default"] = {
            "description": "A refusal, in words and with a code.",
            "content": {MEDIA_TYPE: {"schema": problem.ref}},
        }
        operation["x-scope"] = scope_of(self.view, method)
        return operation

    def _headers(self, method: str) -> list[dict[str, Any]]:
        needs_match = method in getattr(self.view, "matched", ())
        return [*([] if method != "POST" else [KEY]), *([MATCH] if needs_match else [])]

    def get_tags(self) -> list[str]:
        """The resource under /api/v1/ or under a memo."""
        words = [word for word in self._tokenize_path() if word not in {"api", "v1"}]
        nested = words[:1] == ["memos"] and len(words) > 1
        return [words[1 if nested else 0]] if words else ["root"]
