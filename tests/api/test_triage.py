"""The triage board over the API: what the page shows, and the same doors."""

import pytest

from reviews.models import ReplayStep
from tests import cases, triaged
from tests.api.asking import as_person, as_token, good, of

pytestmark = pytest.mark.django_db
PLAN = {"effect": "C1", "builds": ["a", "b", "c"], "inputs": "x", "runs_each": 3}


def test_the_board_holds_what_the_page_shows() -> None:
    memo = triaged.a_searched_memo()

    board = good(as_person("bea").get(of(memo, "triage/")))

    first = board["playbook"][0]
    assert (first["number"], first["state"]) == (1, "answered")
    assert first["parts"][0]["records"][0]["ref"] == "C1"
    (line,) = board["matrix"]
    assert [cell["hypothesis"] for cell in line["cells"]] == ["H1", "H2"]
    assert line["cells"][0]["predictions"] == [
        {"key": "P1", "low": "1.02", "high": "1.08", "plan": f"plan-of-{memo.number}"}
    ]
    assert line["cells"][0]["judged"] == [{"comparison": "C1", "outcome": "refuted", "post_hoc": False}]
    assert list(line["observed"]) == ["C1"]
    (replay,) = board["replays"]
    assert (replay["bisection"]["next"], replay["bisection"]["left"]) == ("v3", ["v3", "v4"])
    assert replay["steps"][0]["standing"] == "as_the_base"
    assert board["next_measurement"]["ranked_by"] == "bits_per_minute"
    assert board["attribution"]["comparison"] == "C1"


def test_marks_replays_and_steps_are_made_over_the_api() -> None:
    memo = triaged.a_memo()
    ann = as_token("ann")

    mark = good(ann.post(of(memo, "triage/marks/"), {"step": 2, "note": "Seen in the traces."}), 201)
    wish = {"effect": "C1", "builds": ["v0", "v1", "v2"], "inputs": triaged.SAME, "runs_each": 3}
    replay = good(ann.post(of(memo, "replays/"), wish), 201)
    step = good(ann.post(of(memo, "replays/1/steps/"), {"build": "v1"}), 201)

    assert (mark["note"], mark["artifact"], mark["done"]) == ("Seen in the traces.", "", True)
    assert (replay["number"], replay["bisection"]["next"], replay["refused"]) == (1, "v1", "")
    assert (step["build"], step["comparison"], step["evidence_set"]) == ("v1", "C4", 2)
    assert step["plan"] == ReplayStep.objects.get().plan.nonce


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("triage/marks/", {"step": 9, "note": "x"}, 404, "not_found"),
        ("triage/marks/", {"step": 1, "note": "x", "artifact": "x"}, 422, "bad_input"),
        ("replays/", {**PLAN, "effect": "C9"}, 404, "not_found"),
        ("replays/", {**PLAN, "builds": ["a"]}, 422, "bad_input"),
        ("replays/", PLAN, 422, "nothing_to_locate"),
        ("replays/7/steps/", {"build": "v1"}, 404, "not_found"),
    ],
)
def test_what_cannot_be_taken_is_a_problem(path: str, body: dict[str, object], status: int, code: str) -> None:
    memo = cases.a_memo_with_evidence(runs=triaged.ALIKE)

    assert good(as_token("ann").post(of(memo, path), body), status)["code"] == code
