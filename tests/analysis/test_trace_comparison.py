"""Where two traces part: structure before work before time, and the stages in which it may begin as a set."""

import pytest

from analysis.errors import Refused
from analysis.traces import comparison, sequence, timing
from analysis.traces.comparison import TraceComparison, compare
from analysis.traces.events import Events, Kind, Lane
from tests.analysis import traced

STEP: list[traced.Made] = [
    (Kind.OPERATOR, "aten::mm", 0, 20),
    (Kind.OPERATOR, "aten::add", 20, 10),
    (Kind.KERNEL, "gemm<4>", 30, 20),
    (Kind.MEMORY, "Memcpy", 60, 5),
]


def trace(step: list[traced.Made], *, count: int = 5, shift: int = 0) -> Events:
    """Steps whose events grow by 1 ns from step to step: the noise of the baseline."""
    rows = traced.steps(count, inside=step, grow=1)
    return traced.events([(kind, name, start + shift, length) for kind, name, start, length in rows])


def with_(step: list[traced.Made], at: int, **changed: object) -> list[traced.Made]:
    row = dict(zip(("kind", "name", "start", "length"), step[at], strict=True)) | changed
    return [*step[:at], (row["kind"], row["name"], row["start"], row["length"]), *step[at + 1 :]]  # type: ignore[list-item]


def judged(found: TraceComparison) -> dict[str, str]:
    return {stage.stage: stage.judged for stage in found.stages}


def test_a_trace_does_not_part_from_itself_shifted_in_time() -> None:
    found = compare(trace(STEP), trace(STEP, shift=10**12))

    assert (found.divergence, found.found, found.excluded) == ("none", (), ())
    assert found.sentence == "No stage stands apart from the steps of the baseline: what differs may be noise."
    assert set(judged(found).values()) == {"alike"}
    assert found.step.ratio == 1.0
    assert comparison.DESCRIPTION in found.notices


def test_another_operator_is_a_divergence_of_structure_with_its_place() -> None:
    found = compare(trace(STEP), trace(with_(STEP, 1, name="aten::sub")))

    assert found.divergence == "structure"
    assert found.sentence == (
        "The traces do not run the same: in the operators they part at place 2 of a step, where the baseline has"
        " aten::add and the candidate aten::sub. Steps of the candidate that run what no step of the baseline runs: 4;"
        " the other way round: 4."
    )


def test_an_operator_more_is_a_divergence_past_the_end_of_the_baseline() -> None:
    found = compare(trace(STEP[:1]), trace(STEP[:2]))

    assert [(lane.at, lane.baseline, lane.candidate) for lane in found.lanes] == [(2, "", "aten::add")]
    assert "the baseline has nothing more" in found.sentence


def test_an_operator_less_is_found_as_well() -> None:
    found = compare(
        traced.events([*traced.steps(3, inside=STEP[:2]), (Kind.OPERATOR, "aten::more", 250, 5)]),
        traced.events(traced.steps(3, inside=STEP[:2])),
    )

    assert [(lane.at, lane.candidate, lane.steps) for lane in found.lanes] == [(3, "", (1, 0))]


def test_what_some_step_of_the_baseline_runs_as_well_is_no_divergence() -> None:
    varying = traced.events([*traced.steps(4, inside=STEP[:2]), (Kind.OPERATOR, "aten::sub", 380, 5)])

    found = compare(varying, varying)

    assert [lane.what for lane in found.lanes] == ["none"]
    assert "Steps of the baseline differ among themselves in the operators: 2 sequences." in found.notices


def test_kernels_part_by_their_normalised_names() -> None:
    same = compare(trace(STEP), trace(with_(STEP, 2, name="gemm<8>")))
    other = compare(trace(STEP), trace(with_(STEP, 2, name="conv<8>")))

    assert (same.divergence, other.divergence) == ("none", "structure")
    assert "in the kernels of stream 1 they part at place 1" in other.sentence


def test_a_stream_that_one_trace_lacks_is_empty_there() -> None:
    two = traced.events(
        [*traced.steps(1), (Kind.KERNEL, "a", 0, 5), (Kind.KERNEL, "b", 10, 5)],
        lanes=[traced.HOST, Lane("0", "7"), Lane("0", "8")],
    )
    one = traced.events([*traced.steps(1), (Kind.KERNEL, "a", 0, 5)])

    assert [(lane.lane, lane.what, lane.candidate) for lane in compare(one, two).lanes] == [
        ("kernels of stream 1", "none", ""), ("kernels of stream 2", "names", "b"),
    ]  # fmt: skip


def shaped(shapes: list[str]) -> Events:
    return traced.events(traced.steps(3, inside=STEP[:2]), shapes=["", *shapes] * 3)


