"""How far an effect may be attributed, from what a memo records; each test breaks or adds one fact."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from analysis import assess
from analysis.assess import AssessmentResult
from analysis.hypothesis import Judgement
from analysis.notices import Refusal
from reviews.queries.ladder import Attributed, Fact, attributed
from reviews.sections import ChangeRow, Comparison, Comparisons, Evidence, MemoContent, SealedSet
from tests.analysis import props
from tests.policies.open_gate import CONTENT, a_comparison, an_attachment

C1 = a_comparison("C1", "throughput", "rate", role="primary", purpose="symptom")
QUALITY = a_comparison("C2", "answer_accuracy", "mean", purpose="symptom")
REPLAY = a_comparison("C3", "throughput", "rate", role="", purpose="replay", evidence_set=2, plan="n2")
FIX = a_comparison("C4", "throughput", "rate", role="guardrail", purpose="fix_check", evidence_set=3, plan="n3")

SLOWER = assess.assess(props.BLOCKED)
assert SLOWER.verdict is not None
EQUIVALENT = replace(
    SLOWER.verdict, direction="not_established", materiality="within_margin", headline="Equivalent within 2%"
)
EQUAL = replace(SLOWER, verdict=EQUIVALENT)
WORSE_QUALITY = SLOWER


def judged(key: str, hypothesis: str, outcome: Any, *, post_hoc: bool = False) -> Judgement:
    return Judgement(key, hypothesis, outcome, post_hoc, "", "")


TELLING = replace(EQUAL, judgements=(judged("P1", "H1", "supported"), judged("P2", "H2", "refuted")))
RESULTS: dict[str, AssessmentResult] = {"C1": SLOWER, "C2": EQUAL, "C3": TELLING, "C4": EQUAL}


def a_set(number: int, *runs: tuple[str, str]) -> SealedSet:
    return SealedSet(
        number=number, title="", plan=f"n{number}", sealed_at="", sealed_by="sam",
        attachments=(
            *(an_attachment(artifact=artifact, run=run, arm="baseline") for artifact, run in runs),
            an_attachment(artifact="shared notes"),
        ),
    )  # fmt: skip


SETS = (a_set(1, ("one", "")), a_set(2, ("two", "r1")), a_set(3, ("two", "r2")))


def content(
    *rows: Comparison, sets: tuple[SealedSet, ...] = SETS, change: tuple[ChangeRow, ...] | None = None
) -> MemoContent:
    found = replace(CONTENT, comparisons=Comparisons(comparisons=rows), evidence=Evidence(sets=sets))
    return found if change is None else replace(found, change=replace(found.change, rows=change))


WHOLE = (C1, QUALITY, REPLAY, FIX)


def climbed(*rows: Comparison, results: Mapping[str, AssessmentResult] = RESULTS, **parts: Any) -> Attributed:
    return attributed(content(*(rows or WHOLE), **parts), results)


def fact(found: Attributed, name: str) -> str:
    return next(one.said for one in found.facts if one.what == name)


def test_a_verified_fix_is_the_highest_rung_and_nothing_lifts_it() -> None:
    found = climbed()

    assert (found.comparison, found.rung, found.lifts) == ("C1", 4, ())
    assert "The fix is verified" in found.sentence
    assert fact(found, "effect") == "C1 (throughput rate): Regression of at least 2% established."
    assert fact(found, "design") == "Blocks with one run of each arm."
    assert fact(found, "quality") == "C2 (answer_accuracy mean): Equivalent within 2%."
    assert fact(found, "replay") == "C3: supports P1 of H1 and refutes H2, of the registered predictions."
    assert "no file records it" in fact(found, "fix check")


def test_without_a_primary_comparison_nothing_is_attributed() -> None:
    for rows in ((QUALITY,), (replace(C1, purpose="replay"),), (replace(C1, role="screening"),)):
        found = climbed(*rows)
        assert (found.comparison, found.rung) == ("", 0)
        assert found.facts == (Fact("effect", "No comparison of the memo is the primary one."),)
        assert found.lifts == ("Make one comparison the primary one.",)


def test_the_symptom_is_what_is_explained_where_the_memo_has_one() -> None:
    fix = replace(FIX, role="primary")

    assert climbed(fix, C1, QUALITY, REPLAY).comparison == "C1"
    assert climbed(fix, QUALITY, REPLAY).comparison == "C4"


@pytest.mark.parametrize(
    ("result", "said", "lift"),
    [
        (None, "C1 (throughput rate): It is not computed yet.", ()),
        (EQUAL, "C1 (throughput rate): Equivalent within 2%.", ()),
        (
            replace(SLOWER, outcome="withheld", refusal=Refusal("x", "Two blocks.", "Add runs.")),
            "C1 (throughput rate): No verdict, withheld: Two blocks.",
            ("Add runs.",),
        ),
        (
            replace(SLOWER, outcome="refused", design=None, refusal=Refusal("x", "One block.", "")),
            "C1 (throughput rate): No verdict, refused: One block.",
            (),
        ),
    ],
)
def test_nothing_is_attributed_that_is_not_established(
    result: AssessmentResult | None, said: str, lift: tuple[str, ...]
) -> None:
    results = {key: found for key, found in {**RESULTS, "C1": result}.items() if found is not None}
    found = climbed(results=results)

    assert (found.rung, fact(found, "effect")) == (0, said)
    assert found.lifts == ("Establish a difference in C1 (throughput rate).", *lift)


def designed(kind: Any, overlap: float | None) -> AssessmentResult:
    assert SLOWER.design is not None
    return replace(SLOWER, design=replace(SLOWER.design, kind=kind), overlap=overlap)


@pytest.mark.parametrize(
    ("kind", "overlap", "rung", "said", "lift"),
    [
        ("blocked", 0.0, 1, "One arm ran after the other", "in blocks, or interleaved"),
        ("two_systems", 1.0, 1, "One system per arm", "same system"),
        ("independent", 0.2, 1, "overlap by 0.2 in time", "in blocks, or interleaved"),
        ("independent", None, 1, "Not recorded: the runs have no start times.", "recorded start times"),
        ("independent", 0.8, 4, "overlap by 0.8 in time", ""),
        ("blocked", None, 4, "Blocks with one run of each arm.", ""),
    ],
)
def test_the_design_decides_whether_it_is_the_change(
    kind: str, overlap: float | None, rung: int, said: str, lift: str
) -> None:
    found = climbed(results={**RESULTS, "C1": designed(kind, overlap)})

    assert found.rung == rung
    assert said in fact(found, "design")
    assert lift in " ".join(found.lifts)


def test_quality_that_is_not_recorded_keeps_the_rung_conditional() -> None:
    for rows in ((C1, REPLAY, FIX), (C1, replace(QUALITY, role="claim"), REPLAY, FIX),
                 (C1, replace(QUALITY, purpose="fix_check"), REPLAY, FIX)):  # fmt: skip
        found = climbed(*rows)
        assert (found.rung, "if quality" in found.sentence) == (2, True)
        assert fact(found, "quality").startswith("Not recorded")
        assert found.lifts == ("Compare quality as a guardrail of the same purpose.",)


def test_a_quality_guardrail_without_a_verdict_is_no_answer() -> None:
    found = climbed(results={key: r for key, r in RESULTS.items() if key != "C2"})

    assert (found.rung, found.lifts) == (2, ("Show that every quality guardrail is not worse than its margin.",))
    assert fact(found, "quality") == "C2 (answer_accuracy mean): It is not computed yet."


def test_worse_quality_is_another_result() -> None:
    found = climbed(results={**RESULTS, "C2": WORSE_QUALITY})

    assert (found.rung, found.sentence) == (
        1, "A difference is established, with other quality: it is not the same result.",
    )  # fmt: skip
    assert found.lifts == ("Compare at the same quality: a guardrail of quality is worse than its margin.",)


@pytest.mark.parametrize(
    ("rows", "results", "sets", "lift"),
    [
        ((C1, QUALITY, FIX), RESULTS, SETS, "Replay the work under a registered plan"),
        ((C1, QUALITY, replace(REPLAY, plan=""), FIX), RESULTS, SETS, "Register a plan for C3"),
        (WHOLE, RESULTS, (SETS[0], a_set(2, ("one", "r1")), SETS[2]), "Give C3 runs of its own"),
        (WHOLE, RESULTS, (SETS[0], a_set(2), SETS[2]), "Give C3 runs of its own"),
        (WHOLE, {**RESULTS, "C3": EQUAL}, SETS, "supported by C3"),
        (
            WHOLE,
            {**RESULTS, "C3": replace(TELLING, judgements=(judged("P1", "H1", "supported"),))},
            SETS,
            "No rival is refuted by C3.",
        ),
        (
            WHOLE,
            {
                **RESULTS,
                "C3": replace(TELLING, judgements=(judged("P1", "H1", "supported"), judged("P3", "H1", "refuted"))),
            },
            SETS,
            "No prediction that was registered before its runs is supported by C3.",
        ),
        (
            WHOLE,
            {
                **RESULTS,
                "C3": replace(
                    TELLING,
                    judgements=(judged("P1", "H1", "supported", post_hoc=True), judged("P2", "H2", "refuted")),
                ),
            },
            SETS,
            "No prediction that was registered before its runs",
        ),
        (WHOLE, {**RESULTS, "C3": replace(TELLING, outcome="withheld")}, SETS, "supported by C3"),
        (WHOLE, {key: r for key, r in RESULTS.items() if key != "C3"}, SETS, "No rival is refuted by C3."),
    ],
)
def test_a_mechanism_needs_a_replay_that_shows_it(
    rows: tuple[Comparison, ...], results: Mapping[str, AssessmentResult], sets: tuple[SealedSet, ...], lift: str
) -> None:
    found = climbed(*rows, results=results, sets=sets)

    assert (found.rung, lift in " ".join(found.lifts)) == (2, True)


def test_the_replay_that_shows_most_counts_and_each_set_is_one() -> None:
    other = replace(REPLAY, key="C5", evidence_set=3, plan="")
    found = climbed(C1, QUALITY, other, REPLAY, FIX, results={**RESULTS, "C5": EQUAL})
    assert fact(found, "replay").startswith("C3:")

    half = replace(REPLAY, key="C5", evidence_set=9)
    split = {
        **RESULTS,
        "C3": replace(TELLING, judgements=TELLING.judgements[:1]),
        "C5": replace(TELLING, judgements=TELLING.judgements[1:]),
    }
    assert climbed(C1, QUALITY, REPLAY, half, FIX, results=split).rung == 2
    assert climbed(C1, QUALITY, REPLAY, replace(half, evidence_set=2), FIX, results=split).rung == 4


@pytest.mark.parametrize(
    ("fix", "result", "sets", "lift"),
    [
        (replace(FIX, stat="p50"), EQUAL, SETS, "After the fix or the revert"),
        (replace(FIX, slice="other"), EQUAL, SETS, "After the fix or the revert"),
        (replace(FIX, role="screening"), EQUAL, SETS, "After the fix or the revert"),
        (FIX, SLOWER, SETS, "C4 does not show that the arms are equivalent within the margin."),
        (FIX, EQUAL, (*SETS[:2], a_set(3, ("two", "r1"))), "C4 has runs of a replay"),
        (FIX, EQUAL, (*SETS[:2], a_set(3, ("one", "r1"))), "Give C4 runs of its own"),
    ],
)
def test_a_fix_is_verified_by_equivalence_in_runs_of_its_own(
    fix: Comparison, result: AssessmentResult, sets: tuple[SealedSet, ...], lift: str
) -> None:
    found = climbed(C1, QUALITY, REPLAY, fix, results={**RESULTS, "C4": result}, sets=sets)

    assert (found.rung, len(found.lifts)) == (3, 1)
    assert lift in found.lifts[0]


def test_settings_that_were_varied_together_share_the_difference() -> None:
    changed = (("engine", "2", True), ("flags", "2", True), ("seed", "2", False), ("x", "1", True))
    rows = tuple(
        ChangeRow(name=name, baseline="1", candidate=candidate, on_purpose=on_purpose, source="file")
        for name, candidate, on_purpose in changed
    )
    (said,) = climbed(change=rows).cautions
    assert (
        said
        == "engine and flags were varied together: the difference is that of the bundle, and of none of them alone."
    )

    assert climbed(change=rows[:1]).cautions == ()
    assert climbed(change=rows, results={}).cautions == ()
    varied = replace(SLOWER, plan=replace(SLOWER.plan, varied=("driver", "firmware")))
    assert "driver and firmware" in climbed(change=rows[:1], results={**RESULTS, "C1": varied}).cautions[0]


def test_several_primary_comparisons_are_named() -> None:
    (said,) = climbed(*WHOLE, replace(C1, key="C9")).cautions
    assert said == "C1 and C9 are primary, and one can be: C1 is read here."
