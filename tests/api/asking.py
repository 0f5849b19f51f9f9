"""Asking the API: as a person with a session, or as a program with a token of that person."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from reviews.models import Memo
from reviews.services import tokens
from tests import cases

ROOT = "/api/v1/"
EVERY_SCOPE = ("read", "file", "attach", "report")


@dataclass
class Asker:
    """Sends JSON under /api/v1/; an address that begins with / is taken as it is."""

    client: Client
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The response. headers: If_Match="…" for If-Match."""
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        where = path if path.startswith("/") else ROOT + path
        content = {} if method == "get" else {"data": "" if body is None else body, "content_type": "application/json"}
        return getattr(self.client, method)(where, headers=sent, **content)

    def get(self, path: str, **headers: str) -> Any:
        return self.ask("get", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.ask("post", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.ask("patch", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.ask("put", path, body, **headers)

    def send_file(self, content: bytes, name: str = "runs.json", /, **fields: str) -> Any:
        """A multipart upload; fields with a capital are headers."""
        sent = {**self.headers, **{n.replace("_", "-"): v for n, v in fields.items() if n[0].isupper()}}
        form = {n: v for n, v in fields.items() if not n[0].isupper()}
        return self.client.post(f"{ROOT}artifacts/", {"file": a_file(content, name), **form}, headers=sent)


def a_file(content: bytes, name: str) -> Any:
    return SimpleUploadedFile(name, content)


def as_person(name: str) -> Asker:
    """The person, signed in."""
    client = Client()
    client.force_login(cases.person(name))
    return Asker(client)


def as_token(name: str, *scopes: str) -> Asker:
    """A token of the person, with these scopes, or with all."""
    _, secret = tokens.issue(
        actor=cases.person(name),
        name="nightly",
        scopes=scopes or EVERY_SCOPE,
        expires_at=timezone.now() + timedelta(days=1),
    )
    return Asker(Client(), {"Authorization": f"Bearer {secret}"})


def as_nobody() -> Asker:
    """Without a token or a session."""
    return Asker(Client())


def tag(memo: Memo) -> str:
    """The ETag of the memo's current revision."""
    return f'"{cases.base_of(memo)}"'


def of(memo: Memo, rest: str = "") -> str:
    """The path of the memo, or of something of it."""
    return f"memos/{memo.number}/{rest}"


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    """The problem that the response must be."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["code"] == code, body
    assert body["status"] == status
    assert body["type"] == f"urn:countersign:problem:{code}"
    assert body["detail"]
    assert isinstance(body["missing"], list)
    return body


def good(response: Any, status: int = 200) -> Any:
    """The JSON of a response that must be of that status."""
    assert response.status_code == status, response.content
    return response.json()
