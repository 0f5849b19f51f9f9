"""Without an owner or an artifact no face makes a decision: every address, every command, the admin, and a shell."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from reviews.cli.main import COMMANDS
from reviews.models import Decision, Memo, Outcome, Signature, WaiverApproval
from reviews.models.authority import OnlyByService
from reviews.services import tokens
from reviews.vocabulary import DecisionKind, State
from tests import cases
from tests.cast import PASSWORD
from tests.services import deeds

pytestmark = pytest.mark.django_db
OPEN = {State.DRAFT, State.IN_REVIEW, State.WITHDRAWN}
EMERGENCY = "emergency"


def addresses(memo: Memo, prefix: str) -> Iterator[str]:
    """Every address of the site under the prefix, filled in for this memo; but for the admin and the emergency."""
    for route in _routes(get_resolver().url_patterns, ""):
        if route.startswith(prefix) and not route.startswith("admin/") and EMERGENCY not in route:
            yield "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: _filled(memo, found[1]), route)


def _routes(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        elif "^" not in route:
            yield route


def _filled(memo: Memo, name: str) -> str:
    part = deeds.content(memo).evidence.sets[0].attachments[0]
    known: Mapping[str, str] = {
        "number": memo.number, "memo": memo.number, "key": "C1", "sha256": part.artifact, "digest": part.artifact,
        "slug": cases.TEMPLATE, "nonce": f"plan-of-{memo.number}", "kind": "ship",
    }  # fmt: skip
    return known.get(name, "1")


def wishes(memo: Memo) -> Iterator[dict[str, Any]]:
    """What somebody could send to have a decision recorded."""
    for kind in DecisionKind.values:
        yield {
            "kind": kind, "base": cases.base_of(memo), "scope_percent": "10" if kind == "bounded" else "",
            "rationale": "Trust me.", "password": PASSWORD, "state": "shipped", "reason": "Trust me.",
        }  # fmt: skip


def closed() -> Memo:
    """Everything is there but the owners: nobody has signed."""
    return cases.a_memo_with_waiver()


def undecided(memo: Memo) -> bool:
    return not Decision.objects.exists() and cases.again(memo).state in OPEN


def in_review_again(memo: Memo) -> None:
    """Whatever an address did (the board may return a memo), the next one finds it in review."""
    Memo.objects.filter(pk=memo.pk).update(state=State.IN_REVIEW)


def board(client: Client) -> Client:
    client.force_login(cases.person("bea"))
    return client


def test_the_page_records_no_decision_while_the_gate_is_closed(client: Client) -> None:
    memo = closed()
    address = reverse("decide", args=[memo.number])
    for wish in wishes(memo):
        answer = board(client).post(address, wish)
        assert answer.status_code in {200, 409, 422}, (wish["kind"], answer.status_code)
        assert undecided(memo)


def test_the_page_without_the_artifact_records_none_although_everybody_signed(client: Client) -> None:
    memo = cases.a_memo_in_review()
    deeds.sealed(memo, cases.runs_file(cases.AS_MEASURED, timezone.now()))
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        cases.sign(memo, name, role)
    for wish in wishes(memo):
        board(client).post(reverse("decide", args=[memo.number]), wish)
        assert undecided(memo)


def test_a_person_beside_the_board_records_none_although_the_gate_is_open(client: Client) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    for name in ("ann", "olga", "aud", "adi"):
        client.force_login(cases.person(name))
        for wish in wishes(memo):
            client.post(reverse("decide", args=[memo.number]), wish)
            assert undecided(memo)


def test_no_page_makes_a_decision_on_a_closed_gate(client: Client) -> None:
    memo = closed()
    asked = [address for address in addresses(memo, "") if not address.startswith("/api/")]
    assert len(asked) > 30
    for address in asked:
        for wish in wishes(memo):
            if address != reverse("logout"):
                in_review_again(memo)
                board(client).post(address, wish)
            assert undecided(memo), address


@pytest.mark.parametrize("as_token", [False, True], ids=["with a session", "with a token"])
def test_no_address_of_the_api_makes_a_decision(client: Client, *, as_token: bool) -> None:
    """Also on an open gate: a decision needs a person at a page, who has just proved who they are."""
    memo = cases.a_memo_ready_to_roll_out()
    headers = {}
    if as_token:
        soon = timezone.now() + timedelta(days=1)
        _, secret = tokens.issue(actor=cases.person("bea"), name="x", scopes=tokens.SCOPES, expires_at=soon)
        headers = {"Authorization": f"Bearer {secret}"}
    else:
        board(client)
    asked = list(addresses(memo, "api/v1/"))
    assert len(asked) > 30
    wish = {**next(iter(wishes(memo))), "position": "approve", "kinds": ["ship"], "role": "board"}
    before = Signature.objects.count()
    for address in asked:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            in_review_again(memo)
            client.generic(method, address, json.dumps(wish), "application/json", headers=headers)
            assert undecided(memo), (method, address)
    assert Signature.objects.count() == before
    for what in ("signatures", "decisions"):
        answer = client.post(f"/api/v1/memos/{memo.number}/{what}/", wish, "application/json", headers=headers)
        assert answer.status_code == 405, what


def test_no_command_signs_decides_or_waives() -> None:
    words = {word for command in COMMANDS for word in re.split(r"\W+", f"{command.words} {command.title}".lower())}

    assert "compare" in words
    assert words & {"sign", "decide", "decides", "approve", "waive", "ship", "rollback", "withdraw"} == set()


def test_the_admin_changes_no_record(client: Client) -> None:
    memo = closed()
    person = deeds.operator()
    person.is_staff = True
    person.save()
    client.force_login(person)
    for model in apps.get_app_config("reviews").get_models():
        name = f"admin:reviews_{model._meta.model_name}"
        row = model._default_manager.first()
        asked = [reverse(f"{name}_add")]
        if row is not None:
            asked += [reverse(f"{name}_{deed}", args=[row.pk]) for deed in ("change", "delete")]
        for address in asked:
            assert client.post(address, {"state": "shipped", "post": "yes"}).status_code == 403, address
        selected = {"action": "delete_selected", "_selected_action": [row.pk] if row else [], "post": "yes"}
        client.post(reverse(f"{name}_changelist"), selected)
    assert undecided(memo)
    assert Memo.objects.filter(pk=memo.pk).exists()


def test_a_shell_makes_no_row_that_decides() -> None:
    memo = closed()
    for model in (Decision, Signature, WaiverApproval, Outcome):
        with pytest.raises(OnlyByService):
            model._default_manager.create()
    assert undecided(memo)
