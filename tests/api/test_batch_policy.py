"""The batch policy of the API: the document of the pack, and the job that simulates and attaches it."""

import pytest

from reviews import tasks
from reviews.models import Attachment, Job
from tests.api.asking import as_token, good, problem
from tests.web.test_batch_policy_page import BASE, CAND, LIMITS, a_swept_memo

pytestmark = pytest.mark.django_db


def test_the_answer_is_the_document_of_the_pack() -> None:
    memo = a_swept_memo()

    document = good(as_token("pat", "read").get(f"memos/{memo.number}/batch-policy/?limits={LIMITS}"))["document"]

    assert [(point["at"], point["region"]) for point in document["points"]] == [
        ("1", "infeasible"), ("2", "feasible"), ("4", "infeasible"),
    ]  # fmt: skip
    assert document["limits"][0] == {"quantity": "throughput", "at_least": "150.0", "unit": "1/s"}
    assert [source["file"] for source in document["sources"]] == ["sweep.json"]


def test_a_candidate_is_set_against_the_baseline() -> None:
    memo = a_swept_memo(BASE, CAND)
    path = f"memos/{memo.number}/batch-policy/?limits={LIMITS}&arms=compare"

    document = good(as_token("pat", "read").get(path))["document"]

    assert [point["change"] for point in document["change"]["points"]] == ["gained", "lost", "gained"]


def test_a_simulation_is_asked_for_and_its_table_is_the_result_of_the_job() -> None:
    memo = a_swept_memo()
    sam = as_token("sam", "attach", "read")
    wish = {"limits": LIMITS, "arrivals": "20,100", "waits": "0", "evidence_set": 1}

    job = good(sam.post(f"memos/{memo.number}/batch-policy/", wish), 202)
    assert (job["kind"], job["state"], job["result"]) == ("batch_policy", "waiting", None)
    tasks.simulate_batch_policy(job["id"])

    found = good(as_token("pat", "read").get(f"jobs/{job['id']}/"))
    assert found["result"]["tables"][0]["rows"][0][0] == "20.00/s"
    assert Attachment.objects.get(kind="batch_policy_curve_pack").artifact.sha256 == found["result"]["pack"]


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"limits": "speed=9"}, "bad_limit"),
        ({"arrivals": "x"}, "not_a_number"),
        ({"traffic": "x", "arrivals": "9"}, "bad_traffic"),
    ],
)
def test_what_cannot_be_asked_is_refused(wish: dict[str, str], code: str) -> None:
    memo = a_swept_memo()

    problem(as_token("sam", "attach").post(f"memos/{memo.number}/batch-policy/", wish), 422, code)
    assert not Job.objects.filter(kind="batch_policy").exists()


def test_a_memo_without_a_sweep_is_refused_with_the_way_out() -> None:
    memo = a_swept_memo({1: BASE[1]})

    found = problem(as_token("pat", "read").get(f"memos/{memo.number}/batch-policy/"), 422, "no_sweep")

    assert "Attach runs of at least two sizes" in found["detail"]
