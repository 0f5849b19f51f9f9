"""A server's API, as the commands use it: JSON in and out, and every problem as the refusal that it says."""

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import urllib3
from urllib3.exceptions import HTTPError

from analysis.evidence.format import Document
from config import env
from reviews.errors import Missing, Refusal

TIMEOUT_S: Final = 60.0
BLOCK_BYTES: Final = 1024 * 1024
SLOWEST_BYTES_PER_S: Final = 2 * 1024 * 1024  # at which a server takes a file in, and searches it
DEFAULT_SERVER: Final = "http://localhost:8000"
LONGEST_PLAIN_ANSWER: Final = 200


class Unreachable(Refusal):
    code, status, title = "unreachable", 503, "No answer"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server answered. etag: digest of the memo's revision, "" when it names none."""

    status: int
    content: bytes
    etag: str

    def json(self) -> Any:
        """The body as JSON values."""
        return json.loads(self.content)


class Server:
    """An installation, spoken to with a token.

    The address and the token come from COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN, or from the files that
    COUNTERSIGN_SERVER_FILE and COUNTERSIGN_TOKEN_FILE name, so that no secret stands on a command line.
    """

    def __init__(self) -> None:
        self._base = env.text("SERVER", default=DEFAULT_SERVER).rstrip("/")
        self._token = env.text("TOKEN", default="")
        self._pool = urllib3.PoolManager(retries=False)

    def get(self, path: str) -> Answer:
        """The answer to GET /api/v1/<path>. Raises Refusal as the server says it, Unreachable without an answer."""
        return self._ask("GET", path, {}, None)

    def post(self, path: str, value: object) -> Answer:
        """The answer to a POST of JSON, done once however often it is sent. Raises as `get`."""
        return self._ask("POST", path, {"Idempotency-Key": str(uuid.uuid4())}, _encoded(value))

    def put(self, path: str, value: object, *, etag: str) -> Answer:
        """The answer to a PUT of JSON over the revision `etag`. Raises as `get`."""
        return self._ask("PUT", path, {"If-Match": f'"{etag}"'}, _encoded(value))

    def send_file(self, path: str, document: Document, fields: Mapping[str, str]) -> Answer:
        """The answer to a file sent as a form, block by block. Raises as `get`."""
        form: dict[str, str | bytes | tuple[str, str | bytes] | tuple[str, str | bytes, str]]
        form = {**fields, "file": (document.name, b"", "application/octet-stream")}
        around, kind = urllib3.encode_multipart_formdata(form)
        end = around.rindex(b"\r\n--")  # the file stands last: what follows it is the end of the form
        body = _around(around[:end], document, around[end:])
        length = str(len(around) + document.size)
        patience = TIMEOUT_S + document.size / SLOWEST_BYTES_PER_S
        return self._ask("POST", path, {"Content-Type": kind, "Content-Length": length}, body, patience)

    def _ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | Iterator[bytes] | None,
        timeout: float = TIMEOUT_S,
    ) -> Answer:
        said = {"Accept": "application/json, text/plain", **_kind(body), **headers}
        if self._token:
            said["Authorization"] = f"Bearer {self._token}"
        try:
            answer = self._pool.request(method, f"{self._base}/api/v1/{path}", headers=said, body=body, timeout=timeout)
        except HTTPError as error:
            raise Unreachable(
                f"{self._base} does not answer: {error}.",
                needs="Set COUNTERSIGN_SERVER to the address of a running server.",
            ) from error
        if answer.status >= 400:
            _refuse(answer.status, answer.data)
        return Answer(answer.status, answer.data, answer.headers.get("ETag", "").strip('"'))


def _encoded(value: object) -> bytes:
    return json.dumps(value).encode()


def _around(head: bytes, document: Document, tail: bytes) -> Iterator[bytes]:
    yield head
    with document.opened() as file:
        while block := file.read(BLOCK_BYTES):
            yield block
    yield tail


def _kind(body: bytes | Iterator[bytes] | None) -> Mapping[str, str]:
    return {} if body is None else {"Content-Type": "application/json"}


def _refuse(status: int, content: bytes) -> NoReturn:
    """Raises the refusal that the problem details tell; a plain answer is quoted."""
    try:
        problem = json.loads(content)
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or "detail" not in problem:
        said = content[:LONGEST_PLAIN_ANSWER].decode(errors="replace")
        raise Refusal(f"The server answered {status}: {said}", code="unexpected_answer")
    missing = [Missing(m["code"], m["sentence"], m["who"], m["where"]) for m in problem.get("missing", ())]
    raise Refusal(str(problem["detail"]), code=str(problem.get("code", "")), missing=missing)
