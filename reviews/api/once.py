"""`Idempotency-Key`: the decorator of every POST."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from reviews.api.authentication import person_of
from reviews.errors import BadInput
from reviews.services import idempotency
from reviews.services.idempotency import Answer

P = ParamSpec("P")
V = TypeVar("V", bound=APIView)
Post = Callable[Concatenate[V, Request, P], Response]

HEADER: Final = "Idempotency-Key"
LONGEST_KEY: Final = 255
MEANT: Final = ("ETag", "Location")
SHOWN_ONCE: Final = "secret"


def once(post: Post[V, P]) -> Post[V, P]:
    """A POST that does its deed once for each key; without the header, every time that it is asked."""

    @wraps(post)
    def inner(self: V, request: Request, /, *args: P.args, **kwargs: P.kwargs) -> Response:
        key = request.headers.get(HEADER, "")
        if not key:
            return post(self, request, *args, **kwargs)
        if len(key) > LONGEST_KEY or not key.isprintable():
            raise BadInput(f"A key has at most {LONGEST_KEY} printable characters.", code="bad_key", where=HEADER)
        done: list[Response] = []

        def act() -> Answer:
            done.append(post(self, request, *args, **kwargs))
            return _kept(done[0])

        answer = idempotency.once(actor=person_of(request), key=key, digest=digest_of(request), act=act)
        return done[0] if done else Response(answer.body, status=answer.status, headers=dict(answer.headers))

    return inner


def digest_of(request: Request) -> str:
    """SHA-256 over method, path and body; of a form, over its fields and the bytes of its files."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    for part in _parts(request.data):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _parts(data: Any) -> Iterator[bytes]:
    if not isinstance(data, MultiValueDict):
        yield json.dumps(data, sort_keys=True).encode()
        return
    for name, values in sorted(data.lists()):
        for value in values:
            yield name.encode()
            yield _digest_of_file(value) if isinstance(value, UploadedFile) else str(value).encode()


def _digest_of_file(file: "UploadedFile[bytes]") -> bytes:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.digest()


def _kept(response: Response) -> Answer:
    """What is kept of a response: a secret that is shown once is not."""
    body = json.loads(JSONRenderer().render(response.data) or b"null")
    if isinstance(body, Mapping) and SHOWN_ONCE in body:
        body = {**body, SHOWN_ONCE: ""}
    return Answer(response.status_code, {name: response[name] for name in MEANT if name in response}, body)
