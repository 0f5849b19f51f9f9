"""Idempotency-Key: asking twice does once."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.errors import BadInput, WrongState
from reviews.models import Comment, KeyedRequest
from reviews.queries import records
from reviews.services import idempotency
from reviews.services.idempotency import Answer, Claim
from tests import cases, cast
from tests.api.asking import as_person, as_token, good, of, problem, tag

pytestmark = pytest.mark.django_db

COMMENT = {"anchor": "symptom", "text": "Which slice?"}
DIGEST = "d" * 64


def test_the_same_request_under_the_same_key_is_done_once_and_answered_alike() -> None:
    memo = cases.a_draft()
    bea = as_person("bea")

    first = good(bea.post(of(memo, "comments/"), COMMENT, Idempotency_Key="k"), 201)
    second = good(bea.post(of(memo, "comments/"), COMMENT, Idempotency_Key="k"), 201)

    assert first == second
    assert Comment.objects.count() == 1


def test_without_a_key_every_request_is_done() -> None:
    memo = cases.a_draft()
    bea = as_person("bea")

    for _ in range(2):
        good(bea.post(of(memo, "comments/"), COMMENT), 201)

    assert Comment.objects.count() == 2


def test_the_headers_that_mean_something_are_repeated() -> None:
    memo = cases.a_planned_draft()
    ann, seen = as_person("ann"), tag(memo)

    answers = [ann.post(of(memo, "submit/"), If_Match=seen, Idempotency_Key="k") for _ in range(2)]

    assert [good(answer)["state"] for answer in answers] == ["in_review", "in_review"]
    assert answers[0]["ETag"] == answers[1]["ETag"]


def test_another_body_under_the_same_key_is_refused() -> None:
    memo = cases.a_draft()
    bea = as_person("bea")
    good(bea.post(of(memo, "comments/"), COMMENT, Idempotency_Key="k"), 201)

    problem(bea.post(of(memo, "comments/"), {**COMMENT, "text": "x"}, Idempotency_Key="k"), 422, "key_reused")


def test_another_path_under_the_same_key_is_refused() -> None:
    memo = cases.a_draft()
    ann = as_person("ann")
    good(ann.post(of(memo, "comments/"), COMMENT, Idempotency_Key="k"), 201)

    problem(ann.post(of(memo, "withdraw/"), {"reason": "x"}, Idempotency_Key="k"), 422, "key_reused")


def test_two_people_may_choose_the_same_key() -> None:
    memo = cases.a_draft()

    for name in ("bea", "ben"):
        good(as_person(name).post(of(memo, "comments/"), COMMENT, Idempotency_Key="k"), 201)

    assert Comment.objects.count() == 2


def test_a_refusal_is_not_kept_so_the_key_may_be_tried_again() -> None:
    memo = cases.a_memo_in_review()
    sam = as_person("sam")
    where = of(memo, "evidence-sets/1/seal/")

    problem(sam.post(where, Idempotency_Key="k"), 404, "not_found")
    cases.an_open_set(memo)

    assert good(sam.post(where, Idempotency_Key="k"))["state"] == "sealed"


def test_a_file_under_a_key_is_known_by_its_bytes() -> None:
    cast.the_team()
    sam = as_token("sam", "attach")

    first = good(sam.send_file(b"runs", Idempotency_Key="k"), 201)
    second = good(sam.send_file(b"runs", Idempotency_Key="k"), 201)

    assert first == second
    problem(sam.send_file(b"others", Idempotency_Key="k"), 422, "key_reused")


@pytest.mark.parametrize("key", ["k" * 256, "tab\there"])
def test_a_key_that_cannot_be_kept_is_refused(key: str) -> None:
    memo = cases.a_draft()

    problem(as_person("bea").post(of(memo, "comments/"), COMMENT, Idempotency_Key=key), 422, "bad_key")


def test_a_request_that_is_still_at_work_is_not_begun_again() -> None:
    bea = cast.a_person("bea")
    idempotency.take(actor=bea, key="k", digest=DIGEST)

    with pytest.raises(WrongState) as refused:
        idempotency.take(actor=bea, key="k", digest=DIGEST)

    assert refused.value.code == "key_in_use"


def test_a_request_whose_process_died_is_taken_over_and_the_dead_one_cannot_answer() -> None:
    bea = cast.a_person("bea")
    first = idempotency.take(actor=bea, key="k", digest=DIGEST)
    KeyedRequest.objects.update(taken_at=timezone.now() - idempotency.LEASE)

    second = idempotency.take(actor=bea, key="k", digest=DIGEST)

    assert isinstance(first, Claim)
    assert isinstance(second, Claim)
    assert second.attempt == 2
    with pytest.raises(WrongState):
        idempotency.keep(actor=bea, claim=first, answer=Answer(200, {}, None))
    idempotency.keep(actor=bea, claim=second, answer=Answer(200, {}, {"done": True}))
    assert idempotency.take(actor=bea, key="k", digest=DIGEST) == Answer(200, {}, {"done": True})


def test_an_answer_is_kept_for_a_day() -> None:
    bea = cast.a_person("bea")

    def once(body: str) -> Any:
        return idempotency.once(actor=bea, key="k", digest=DIGEST, act=lambda: Answer(200, {}, body)).body

    assert (once("first"), once("second")) == ("first", "first")
    KeyedRequest.objects.update(created_at=timezone.now() - idempotency.KEPT_FOR - timedelta(seconds=1))
    assert once("third") == "third"


def test_an_error_in_the_middle_undoes_the_deed_and_frees_the_key() -> None:
    memo = cases.a_draft()
    bea = cases.person("bea")

    def act() -> Answer:
        cases.again(memo).comments.create(
            revision=records.revision_of(memo),
            section="symptom",
            text="half",
            author=bea,
            author_name="Bea",
            at=timezone.now(),
        )
        raise BadInput("The second half failed.")

    with pytest.raises(BadInput):
        idempotency.once(actor=bea, key="k", digest=DIGEST, act=act)

    assert not Comment.objects.exists()
    assert not KeyedRequest.objects.exists()
