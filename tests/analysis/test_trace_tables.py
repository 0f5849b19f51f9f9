"""Tables of the times of stages: where they part, and what they cannot say."""

import json
import math
from collections.abc import Mapping, Sequence

import pytest

from analysis.errors import Refused
from analysis.localise import stage_of
from analysis.procedures import welch
from analysis.trace_answer import TraceAnswer, answer, from_json, to_json
from analysis.trace_chart import timeline_chart
from analysis.traced_runs import TracedRun
from analysis.traces import tables
from analysis.traces.events import Kind
from analysis.traces.tables import StageTable
from tests.analysis import tabled, traced

LOAD, FORWARD = (1.0, 1.1, 1.2), (2.0, 2.1, 2.2)


def pair(baseline: StageTable, candidate: StageTable) -> TraceAnswer:
    return answer([tabled.run("a", baseline)], [tabled.run("b", candidate)])


def staged(**stages: Sequence[float]) -> StageTable:
    return tabled.table(stages)


def test_a_slower_stage_is_established_over_runs_and_the_one_before_is_excluded() -> None:
    found = answer(tabled.arm(0), tabled.arm(1, slower=1.2))

    assert (found.divergence, found.found, found.excluded) == ("time", ("forward",), ("load",))
    assert found.sentence.startswith("The tables list the same stages. In time: Divergence is established at forward")
    assert (found.description.steps, found.tables) == ((18, 18), True)
    assert found.stages is not None
    logs = [[math.log((2 + noise) * factor) for noise in tabled.NOISE] for factor in (1.0, 1.2)]
    expected = stage_of("forward", welch(*logs), stages=3, confidence=0.95)
    part = found.stages.stages[1]
    assert (part.lo, part.hi) == pytest.approx([math.exp(end) for end in expected.simultaneous], rel=1e-9)


def test_the_whole_step_is_that_of_the_table_or_else_its_stages_together() -> None:
    whole, together = (answer(tabled.arm(0, whole=w), tabled.arm(1, slower=1.2, whole=w)) for w in (True, False))

    assert whole.step is not None
    assert together.step is not None
    assert (whole.step.name, together.step.name) == (tables.WHOLE, tables.TOGETHER)
    assert whole.description.step.stage == tables.WHOLE
    assert together.description.step.baseline == pytest.approx(6.02, abs=0.01)
    assert together.step.estimate == pytest.approx(6.4 / 6, rel=0.01)


def test_one_table_of_each_arm_is_held_against_the_repetitions_of_the_baseline() -> None:
    found = pair(staged(load=LOAD, forward=FORWARD), staged(load=LOAD, forward=(3.0, 3.1, 3.2)))

    assert (found.divergence, found.found, found.excluded) == ("time", ("forward",), ("load",))
    assert found.sentence == (
        "The tables list the same stages, and part in time: forward stands apart from every repetition of the baseline;"
        " excluded, as alike: load."
    )
    assert "this is no verdict" in found.notices[0]
    assert tables.NO_MOMENTS in found.notices
    assert tables.EXCLUSIVE in found.notices
    assert (found.devices, found.timelines, timeline_chart(found)) == ((), (), None)


def test_what_is_not_excluded_before_the_stage_that_stands_apart_is_named() -> None:
    found = pair(staged(load=LOAD, forward=FORWARD), staged(load=(1.15, 1.25, 1.3), forward=(3.0, 3.1, 3.2)))

    assert found.found == ("load", "forward")
    assert found.sentence.endswith("; not excluded: load.")


def test_repetitions_that_lie_among_those_of_the_baseline_may_be_noise() -> None:
    found = pair(staged(load=LOAD), staged(load=LOAD))

    assert found.divergence == "none"
    assert "what differs may be noise" in found.sentence


def test_without_repetitions_there_is_no_noise_to_hold_a_difference_against() -> None:
    found = pair(staged(load=(1.0,)), staged(load=(9.0,)))

    assert found.divergence == "none"
    assert "that takes 3 repetitions of each, or several runs of each arm" in found.sentence


