"""The codes that the analysis gives to refusals and notices, as its source names them."""

import ast
from collections.abc import Iterator
from typing import Final

SAYS: Final = {"Refused": 0, "Refusal": 0, "NotComparable": 0, "Notice": 0}
"""What carries a code, and at which place among its arguments."""
OF_FILES: Final = frozenset({"MalformedEvidence", "UnknownFormat"})


def codes_of(source: str) -> Iterator[str]:
    """The codes of refused numbers and of notices."""
    for call in _calls(source):
        place = SAYS.get(_name(call))
        if place is not None and len(call.args) > place:
            yield from _texts(call.args[place])


def codes_of_files(source: str) -> Iterator[str]:
    """The codes of refused files."""
    for call in _calls(source):
        if _name(call) in OF_FILES:
            for keyword in call.keywords:
                if keyword.arg == "code":
                    yield from _texts(keyword.value)


def _calls(source: str) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _texts(node: ast.expr) -> Iterator[str]:
    """A text, or either text of a choice; a name or a formatted text is no literal."""
    if isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
