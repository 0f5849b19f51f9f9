"""Where a sentence of the gate, a refusal or the queue leads: an address on this site."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from reviews.errors import Missing
from reviews.policies.answers import Requirement
from reviews.vocabulary import RequirementState

PAGES: Final = frozenset({"memo", "memo-edit", "sign", "decide", "evidence", "waivers", "trail", "rollout"})


@dataclass(frozen=True, slots=True)
class GateLine:
    """A requirement as the partials show it; waiver: where that very gap can be asked to be waived, or ""."""

    rule: str
    state: RequirementState
    sentence: str
    who: str
    where: str
    waiver: str


def place(number: str, where: str) -> str:
    """The address of `where` for the memo: an anchor "#action", a page "sign", a path, or "" for nowhere."""
    if where.startswith("#"):
        return f"{reverse('memo', args=[number])}{where}"
    if where in PAGES:
        return reverse(where, args=[number])
    return where if where.startswith("/") else ""


def gate_line(number: str, line: Requirement) -> GateLine:
    """A line of the gate with its addresses."""
    asks = line.waivable and line.blocks
    waiver = f"{reverse('waivers', args=[number])}?{urlencode({'requirement': line.code})}" if asks else ""
    return GateLine(line.rule, line.state, line.sentence, line.who, place(number, line.where), waiver)


def missing_of(request: HttpRequest, missing: Iterable[Missing]) -> tuple[Missing, ...]:
    """What a refusal lists, with addresses; on a page of no memo, only paths lead somewhere."""
    number = str(request.resolver_match.kwargs.get("number", "")) if request.resolver_match else ""
    return tuple(Missing(m.code, m.sentence, m.who, _address(number, m.where)) for m in missing)


def _address(number: str, where: str) -> str:
    return place(number, where) if number else where if where.startswith("/") else ""