@pytest.mark.parametrize(
    ("candidate", "place", "names"),
    [
        ({"forward": FORWARD, "load": LOAD}, 1, ("load", "forward")),
        ({"load": LOAD, "backward": FORWARD}, 2, ("forward", "backward")),
        ({"load": LOAD}, 2, ("forward", "nothing more")),
    ],
)
def test_other_stages_or_another_order_is_another_structure(
    candidate: Mapping[str, Sequence[float]], place: int, names: tuple[str, str]
) -> None:
    found = pair(staged(load=LOAD, forward=FORWARD), tabled.table(candidate))

    assert found.divergence == "structure"
    assert f"they part at place {place}, where the baseline has {names[0]} and the candidate {names[1]}." in (
        found.sentence
    )


def test_stages_that_not_every_table_has_are_not_compared_in_time() -> None:
    found = pair(staged(load=LOAD, forward=FORWARD), staged(load=LOAD, backward=FORWARD))

    assert [stage.stage for stage in found.description.stages] == ["load"]
    assert found.notices[-1] == "Not compared in time, because not every table has them: forward, backward."


def test_runs_that_share_no_stage_have_no_interval() -> None:
    arms = [[tabled.run(f"{name}{n}", staged(**{name: (1.0 + n,)})) for n in range(2)] for name in ("load", "forward")]

    found = answer(*arms)

    assert found.stages is not None
    assert found.stages.refusal is not None
    assert found.stages.refusal.code == "stages_differ"


def test_the_first_of_four_repetitions_is_left_out_unless_the_table_marks_its_warmup() -> None:
    free, marked = (tabled.table({"load": (9.0, 1.0, 1.1, 1.2)}, marked=known) for known in (False, True))

    assert pair(free, free).description.steps == (3, 3)
    assert "The first repetition of 1 of 1 tables of the baseline is left out" in " ".join(pair(free, free).notices)
    assert pair(marked, marked).description.steps == (4, 4)


def test_stages_that_take_longer_together_than_the_step_are_said_to_overlap() -> None:
    over = tabled.table({"load": LOAD, "forward": FORWARD}, whole=(2.0, 2.1, 2.2))

    assert "In 1 of 1 tables of the candidate the stages take longer together" in " ".join(pair(over, over).notices)


def test_tables_by_name_part_in_their_names_and_in_how_often_each_was_called() -> None:
    one = tabled.by_name(gemm=(2, 1.0), add=(3, 0.5))
    more, other = tabled.by_name(gemm=(4, 2.0), add=(3, 0.5)), tabled.by_name(gemm=(2, 1.0), mul=(3, 0.5))

    work, structure = pair(one, more), pair(one, other)

    assert (work.divergence, structure.divergence) == ("work", "structure")
    assert "where the baseline has gemm called 2 times and the candidate gemm called 4 times" in work.sentence
    assert "in the names, in the order of the alphabet, they part at place 1" in structure.sentence
    assert tables.BY_NAME in work.notices
    assert [(row.name, row.baseline_count, row.candidate_count) for row in work.description.kernels] == [
        ("gemm", 2, 4), ("add", 3, 3),
    ]  # fmt: skip
    assert {row.name: row.candidate for row in structure.description.kernels} == {"add": 0, "mul": 0.5, "gemm": 1.0}


def test_names_of_several_tables_are_their_mean() -> None:
    arms = [
        [tabled.run(f"{arm}{n}", tabled.by_name(gemm=(2, 1.0 + n / 10 + at))) for n in range(3)]
        for at, arm in enumerate("ab")
    ]

    [row] = answer(*arms).description.kernels

    assert [row.baseline, row.candidate, row.baseline_count] == pytest.approx([1.1, 2.1, 2])


def test_traces_and_tables_or_tables_of_two_kinds_are_not_compared() -> None:
    trace = TracedRun("t", traced.events([(Kind.KERNEL, "k", 0, 5)]))
    rows = tabled.run("s", staged(load=LOAD)), tabled.run("n", tabled.by_name(gemm=(1, 1.0)))

    for baseline, candidate in ((trace, rows[0]), (rows[0], trace), rows):
        with pytest.raises(Refused) as refusal:
            answer([baseline], [candidate])
        assert refusal.value.code == "kinds_differ"


def test_an_answer_about_tables_survives_its_json_and_older_ones_are_of_traces() -> None:
    found = answer(tabled.arm(0), tabled.arm(1, slower=1.2))
    plain = json.loads(json.dumps(to_json(found)))

    assert from_json(plain) == found
    del plain["tables"]
    assert not from_json(plain).tables