def test_the_same_names_on_other_shapes_are_a_divergence_of_work() -> None:
    found = compare(shaped(["[[4]]", "[[4]]"]), shaped(["[[4]]", "[[8]]"]))

    assert found.divergence == "work"
    assert "run the same names on different shapes" in found.sentence
    assert (
        "at place 2 of a step, where the baseline has aten::add [[4]] and the candidate aten::add [[8]]"
        in found.sentence
    )
    assert [lane.steps for lane in found.lanes] == [(3, 3)]


def test_shapes_that_one_trace_did_not_record_are_not_compared() -> None:
    assert compare(shaped(["", ""]), shaped(["[[4]]", "[[8]]"])).divergence == "none"


def test_time_is_held_against_the_steps_of_the_baseline_and_gives_a_set() -> None:
    slow = with_(STEP, 2, length=25)

    found = compare(trace(STEP), trace(slow))

    assert (found.divergence, found.found, found.excluded) == ("time", ("compute",), ("host operators",))
    assert found.sentence == (
        "The traces run the same, and part in time: compute stands apart from every step of the baseline; excluded, as"
        " alike, is host operators."
    )
    assert judged(found) == {"host operators": "alike", "compute": "apart", "memory": "alike"}
    compute = found.stages[1]
    assert [compute.baseline, compute.candidate] == pytest.approx([22.5e-9, 27.5e-9])
    assert compute.noise is not None
    assert list(compute.noise) == pytest.approx([21 / 22.5, 24 / 22.5])


def test_a_stage_that_is_neither_alike_nor_apart_is_not_excluded() -> None:
    step = [(Kind.KERNEL, "gemm", 30, 20), (Kind.MEMORY, "Memcpy", 60, 5)]
    late: list[traced.Made] = [(Kind.KERNEL, "gemm", 30, 23), (Kind.MEMORY, "Memcpy", 60, 25)]

    found = compare(trace(step), trace(late))

    assert (found.found, found.excluded) == (("compute", "memory"), ())
    assert "; not excluded is compute." in found.sentence


@pytest.mark.parametrize(
    ("judgements", "found", "excluded"),
    [
        ("alike alike", "", ""),
        ("apart alike", "a", ""),
        ("alike apart", "b", "a"),
        ("alike open open apart apart", "bcd", "a"),
        ("open", "", ""),
    ],
)
def test_the_set_ends_at_the_first_stage_that_stands_apart(judgements: str, found: str, excluded: str) -> None:
    stages = [
        timing.StageDifference(name, 1.0, 1.0, 1.0, None, how)  # type: ignore[arg-type]
        for name, how in zip("abcde", judgements.split(), strict=False)
    ]

    assert timing.divergence_set(stages) == (tuple(found), tuple(excluded))


def test_several_stages_are_listed_in_the_sentence() -> None:
    same: list[traced.Made] = [(Kind.OPERATOR, "o", 0, 9), (Kind.LAUNCH, "l", 10, 9), *STEP[2:]]
    late = with_(with_(with_(same, 1, length=12), 2, length=23), 3, length=25)

    found = compare(trace(same), trace(late))

    assert "excluded, as alike, is host operators; not excluded are host launch, compute." in found.sentence


def test_with_few_steps_the_time_is_not_judged() -> None:
    found = compare(trace(STEP, count=2), trace(with_(STEP, 2, length=90), count=2))

    assert found.divergence == "none"
    assert "is not judged: that takes 3 steps of each" in found.sentence
    assert found.step.noise is None


def test_a_stage_that_only_the_candidate_has_has_no_ratio() -> None:
    found = compare(trace(STEP), trace([*STEP, (Kind.COMMUNICATION, "nccl", 80, 5)]))

    stage = next(stage for stage in found.stages if stage.stage == "communication")
    assert (stage.baseline, stage.ratio, stage.noise, stage.judged) == (0.0, None, None, "apart")


def test_kernels_are_compared_per_step() -> None:
    found = compare(trace(STEP), trace([*STEP, (Kind.KERNEL, "gemm<8>", 80, 5), (Kind.KERNEL, "new", 90, 1)]))

    assert [(k.name, k.baseline_count, k.candidate_count) for k in found.kernels] == [("gemm", 1, 2), ("new", 0, 1)]
    assert found.kernels[0].baseline == pytest.approx(22.5e-9)


def test_a_kernel_outside_the_steps_counts_in_none() -> None:
    found = compare(trace([]), traced.events([*traced.steps(3), (Kind.KERNEL, "after", 900, 5)]))

    assert found.kernels == ()


