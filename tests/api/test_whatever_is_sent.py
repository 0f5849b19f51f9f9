"""Whatever fits or breaks the schema is sent: no fault of ours, no status, type or body that it does not know."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from reviews.models import Memo
from tests import cases, cast
from tests.api.asking import as_token, tag

pytestmark = pytest.mark.django_db

EXAMPLES: Final = 4
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


class Undone(Exception):
    """Raised to leave everything as it was."""


def known(memo: Memo) -> dict[str, object]:
    """Path parameters that lead to something."""
    artifact = memo.evidence_sets.get().attachments.earliest("pk").artifact
    return {
        "number": memo.number,
        "sha256": artifact.sha256,
        "digest": memo.assessments.earliest("pk").digest,
        "key": "C1",
        "hypothesis": "H1",
        "nonce": f"plan-of-{memo.number}",
        "evidence_set": 1,
        "revision": 1,
        "decision": 1,
        "comment": memo.comments.get().pk,
        "waiver": memo.waivers.get().pk,
        "kind": "bounded",
        "slug": cases.TEMPLATE,
        "version": 1,
    }


def a_busy_memo() -> Memo:
    """Rolling out, with a comment; Ann may do whatever anybody may."""
    memo = cases.a_memo_rolling_out()
    for role in ("contributor", "board"):
        cast.assign(memo.team, "ann", role)
    as_token("ann").post(f"memos/{memo.number}/comments/", {"anchor": "symptom", "text": "Which slice?"})
    return memo


@contextmanager
def one_connection() -> Iterator[None]:
    """A server closes its connection after each request; here that is the test's own."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def closing(application: Any) -> Any:
    """The application, with every answer read whole and closed, as a server does and the tool does not."""

    def inner(environ: Any, start_response: Any) -> list[bytes]:
        answer = application(environ, start_response)
        try:
            return [b"".join(answer)]
        finally:
            answer.close()

    return inner


def test_whatever_is_sent_is_answered_as_the_schema_says() -> None:
    memo = a_busy_memo()
    headers = {**as_token("ann").headers, "If-Match": tag(memo)}
    places = known(memo)

    with one_connection():
        schema = schemathesis.openapi.from_wsgi("/api/v1/schema/", closing(get_wsgi_application()))
        operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
        assert len(operations) > 60
        for operation in operations:
            _ask(operation, places, headers)


def _ask(operation: Any, places: dict[str, object], headers: dict[str, str]) -> None:
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def inner(case: Any) -> None:
            case.path_parameters = {
                **case.path_parameters,
                **{n: places[n] for n in case.path_parameters if n in places},
            }
            try:
                with transaction.atomic():
                    case.call_and_validate(checks=CHECKS, headers=headers)
                    raise Undone
            except Undone:
                return

        inner()
