"""The words for the rows of the runs, of results of every kind."""

from dataclasses import replace
from fractions import Fraction

from analysis.assess import AssessmentResult, assess
from analysis.inputs import MeasurementError
from analysis.step_report import OtherCut, StepReport
from reviews.pdf.steps import sheet_of_steps
from reviews.step_words import facts, run_lines
from tests.analysis.props import BASELINE, BLOCKED, CANDIDATE, INDEPENDENT, a_plan, a_request, change, interleaved
from tests.analysis.stepped import STEPS, runs

GAP = "\N{NO-BREAK SPACE}"


def said(result: AssessmentResult) -> dict[str, str]:
    return dict(facts(result))


def test_a_benchmark_says_that_nothing_was_cut_and_nothing_checked() -> None:
    found = assess(INDEPENDENT)

    assert said(found) == {
        "Warmup cut": "None is declared, and nothing was cut.",
        "Steady state": "Not checked. No run has the 50 steps in order that a check needs.",
    }
    first = run_lines(found)[0]
    assert (first.label, first.value, first.recorded, first.cut, first.course, first.tail) == (
        "b0", f"100.0{GAP}ms", "1", "0", "not checked", "",
    )  # fmt: skip


def test_runs_of_which_only_the_tool_speaks_have_no_lines_of_steps() -> None:
    told = {"kind": "aggregate", "stat": "mean", "n": 1200}
    of_the_tool = assess(a_request(interleaved(BASELINE, CANDIDATE, measured=told), a_plan(stat="mean")))

    assert {line.recorded for line in run_lines(of_the_tool)} == {"0"}
    assert sheet_of_steps(of_the_tool).lines == ()
    assert len(sheet_of_steps(assess(INDEPENDENT)).lines) == len(INDEPENDENT.runs)


def test_a_result_of_before_the_report_says_nothing_of_it() -> None:
    found = replace(assess(INDEPENDENT), steps=None)

    assert facts(found) == ()
    assert {(line.recorded, line.cut, line.course) for line in run_lines(found)} == {("–", "–", "–")}


def test_a_cut_of_rows_without_a_clock_has_no_seconds() -> None:
    rates = runs(unit="1/s", metric="throughput", warm=0)
    plan = replace(STEPS, metric="throughput", better="higher", margin=Fraction("0.98"))

    assert said(assess(a_request(rates, plan)))["Warmup cut"] == (
        "10 steps declared, from the start of every run; rows cut from a run: 10."
    )


def test_a_declared_cut_of_runs_without_rows_says_so() -> None:
    theirs = {"kind": "aggregate"}
    found = assess(a_request(interleaved(BASELINE, CANDIDATE, measured=theirs), a_plan(warmup_steps=5)))

    assert said(found)["Warmup cut"].endswith("; no run brings rows to cut.")


def test_a_longer_cut_without_an_interval_or_without_a_value_says_why() -> None:
    alone = assess(a_request(runs(pairs=1), STEPS))
    report = alone.steps
    assert isinstance(report, StepReport)
    assert report.other is not None
    none = OtherCut("70 steps", None, None, report.other.refusal)

    assert ", without an interval. It governs nothing." in said(alone)["With a longer cut"]
    assert said(replace(alone, steps=replace(report, other=none)))["With a longer cut"].startswith(
        "With 70 steps cut the effect would be refused ("
    )


def test_both_answers_to_who_is_left_out_are_given_and_the_worst_case_of_lost_runs() -> None:
    asked = change(BLOCKED.runs, "b0", excluded="throttled")
    lost = change(asked, "c4", run=replace(asked[-1].run, status="failed"))
    found = said(assess(a_request(lost, a_plan())))

    assert "confidence, paired_log, 4 blocks, this placement only." in found["If no run were left out"]
    assert found["Worst case"].startswith("If the failed candidate runs")


def test_a_difference_is_in_its_unit() -> None:
    asked = change(BLOCKED.runs, "b0", excluded="throttled")
    found = said(assess(a_request(asked, a_plan(scale="difference", margin=Fraction("0.001")))))

    assert f"{GAP}ms]" in found["If no run were left out"]


def test_a_partial_run_that_is_used_is_called_partial() -> None:
    cut_off = {"run": replace(INDEPENDENT.runs[0].run, status="partial", reason="cut off")}
    runs = change(INDEPENDENT.runs, INDEPENDENT.runs[0].label, **cut_off)
    lines = run_lines(assess(a_request(runs, a_plan(minimum_requests=1))))

    assert [one.status for one in lines].count("used: partial run: cut off") == 1
    assert [one.status for one in lines].count("used") == len(runs) - 1


def test_beside_a_widened_effect_it_is_said_what_is_widened_and_what_is_not() -> None:
    error = MeasurementError(Fraction("1.02"), Fraction("1.02"))
    longer = said(assess(a_request(runs(), replace(STEPS, measurement_error=error))))["With a longer cut"]
    asked = change(BLOCKED.runs, "b0", excluded="throttled")
    result = assess(a_request(asked, a_plan(measurement_error=error)))
    back = said(result)["If no run were left out"]

    assert "confidence, welch_log widened, 4 runs per arm" in longer
    assert result.interval is not None
    beside = f"[{result.interval.lo:.3f}, {result.interval.hi:.3f}]"
    assert "this placement only, without the allowances. Beside " in back
    assert f"{beside}, 95" in back
    assert back.endswith("of the runs used, also without them; it governs nothing.")
