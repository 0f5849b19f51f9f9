"""Traces over the API: asked for, read, and the same as on the page."""

import pytest

from analysis import trace_answer
from reviews import tasks
from reviews.models import Job
from tests import cases
from tests.api.asking import as_person, as_token, good, of
from tests.services import traced

pytestmark = pytest.mark.django_db


def test_sets_with_traces_are_listed_and_what_was_found_in_them() -> None:
    memo = cases.a_draft()
    bea = as_person("bea")
    assert good(bea.get(of(memo, "traces/"))) == []
    traced.compared(traced.one_of_each(memo))

    [row] = good(bea.get(of(memo, "traces/")))

    assert row == {"set": 1, "title": "Traces", "baseline": 1, "candidate": 1, "missing": "", "divergence": "time"}


def test_traces_are_compared_by_a_job_and_read_when_it_is_done() -> None:
    row = traced.several(cases.a_draft())
    sam = as_token("sam")

    asked = good(sam.post(of(row.memo, "traces/"), {"set": 1, "margin": "3"}), 202)
    tasks.compare_traces(asked["job"]["id"])
    again = good(sam.post(of(row.memo, "traces/"), {"set": 1, "margin": "3"}))
    read = good(sam.get(of(row.memo, "traces/1/")))

    assert (asked["job"]["state"], asked["comparison"]) == ("waiting", None)
    assert again == read
    assert (read["job"]["state"], read["comparison"]["current"]) == ("done", True)
    assert read["comparison"]["inputs"]["margin"] == "1.03"
    assert trace_answer.from_json(read["comparison"]["result"]).found == ("compute",)
    assert good(as_person("bea").get(f"jobs/{asked['job']['id']}/"))["state"] == "done"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"set": 9}, 404, "not_found"),
        ({"set": 1, "margin": "0"}, 422, "bad_margin"),
        ({"set": 2}, 409, "no_traces"),
        ({}, 422, "bad_input"),
    ],
)
def test_what_cannot_be_compared_is_refused(body: dict[str, object], status: int, code: str) -> None:
    memo = cases.a_draft()
    traced.one_of_each(memo)
    traced.a_set(memo, [traced.trace(20)], [], title="Half")

    answer = as_person("sam").post(of(memo, "traces/"), body)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert Job.objects.filter(kind="traces").count() == 0


def test_a_set_that_is_not_there_is_not_found() -> None:
    memo = cases.a_draft()

    assert as_person("bea").get(of(memo, "traces/3/")).status_code == 404


def test_strangers_see_no_traces() -> None:
    row = traced.one_of_each(cases.a_draft())

    assert as_person("eve").get(of(row.memo, "traces/")).status_code == 404
    assert as_person("eve").post(of(row.memo, "traces/"), {"set": 1}).status_code == 404
