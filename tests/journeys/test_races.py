"""Two people at once, on PostgreSQL, each with a connection of their own: no decision whose gate was shut at commit.

COUNTERSIGN_RACE_ROUNDS makes them run longer: 1000 for an afternoon.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import count
from typing import Any, Final

import pytest
from django.db import connection
from django.utils import timezone

from reviews.errors import Refusal, WrongState
from reviews.models import AssignmentEnd, Decision, Memo
from reviews.services import decisions, events, teams, waivers
from reviews.services.decisions import DecisionWish
from tests import cases, databases
from tests.services import deeds

pytestmark = pytest.mark.postgres
ROUNDS: Final = int(os.environ.get("COUNTERSIGN_RACE_ROUNDS", "6"))
LONGEST: Final = 300
REVISIONS: Final = 30
"""Revisions of one memo in a row: each deed reads them all, so that more make later rounds slow and show nothing."""
numbers = count(1)


@pytest.fixture
def server(own_postgresql: str) -> str:
    """The server of the test's own database."""
    return own_postgresql.rpartition("/")[0]


@contextmanager
def fresh_copy(server: str, url: str) -> Iterator[None]:
    """A copy of the database as it stands, which is the default one meanwhile."""
    connection.close()
    with databases.copy_of_postgresql(server, template=url.rpartition("/")[2]):
        yield


def at_once(*deeds_: Callable[[], Any]) -> list[Any]:
    """What each made or how it was refused; all begin together, each on a connection of its own.

    Anything but a refusal is a fault, and so is a deed that is still at work after LONGEST: on a loaded machine a
    round takes many times as long as on a quiet one.
    """
    gate = threading.Barrier(len(deeds_))
    found: list[Any] = [None] * len(deeds_)

    def run(place: int, deed: Callable[[], Any]) -> None:
        gate.wait()
        try:
            found[place] = deed()
        except Exception as error:  # noqa: BLE001 - told below, where the test sees it
            found[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(deeds_)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST)
    assert not any(thread.is_alive() for thread in threads), f"still at work after {LONGEST} s: {found}"
    assert not [one for one in found if isinstance(one, Exception) and not isinstance(one, Refusal)], found
    return found


def decide(memo: Memo, base: str, name: str = "bea") -> Decision:
    wish = DecisionWish(kind="bounded", scope_percent="10", rationale="x")
    return decisions.decide(
        actor=cases.person(name), memo_id=memo.pk, base=base, wish=wish, authentication=cases.proof()
    )


def order_of(memo: Memo) -> list[str]:
    """The actions of the trail, with the position of a signature."""
    return [str(e.detail.get("position", e.action)) for e in events.chain_of(memo)]


def test_sign_against_revise(own_postgresql: str, server: str) -> None:
    memo = cases.a_memo_with_waiver()
    for first in range(0, ROUNDS * 3, REVISIONS):
        with fresh_copy(server, own_postgresql):
            for number in range(first, min(first + REVISIONS, ROUNDS * 3)):
                symptom = {**deeds.sections_of(memo)["symptom"], "workload_slice": f"slice {number}"}
                at_once(
                    lambda: cases.sign(memo, "olga", cases.OWNERS["olga"]),
                    lambda s=symptom: deeds.revise(memo, {"symptom": s}),  # type: ignore[misc]
                )
            _every_signature_covers_the_revision_before_it(memo)


def _every_signature_covers_the_revision_before_it(memo: Memo) -> None:
    trail = list(events.chain_of(memo))
    signed = {row.statement_sha256: row for row in memo.signatures.select_related("revision")}
    newest = ""
    for event in trail:
        if "digest" in event.detail and "revision" in event.detail:
            newest = event.detail["digest"]
        if event.action == "sign":
            row = signed[event.detail["statement_sha256"]]
            assert row.revision.digest == newest
            assert row.section_digests.items() <= row.revision.section_digests.items()
    assert events.verify(memo) == []


def test_decide_against_object(own_postgresql: str, server: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    base = cases.base_of(memo)
    for _ in range(ROUNDS):
        with fresh_copy(server, own_postgresql):
            at_once(
                lambda: decide(memo, base),
                lambda: cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="Wait."),
            )
            order = order_of(memo)
            assert not ("roll_out" in order and "object" in order[: order.index("roll_out")])
            assert events.verify(memo) == []


def test_decide_twice(own_postgresql: str, server: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    base = cases.base_of(memo)
    for _ in range(ROUNDS):
        with fresh_copy(server, own_postgresql):
            found = at_once(lambda: decide(memo, base), lambda: decide(memo, base, "ben"))
            assert sorted(isinstance(one, Decision) for one in found) == [False, True]
            assert Decision.objects.count() == 1


def test_decide_against_the_end_of_a_role(own_postgresql: str, server: str) -> None:
    memo = cases.a_memo_ready_to_roll_out()
    base, held = cases.base_of(memo), memo.team.assignments.get(person__username="olga").pk
    for _ in range(ROUNDS):
        with fresh_copy(server, own_postgresql):
            at_once(
                lambda: decide(memo, base),
                lambda: teams.end_assignment(actor=cases.person("adi"), assignment_id=held, reason="x"),
            )
            if Decision.objects.exists():
                decided = events.chain_of(memo).get(action="roll_out").at
                assert AssignmentEnd.objects.get().at >= decided


def test_decide_against_the_end_of_a_waiver(own_postgresql: str, server: str) -> None:
    memo = cases.a_memo_with_evidence()
    for name, role in (*cases.OWNERS.items(), cases.KEEPER):
        cases.sign(memo, name, role)
    base, number, slack = cases.base_of(memo), 0, 0.4
    while number < ROUNDS:
        with fresh_copy(server, own_postgresql):
            ends = timezone.now() + timedelta(seconds=slack + 0.02 * (number % 10))
            wish = waivers.WaiverWish(requirement=cases.ENERGY, owner="tess", reason="x", control="x", expires_at=ends)
            row = waivers.request(actor=cases.person("ann"), memo_id=memo.pk, wish=wish)
            try:
                waivers.approve(actor=cases.person("ben"), waiver_id=row.pk, note="", authentication=cases.proof())
            except WrongState:  # it ended before the board could answer: this machine needs longer
                slack *= 2
                continue
            number += 1
            while (left := (ends - timezone.now()).total_seconds()) > 0.02:
                time.sleep(left - 0.02)
            at_once(*(lambda n=n: decide(memo, base, n) for n in ("bea", "ben")))
            made = Decision.objects.first()
            assert made is None or made.recorded_at < ends
            with suppress(Refusal):
                decide(memo, base)
            assert Decision.objects.count() <= 1
