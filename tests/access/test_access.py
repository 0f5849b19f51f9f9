"""Every endpoint × everybody × every state of a memo, against one table of expected answers, which is kept for review.

After a change that is meant, write the table anew and review its diff: `bash scripts/access.sh`.
"""

import json
import logging
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from django.db import connection
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from reviews.models import guards
from reviews.vocabulary import State
from tests.access import asked, refused, sent
from tests.access.world import ASKERS, STATES, a_world

TABLE: Final = Path(__file__).with_name("expected.tsv")
FOUND: Final = os.environ.get("COUNTERSIGN_ACCESS", "")
HIDDEN: Final = ("{number}", "{sha256}", "{job}", "{source}", "{token}", "{team}", "{channel}", "{channel_id}")
TOLD: Final = {
    "POST /api/v1/templates/{slug}/drafts/",
    "POST /api/v1/templates/drafts/{draft}/activate/",
    "POST /rules/{slug}/edit/",
    "POST /rules/drafts/{draft_id}/",
    "POST /api/v1/artifacts/",
}
"""Templates and their drafts are no secret, and that files are taken is none: who may not is told that."""
DOORS: Final = {"GET /healthz", "GET /login/", "POST /login/", "GET /login/inactive/", "GET /login/cancelled/"}
"""What answers before somebody is signed in."""
Line = tuple[str, str, frozenset[str]]


def lines() -> Iterator[Line]:
    """Endpoint, one who asks, and all answers that the kept table expects."""
    for line in TABLE.read_text().splitlines()[1:]:
        endpoint, names, *answers = line.split("\t")
        yield from ((endpoint, name, frozenset(answers) - {""}) for name in names.split(", "))


@pytest.fixture(scope="module")
def without_guards(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """A memo can be put into any state. Removed outside of the tests' transactions: after a change of its schema in a
    transaction SQLite reads the whole schema again for each savepoint that is rolled back."""
    with django_db_blocker.unblock():
        guards.remove(connection)
    yield
    with django_db_blocker.unblock():
        guards.install(connection)


@pytest.mark.django_db
@pytest.mark.usefixtures("without_guards")
@pytest.mark.parametrize("state", STATES)
def test_everybody_is_answered_by_every_endpoint_as_the_table_says(
    state: State, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.CRITICAL, "django.request"),
        override_settings(SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies"),
    ):
        found = asked.answers(a_world(state), state)
    if FOUND:
        rows = [[*key, status] for key, status in found.items()]
        (Path(FOUND) / f"{state.value}.json").write_text(json.dumps(rows))
        return

    kept = asked.read(TABLE.read_text(), state)

    listed = {endpoint for endpoint, _ in kept}
    assert {key: status for key, status in found.items() if key[0] in listed} == kept
    assert {status for key, status in found.items() if key[0] not in listed} <= {"405", "login"}


def test_a_stranger_is_told_that_nothing_is_there_and_never_that_it_is_forbidden() -> None:
    answers = {endpoint: said for endpoint, name, said in lines() if name == "stranger"}

    assert len(answers) > 150
    assert {endpoint for endpoint, said in answers.items() if "403" in said} == TOLD
    assert {e for e, said in answers.items() if any(one in e for one in HIDDEN) and said != {"404"}} == set()


def test_nobody_who_is_not_signed_in_is_told_anything() -> None:
    told = {e for e, name, said in lines() if name == "anonymous" and not said <= {"login", "401", "404"}}

    assert told == DOORS


def test_who_works_for_another_team_or_for_none_is_told_no_more_than_a_stranger() -> None:
    answers = [(e, name, said) for e, name, said in lines() if name in ("other team", "operator")]

    assert len(answers) > 300
    assert [line for line in answers if any(one in line[0] for one in HIDDEN) and line[2] != {"404"}] == []


def test_no_answer_is_a_fault_and_no_endpoint_of_the_api_and_nobody_is_left_out() -> None:
    found = list(lines())

    assert [one for one in found if any(status.startswith("5") for status in one[2])] == []
    assert {endpoint for endpoint, _, _ in found} >= {str(one) for one in asked.endpoints() if one.root != "/"}
    assert {name for _, name, _ in found} == set(ASKERS)


def test_every_page_that_takes_something_is_sent_something() -> None:
    own = ("POST /login/", "POST /logout/", "POST /account/")  # no memo's and no team's: asked empty
    sends = {key.replace(" ", " /") for key in sent.to_pages("", defaultdict(str))}
    takes = {endpoint for endpoint, _, _ in lines() if endpoint.startswith("POST /") and "/api/" not in endpoint}

    assert {endpoint for endpoint in takes if not endpoint.startswith(own)} == sends


def test_everything_is_done_by_somebody_in_some_state_but_for_what_is_listed_with_its_reason() -> None:
    done = {endpoint for endpoint, _, said in lines() if any(one.startswith("2") or one == "302" for one in said)}

    assert {endpoint for endpoint, _, _ in lines()} - done == {one for some in refused.WHY.values() for one in some}
