"""A server's API, as the commands use it: JSON in and out, and every problem as the refusal that it says."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import urllib3
from urllib3.exceptions import HTTPError

from config import env
from reviews.errors import Missing, Refusal

TIMEOUT_S: Final = 60.0
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
        self._pool = urllib3.PoolManager(timeout=TIMEOUT_S, retries=False)

    def get(self, path: str) -> Answer:
        """The answer to GET /api/v1/<path>. Raises Refusal as the server says it, Unreachable without an answer."""
        return self._ask("GET", path, {}, None)

    def post(self, path: str, value: object) -> Answer:
        """The answer to a POST of JSON, done once however often it is sent. Raises as `get`."""
        return self._ask("POST", path, {"Idempotency-Key": str(uuid.uuid4())}, _encoded(value))

    def put(self, path: str, value: object, *, etag: str) -> Answer:
        """The answer to a PUT of JSON over the revision `etag`. Raises as `get`."""
        return self._ask("PUT", path, {"If-Match": f'"{etag}"'}, _encoded(value))

    def send_file(self, path: str, name: str, content: bytes, fields: Mapping[str, str]) -> Answer:
        """The answer to a file sent as a form. Raises as `get`."""
        file = (name, content, "application/octet-stream")
        parts: dict[str, str | bytes | tuple[str, str | bytes] | tuple[str, str | bytes, str]]
        parts = {**fields, "file": file}
        body, kind = urllib3.encode_multipart_formdata(parts)
        return self._ask("POST", path, {"Content-Type": kind}, body)

    def _ask(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        said = {"Accept": "application/json, text/plain", **_kind(body), **headers}
        if self._token:
            said["Authorization"] = f"Bearer {self._token}"
        try:
            answer = self._pool.request(method, f"{self._base}/api/v1/{path}", headers=said, body=body)
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


def _kind(body: bytes | None) -> Mapping[str, str]:
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
