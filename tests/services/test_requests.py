"""What goes into an assessment: every run under a label of its own, at the look that its data are."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from django.utils import timezone

from reviews.errors import BadInput, Unreadable, WrongState
from reviews.models import Assessment, Memo
from reviews.plan_content import PlanContent
from reviews.services import assessments, evidence, parsing, plans, requests
from tests import cases, step_runs
from tests.services import deeds
from tests.services.deeds import RUN, refused

pytestmark = pytest.mark.django_db
START = datetime(2026, 11, 1, tzinfo=UTC)
SLOWER = cases.Runs(candidate=("980.5", "990.75", "977.25"))


def request(memo: Memo, comparison: str = "C1") -> requests.Prepared:
    content = deeds.content(memo)
    return requests.prepare(memo, content, assessments.comparison_of(content, comparison))


def one_run(key: str, content: bytes | None = None) -> bytes:
    document = json.loads(content or cases.runs_file(cases.AS_MEASURED, START))
    document["runs"] = [{**document["runs"][0], "run": key}]
    return json.dumps(document).encode()


def a_draft_with_rules(*rules: str, looks: int = 1) -> Memo:
    memo = cases.a_draft()
    usual = cases.plan_content()
    rows = tuple(replace(row, exclusion_rules=rules) for row in usual.comparisons)
    content: PlanContent = replace(usual, comparisons=rows, looks=looks)
    plans.register(
        actor=cases.person("ann"), memo_id=memo.pk, content=content, nonce=f"plan-of-{memo.number}",
        registered_at=timezone.now(),
    )  # fmt: skip
    return cases.again(memo)


def test_without_a_sealed_set_nothing_is_computed() -> None:
    with refused(WrongState, "no_sealed_set", "comparisons.C1"):
        request(cases.a_planned_draft())


def test_a_comparison_that_lacks_a_word_is_not_computed() -> None:
    memo = cases.a_memo_with_evidence()
    content = deeds.content(memo)
    row = replace(assessments.comparison_of(content, "C1"), better="")

    with refused(BadInput, "comparison_is_not_whole", "comparisons.C1.better"):
        requests.prepare(memo, content, row)


def test_plan_template_and_labels_meet_in_the_request() -> None:
    prepared = request(cases.a_memo_with_evidence())
    plan, runs = prepared.request.plan, prepared.request.runs

    assert (plan.varied, plan.looks, plan.look, plan.warmup_steps) == (("max_batch",), 1, 1, 0)
    assert plan.minimum_requests >= 0
    assert "model" in plan.required or plan.required
    assert {(run.arm, run.block, run.placement, run.placement_verified) for run in runs} == {
        (arm, block, "host-1", True) for arm in ("baseline", "candidate") for block in cases.BLOCKS
    }
    (predicted,) = (p for p in prepared.request.predictions if p.key == "P1")
    assert predicted.registered_ns
    assert predicted.registered_ns < min(run.run.started_ns or 0 for run in runs)


@pytest.mark.parametrize(("slo", "limit"), [("900.5", Fraction("900.5")), ("", None)])
def test_the_limit_of_the_template_is_that_of_the_comparison(slo: str, limit: Fraction | None) -> None:
    if slo:
        deeds.published_with_limit(slo)

    prepared = request(cases.a_memo_with_evidence())

    assert prepared.request.plan.slo == limit


def test_without_a_plan_the_memo_says_what_is_varied_on_purpose() -> None:
    memo = cases.a_memo_with_evidence()
    sections = deeds.sections_of(memo)
    rows = [
        {"name": name, "baseline": "8", "candidate": "32", "on_purpose": purpose, "source": "typed"}
        for name, purpose in (("max_batch", True), ("driver", False), ("compiler", True))
    ]
    deeds.revise(memo, {"change": {**sections["change"], "rows": rows}})
    under_the_plan = request(cases.again(memo)).request.plan.varied
    section = deeds.sections_of(memo)["comparisons"]
    next(row for row in section["comparisons"] if row["key"] == "C1")["slice"] = "all"
    deeds.revise(memo, {"comparisons": section})
    row = deeds.open_set(memo, plan="")
    deeds.attach(row, deeds.file_of(cases.runs_file(SLOWER, START), "slower.json"), *deeds.arms())
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    without_a_plan = deeds.compute(cases.again(memo))

    assert under_the_plan == ("max_batch",)
    assert without_a_plan.inputs["plan"]["varied"] == ["compiler", "max_batch"]

    deeds.revise(memo, {"change": {**sections["change"], "rows": rows[1:]}})
    assert assessments.comparison_of(deeds.content(cases.again(memo)), "C1").assessment == ""


@pytest.mark.parametrize(
    ("planned", "cut", "rows"),
    [
        ({"warmup_steps": 10, "minimum_steps": 50}, "10 steps", {10}),
        ({"warmup_seconds": "2.5"}, "2.5 s", {16, 17}),
    ],
)
def test_the_warmup_of_the_plan_is_cut_and_computing_again_gives_the_same_digest(
    planned: dict[str, object], cut: str, rows: set[int]
) -> None:
    memo = step_runs.a_draft_of_steps(**planned)
    deeds.sealed(memo, step_runs.steps_file(START))
    computed = deeds.compute(memo)
    steps = computed.result["steps"]

    assert (computed.outcome, steps["declared"]) == ("verdict", cut)
    assert {run["cut"] for run in steps["runs"]} == rows
    assert {run["kind"] for run in steps["runs"]} == {"warmup"}
    assert steps["other"]["interval"]["kind"] == "confidence_interval"
    assert assessments.recompute(computed)
    assert request(memo).request.plan.minimum_requests == planned.get("minimum_steps", 0)


def test_seconds_are_refused_where_the_runs_have_no_clock() -> None:
    memo = cases.a_draft()
    usual = cases.plan_content()
    rows = tuple(replace(row, warmup_seconds="10") for row in usual.comparisons)
    plans.register(
        actor=cases.person("ann"), memo_id=memo.pk, content=replace(usual, comparisons=rows), nonce="n",
        registered_at=timezone.now(),
    )  # fmt: skip
    row = deeds.open_set(memo, plan="n")
    deeds.attach(row, deeds.file_of(cases.runs_file(cases.AS_MEASURED, START)), *deeds.arms())
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    assert deeds.compute(cases.again(memo)).result["refusal"]["code"] == "aggregate_only"


def test_two_files_of_one_name_with_runs_of_one_key_are_told_apart() -> None:
    memo = cases.a_planned_draft()
    row = deeds.open_set(memo)
    for arm in ("baseline", "candidate"):
        content = one_run("1", cases.runs_file(cases.AS_MEASURED, START).replace(b"batchbench 1", arm.encode()))
        deeds.attach(row, deeds.file_of(content, "bench.json"), replace(RUN, arm=arm))
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    labels = [run.label for run in request(memo).request.runs]

    assert len(set(labels)) == 2
    assert all(label.startswith("bench.json:1 (") for label in labels)
    assert deeds.compute(memo).result["refusal"]["code"] != "duplicate_run"


def test_a_single_run_that_speaks_is_called_by_its_key() -> None:
    memo = cases.a_planned_draft()
    deeds.sealed(memo, one_run("nightly-7"), RUN)

    assert [run.label for run in request(memo).request.runs] == ["nightly-7"]


def test_a_run_that_the_plan_excludes_does_not_count() -> None:
    memo = a_draft_with_rules("its host was shared", "its clock was wrong")
    (*most, last) = deeds.arms()
    deeds.sealed(
        memo, deeds.on_hosts(dict.fromkeys(cases.BLOCKS, "h")), *most, replace(last, excluded="its host was shared")
    )

    result = deeds.compute(memo).result

    status = {run["label"]: run["status"] for run in result["runs"]}
    assert status["runs.json:b3-candidate"] == "excluded"
    assert status["runs.json:b1-candidate"] == "used"
    assert next(count for count in result["failures"] if count["arm"] == "candidate")["runs"] == 2


def test_motivating_runs_do_not_test_the_answer() -> None:
    memo = cases.a_planned_draft()
    content = cases.runs_file(cases.AS_MEASURED, START)
    (*most, last) = deeds.arms()
    deeds.sealed(memo, content, *most, replace(last, use="motivating"))

    assert len(request(memo).request.runs) == 5
    symptom = replace(assessments.comparison_of(deeds.content(memo), "C1"), purpose="symptom")
    assert len(requests.prepare(memo, deeds.content(memo), symptom).request.runs) == 6


def test_a_typed_placement_is_no_verified_one() -> None:
    memo = cases.a_planned_draft()
    content = cases.runs_file(cases.AS_MEASURED, START).replace(b'{"host": "host-1"}', b"{}")
    deeds.sealed(memo, content, *deeds.arms(placement="h9 GPU-1", placement_source="typed"))

    assert {(run.placement, run.placement_verified) for run in request(memo).request.runs} == {("h9", False)}


def test_a_look_is_a_state_of_the_data() -> None:
    memo = a_draft_with_rules(looks=3)
    content = cases.runs_file(cases.AS_MEASURED, START)
    deeds.sealed(memo, content)
    first = deeds.compute(memo)
    assert deeds.compute(memo) == first

    deeds.sealed(memo, content, *reversed(deeds.arms()), name="renamed.json")
    assert deeds.compute(memo).look == 1
    deeds.sealed(memo, content, *deeds.arms(("b1", "b2")))
    assert deeds.compute(memo).look == 2
    deeds.sealed(memo, cases.runs_file(SLOWER, START))
    assert deeds.compute(memo).look == 3
    deeds.sealed(memo, content)
    assert deeds.compute(memo).look == 1


def test_an_explanation_is_another_assessment_at_the_same_look() -> None:
    memo = cases.a_memo_with_evidence()
    before = Assessment.objects.filter(comparison="C1").get()
    assessments.state_setting(
        actor=cases.person("sam"), memo_id=memo.pk, comparison="C1", setting="driver", arm="baseline", value="7"
    )

    after = deeds.compute(memo)

    assert (after.pk != before.pk, after.look) == (True, 1)


def test_without_a_plan_every_state_of_a_comparison_counts() -> None:
    memo = cases.a_memo_with_evidence()
    section = deeds.sections_of(memo)["comparisons"]
    next(row for row in section["comparisons"] if row["key"] == "C1")["slice"] = "all"
    deeds.revise(memo, {"comparisons": section})
    row = deeds.open_set(memo, plan="")
    deeds.attach(row, deeds.file_of(cases.runs_file(SLOWER, START), "slower.json"), *deeds.arms())
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    computed = deeds.compute(memo)

    assert (computed.plan, computed.look) == (None, 2)


def test_a_file_that_is_read_otherwise_now_is_refused_and_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_with_evidence()
    reading_of = parsing.reading_of
    monkeypatch.setattr(parsing, "reading_of", lambda parse: replace(reading_of(parse), runs=()))

    with refused(Unreadable, "unknown_run"):
        request(memo)


def test_a_file_that_was_never_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_with_evidence()
    monkeypatch.setattr(parsing, "newest", lambda _: None)

    with refused(Unreadable):
        request(memo)


def test_an_instant_is_exact_to_the_microsecond() -> None:
    assert requests.nanoseconds(datetime(2026, 11, 30, 1, 2, 3, 999999, tzinfo=UTC)) % 10**9 == 999999000