def test_the_first_of_many_steps_is_left_out_and_said() -> None:
    found = compare(trace(STEP), trace(STEP, count=3))

    assert found.steps == (4, 3)
    assert "The first step of the baseline, ProfilerStep#10, is left out: it is often long." in found.notices


def test_traces_without_steps_are_compared_whole() -> None:
    found = compare(traced.events(STEP), traced.events(STEP))

    assert found.divergence == "none"
    assert "The candidate marks no steps: the whole trace is compared as one." in found.notices


@pytest.mark.parametrize("arm", ["baseline", "candidate"])
def test_an_empty_trace_is_refused(arm: str) -> None:
    arms = [traced.events([]), traced.events(STEP)]

    with pytest.raises(Refused, match=f"The {arm} holds no timed event") as refusal:
        compare(*(arms if arm == "baseline" else reversed(arms)))

    assert refusal.value.code == "no_events"


@pytest.mark.parametrize("arm", ["baseline", "candidate"])
def test_a_trace_with_steps_is_not_compared_with_one_without(arm: str) -> None:
    arms = [traced.events(STEP), trace(STEP)]

    with pytest.raises(Refused, match=f"A trace of the {arm} marks no steps") as refusal:
        compare(*(arms if arm == "baseline" else reversed(arms)))

    assert refusal.value.code == "steps_differ"


def test_going_together_to_the_end_counts_as_longest() -> None:
    assert sequence.together(("a",), ("a",)) > sequence.together(("a",), ("a", "b")) > sequence.together(("b",), ("a",))


def test_a_rename_by_the_vendor_of_a_library_is_shown_and_no_divergence() -> None:
    ours = with_(STEP, 1, name="aten::cudnn_convolution")
    theirs = with_(STEP, 1, name="aten::miopen_convolution")

    found = compare(trace(ours), trace(theirs))

    assert (found.divergence, found.renamed) == ("none", (("aten::cudnn_convolution", "aten::miopen_convolution"),))


def test_behind_a_rename_the_first_divergence_is_found_under_the_names_of_each_arm() -> None:
    ours = [*with_(STEP, 1, name="aten::cudnn_convolution"), (Kind.OPERATOR, "aten::cudnn_affine", 31, 5)]
    theirs = [*with_(STEP, 1, name="aten::miopen_convolution"), (Kind.OPERATOR, "aten::relu", 31, 5)]

    found = compare(trace(ours), trace(theirs))

    assert [(lane.at, lane.baseline, lane.candidate) for lane in found.lanes if lane.what == "names"] == [
        (3, "aten::cudnn_affine", "aten::relu")
    ]


def test_shapes_of_what_is_renamed_are_compared() -> None:
    events = [
        traced.events(traced.steps(3, inside=[(Kind.OPERATOR, name, 0, 20)]), shapes=["", shape] * 3)
        for name, shape in (("aten::cudnn_convolution", "[[4]]"), ("aten::miopen_convolution", "[[8]]"))
    ]

    [lane] = compare(*events).lanes

    assert (lane.what, lane.baseline, lane.candidate) == (
        "shapes", "aten::cudnn_convolution [[4]]", "aten::miopen_convolution [[8]]"
    )  # fmt: skip


def test_what_both_arms_call_alike_is_not_renamed() -> None:
    both = [*STEP, (Kind.OPERATOR, "aten::cudnn_convolution", 31, 5)]

    assert compare(trace(both), trace(both)).renamed == ()


def test_what_some_run_of_an_arm_runs_belongs_to_the_arm() -> None:
    usual, other = trace(STEP), trace(with_(STEP, 1, name="aten::sub"))

    assert comparison.compare_runs((usual, other), (other, usual)).divergence == "none"
    found = comparison.compare_runs((usual, usual), (usual, other))

    assert (found.divergence, found.lanes[0].steps) == ("structure", (0, 4))


def test_times_of_several_runs_are_described_and_not_judged_by_their_steps() -> None:
    slow = trace(with_(STEP, 2, length=25))

    found = comparison.compare_runs((trace(STEP), trace(STEP)), (slow, slow))

    assert (found.divergence, found.sentence) == ("none", "The traces run the same names in the same order.")
    assert set(judged(found).values()) == {"open"}
    assert "The first step of 2 of 2 traces of the baseline is left out: it is often long." in found.notices
    assert comparison.DESCRIPTION not in found.notices


def test_of_several_traces_without_steps_each_is_one() -> None:
    whole = traced.events(STEP)

    found = comparison.compare_runs((whole, whole), (whole,))

    assert "The baseline marks no steps: each whole trace is one step." in found.notices
    assert "The candidate marks no steps: the whole trace is compared as one." in found.notices
