"""Marks on the playbook, replays and bisections, and their steps."""

from dataclasses import replace
from fractions import Fraction

import pytest

from reviews.errors import BadInput, NotVisible, WrongState
from reviews.models import Event, Memo
from reviews.plan_content import plan_from_json
from reviews.queries.triage import TriageBoard, triage_board
from reviews.services import triage
from tests import cases, triaged
from tests.services import deeds

pytestmark = pytest.mark.django_db


def board(memo: Memo, name: str = "ann") -> TriageBoard:
    return triage_board(cases.person(name), cases.again(memo), Fraction(1, 100))


def mark(memo: Memo, step: int, *, done: bool = True, note: str = "Seen.", artifact: str = "") -> None:
    triage.mark(actor=cases.person("sam"), memo_id=memo.pk, step=step, done=done, note=note, artifact=artifact)


def test_a_step_is_marked_by_a_named_person_with_a_note_and_a_file_and_the_newest_mark_counts() -> None:
    memo = triaged.a_memo()
    file = memo.evidence_sets.get().attachments.order_by("pk")[0].artifact.sha256
    before = board(memo)
    mark(memo, 3, note="The profiler shows it.", artifact=file)

    step = board(memo).steps[2]
    assert step.marked is not None
    assert (step.marked.by_name, step.marked.note) == (cases.person("sam").get_full_name(), "The profiler shows it.")
    assert step.marked.artifact is not None
    assert step.state == "open"
    assert board(memo).answered == before.answered + 1
    mark(memo, 3, done=False, note="It was another run.")
    assert board(memo).steps[2].marked is None
    assert [one.done for one in board(memo).steps[2].marks] == [False, True]
    assert Event.objects.filter(action="mark_step").count() == 2


@pytest.mark.parametrize(
    ("step", "note", "artifact", "error", "code"),
    [
        (0, "x", "", NotVisible, "not_found"),
        (6, "x", "", NotVisible, "not_found"),
        (1, " ", "", BadInput, "no_note"),
        (1, "x", "f" * 64, NotVisible, "not_found"),
    ],
)
def test_a_mark_that_says_nothing_or_shows_nothing_is_refused(
    step: int, note: str, artifact: str, error: type[Exception], code: str
) -> None:
    memo = triaged.a_memo()

    with pytest.raises(error) as refused:
        mark(memo, step, note=note, artifact=artifact)

    assert refused.value.code == code  # type: ignore[attr-defined]


def test_a_step_of_a_bisection_has_a_plan_a_set_and_a_comparison_of_its_own() -> None:
    memo = triaged.a_memo()
    replay = triaged.a_bisection(memo)
    step = triage.begin_step(actor=cases.person("ann"), memo_id=memo.pk, replay=replay.number, build="v2")

    plan = plan_from_json(step.plan.content)
    (row,) = plan.comparisons
    assert (row.key, row.purpose, row.role, row.equivalence_level) == ("C4", "replay", "screening", "0.90")
    assert (row.metric, row.margin) == ("throughput", "0.98")
    assert triaged.SAME in plan.purpose
    assert plan.varied == ("max_batch",)
    assert [(one.arm, one.block) for one in plan.runs] == [
        (arm, f"b{block}") for block in (1, 2, 3) for arm in ("baseline", "candidate")
    ]
    assert step.evidence_set.plan == step.plan
    assert deeds.content(memo).comparisons.comparisons[-1].plan == step.plan.nonce


def test_a_build_between_the_ends_judges_no_prediction_of_the_candidate() -> None:
    memo = triaged.a_searched_memo()

    (line,) = board(memo).matrix.lines
    assert {one.comparison for cell in line.cells for one in cell.judged} == {"C1"}


def test_a_build_is_placed_by_its_verdict_and_the_next_one_named_with_what_it_takes() -> None:
    memo = triaged.a_memo()
    replay = triaged.a_bisection(memo)
    (found,) = board(memo).replays
    assert found.bisection is not None
    assert (found.bisection.next, found.bisection.runs_most) == ("v2", 12)
    assert found.minutes_each == pytest.approx(1.0, rel=0.3)
    assert found.runs_advised is not None
    assert found.runs_advised >= 2

    triaged.run(memo, replay, "v2", triaged.ALIKE)
    (found,) = board(memo).replays
    assert [(one.row.build, one.standing) for one in found.steps] == [("v2", "as_the_base")]
    assert found.bisection is not None
    assert (found.bisection.after, found.bisection.upto, found.bisection.next) == ("v2", "v4", "v3")
    triaged.run(memo, replay, "v3", triaged.SLOWER)
    (found,) = board(memo).replays
    assert found.bisection is not None
    assert found.bisection.located
    assert found.bisection.sentence.startswith("The effect begins at v3:")


