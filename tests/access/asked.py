"""Every address of the house, asked by everybody; nothing that is done stays done."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any, Final

import pytest
from django.core.cache import cache
from django.db import transaction
from django.template.backends.django import Template
from django.urls import URLPattern
from django.utils.safestring import SafeString

from reviews.api import urls as api
from reviews.vocabulary import State
from reviews.web import identity_urls
from reviews.web import urls as web
from tests import cases
from tests.access import sent
from tests.access.world import ASKERS, STATES, World
from tests.api.asking import Asker, tag

METHODS: Final = ("get", "post", "put", "patch", "delete")
ANY: Final = "any state"
UNASKED: Final = frozenset({"schema/", r"^.*$"})
"""The schema, which is everybody's, and the address of what is nowhere."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A method of an address. root: "/api/v1/" or "/"."""

    root: str
    path: str
    method: str

    @property
    def key(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def of_memo(self) -> bool:
        """Whether what it answers can depend on the state of a memo."""
        return "{number}" in self.path

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.root}{self.path}"


def endpoints() -> tuple[Endpoint, ...]:
    """All of them, as the URL configuration has them."""
    return (*_of_api(), *_of_pages())


def _of_api() -> Iterator[Endpoint]:
    for pattern in api.urlpatterns:
        assert isinstance(pattern, URLPattern)
        path = _plain(pattern)
        view: Any = pattern.callback
        if path not in UNASKED:
            yield from (Endpoint("/api/v1/", path, method) for method in METHODS if hasattr(view.cls, method))


def _of_pages() -> Iterator[Endpoint]:
    """GET and POST of each page: that the page has not the method is one of the answers."""
    patterns = [one for one in web.urlpatterns if isinstance(one, URLPattern)]
    assert len(patterns) == len(web.urlpatterns) - 1, "Say who asks the pages that are included."
    own = [one for one in identity_urls.urlpatterns if isinstance(one, URLPattern)]
    paths = dict.fromkeys(_plain(one) for one in (*patterns, *own))
    yield from (Endpoint("/", path, method) for path in paths for method in ("get", "post"))


def _plain(pattern: URLPattern) -> str:
    """The address with names in braces instead of converters."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))


Answers = Mapping[tuple[str, str], str]
"""(endpoint, who asks) -> the status of the answer."""


def answers(world: World, state: State) -> Answers:
    """What everybody who is to ask in that state is answered by every endpoint."""
    clients = {name: make() for name, make in ASKERS.items()}
    round_, found = _Round(world, state), {}
    with _pages_written(state):
        for endpoint in round_.offered:
            for name in _who(endpoint, state):
                status = found[str(endpoint), name] = round_.ask(endpoint, clients[name])
                if status == "405":  # to everybody: who asks is not looked at
                    break
    return found


def _who(endpoint: Endpoint, state: State) -> Iterator[str]:
    """Who asks the endpoint in that state: everybody, but what is no memo's is asked in one state only."""
    if endpoint.of_memo or state is State.IN_REVIEW:
        yield from ASKERS


@contextmanager
def _pages_written(state: State) -> Iterator[None]:
    """In review pages are written; in the other states their status, which stands before them, is enough."""
    with pytest.MonkeyPatch.context() as patched:
        if state is not State.IN_REVIEW:
            patched.setattr(Template, "render", lambda *_, **__: SafeString())
        yield


class _Round:
    """The questions about one memo in one state."""

    def __init__(self, world: World, state: State) -> None:
        memo = world.memo
        self.places, self.elsewhere = world.places, world.elsewhere
        self.match = tag(memo)
        self.bodies = {"/api/v1/": sent.to_api(memo, self.places), "/": sent.to_pages(cases.base_of(memo), self.places)}
        self.offered = [one for one in endpoints() if one.of_memo or state is State.IN_REVIEW]

    def ask(self, endpoint: Endpoint, asker: Asker) -> str:
        """The status of the answer, and of a redirection to the login that it is one."""
        cache.clear()
        cookies = dict(asker.client.cookies)
        undone = transaction.savepoint()
        try:
            answer = self._answer(endpoint, asker)
            if answer.streaming:
                b"".join(answer.streaming_content)
        finally:
            transaction.savepoint_rollback(undone)
            asker.client.cookies = SimpleCookie()
            asker.client.cookies.update(cookies)
        where = str(answer.headers.get("Location", ""))
        return "login" if answer.status_code == 302 and where.startswith("/login/") else str(answer.status_code)

    def _answer(self, endpoint: Endpoint, asker: Asker) -> Any:
        places = {**self.places, **self.elsewhere.get(endpoint.key, {})}
        path = endpoint.root + endpoint.path.format(**places)
        if endpoint.method == "get":
            return asker.client.get(path, sent.QUERIES.get(endpoint.key, {}), headers=asker.headers)
        if endpoint.key == "POST artifacts/":
            return asker.send_file(b"a log", "x.log", kept_because="")
        body = self.bodies[endpoint.root].get(endpoint.key)
        if endpoint.root == "/":
            return asker.client.post(path, sent.anew(body or {}), headers=asker.headers)
        assert body is not None, f"Say in tests/access/sent.py what {endpoint} is sent."
        return asker.ask(endpoint.method, path, body, If_Match=self.match)


def written(found: Mapping[State, Answers]) -> str:
    """The whole table: an endpoint and the people who get the same answers share a line; 405 for all has no line."""
    by_endpoint: dict[str, dict[tuple[str, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for (endpoint, name), in_review in found[State.IN_REVIEW].items():
        row = tuple(found[state].get((endpoint, name), "") for state in STATES)
        cells = ("", *row) if all(row) else (in_review, *("" for _ in STATES))
        by_endpoint[endpoint][cells].append(name)
    lines = ["\t".join(("endpoint", "asked by", ANY, *(str(state.label) for state in STATES)))]
    for endpoint, alike in by_endpoint.items():
        if {status for cells in alike for status in cells} - {"405", "login", ""}:
            lines += ["\t".join((endpoint, ", ".join(names), *cells)) for cells, names in alike.items()]
    return "\n".join(lines) + "\n"


def read(table: str, state: State) -> Answers:
    """What the kept table expects in that state."""
    place, kept = STATES.index(state), {}
    for line in table.splitlines()[1:]:
        endpoint, names, once, *cells = line.split("\t")
        if status := cells[place] or (once if state is State.IN_REVIEW else ""):
            kept.update({(endpoint, name): status for name in names.split(", ")})
    return kept