def test_builds_that_contradict_each_other_are_told_instead_of_a_place() -> None:
    memo = triaged.a_memo()
    replay = triaged.a_bisection(memo)
    triaged.run(memo, replay, "v1", triaged.SLOWER)
    triaged.run(memo, replay, "v3", triaged.ALIKE)

    (found,) = board(memo).replays
    assert found.bisection is None
    assert found.refused is not None
    assert found.refused.code == "not_monotone"


def test_a_step_waits_for_its_verdict_before_its_build_is_run_again() -> None:
    memo = triaged.a_memo()
    replay = triaged.a_bisection(memo)
    triage.begin_step(actor=cases.person("ann"), memo_id=memo.pk, replay=replay.number, build="v2")

    (found,) = board(memo).replays
    assert found.steps[0].said == "It waits for the runs of set 2."
    assert "v2" not in found.to_begin
    with pytest.raises(WrongState) as refused:
        triage.begin_step(actor=cases.person("ann"), memo_id=memo.pk, replay=replay.number, build="v2")
    assert refused.value.code == "step_waits"


@pytest.mark.parametrize(("replay", "build"), [(2, "v2"), (1, "v0"), (1, "v9")])
def test_no_step_of_an_unknown_replay_or_build(replay: int, build: str) -> None:
    memo = triaged.a_memo()
    triaged.a_bisection(memo)

    with pytest.raises(NotVisible):
        triage.begin_step(actor=cases.person("ann"), memo_id=memo.pk, replay=replay, build=build)


@pytest.mark.parametrize(
    ("builds", "changes", "code"),
    [
        (("v0",), {}, "too_few_builds"),
        (("v0", "v1", "v1"), {}, "named_twice"),
        (("v0", "v1", "x" * 201), {}, "too_long"),
        (("v0", "v1"), {"runs_each": 1}, "too_few_runs"),
        (("v0", "v1"), {"condition": "x" * 201}, "bad_condition"),
    ],
)
def test_a_replay_that_cannot_tell_anything_is_refused(
    builds: tuple[str, ...], changes: dict[str, int | str], code: str
) -> None:
    memo = triaged.a_memo()

    with pytest.raises(BadInput) as refused:
        triage.plan_replay(
            actor=cases.person("ann"),
            memo_id=memo.pk,
            wish=triaged.wish(*builds, **changes),  # type: ignore[arg-type]
        )

    assert refused.value.code == code


def test_a_bisection_needs_an_effect_beyond_its_margin_and_a_replay_does_not() -> None:
    memo = cases.a_memo_with_evidence(runs=triaged.ALIKE)

    with pytest.raises(BadInput) as refused:
        triaged.a_bisection(memo)
    assert refused.value.code == "nothing_to_locate"
    triage.plan_replay(actor=cases.person("ann"), memo_id=memo.pk, wish=triaged.wish("v0", "v4"))
    (found,) = board(memo).replays
    assert (found.bisection, found.refused) == (None, None)


def test_a_replay_registers_what_the_hypotheses_predict_under_its_condition() -> None:
    memo = triaged.a_memo()
    content = deeds.content(memo)
    first = content.hypotheses.hypotheses[0]
    fresh = replace(first.predictions[0], key="P9", condition="kernels alone", plan="", registered_at="")
    rows = (replace(first, predictions=(*first.predictions, fresh)), *content.hypotheses.hypotheses[1:])
    deeds.revise(memo, {"hypotheses": replace(content.hypotheses, hypotheses=rows)})
    replay = triage.plan_replay(
        actor=cases.person("ann"), memo_id=memo.pk, wish=triaged.wish("v0", "v4", condition="kernels alone")
    )
    step = triage.begin_step(actor=cases.person("ann"), memo_id=memo.pk, replay=replay.number, build="v4")

    registered = plan_from_json(step.plan.content)
    assert [(one.hypothesis, one.prediction.key) for one in registered.predictions] == [("H1", "P9")]
    assert registered.comparisons[0].role == "claim"
    assert registered.comparisons[0].equivalence_level == ""
    known = {p.key: p.plan for p in deeds.content(memo).hypotheses.hypotheses[0].predictions}
    assert known["P9"] == step.plan.nonce
