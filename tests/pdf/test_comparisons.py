"""The claim of a comparison in words, for every kind of claim."""

from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from analysis import restored
from analysis.claims import WidenedInterval
from analysis.results import AssessmentResult
from reviews.pdf.comparisons import effect_of, sheet_of, title_of
from reviews.sections import Comparison, content_from_json
from reviews.template_content import template_from_json
from tests.pdf.conftest import Dossier, compared


def row_of(dossier: Dossier, key: str) -> Comparison:
    rows = content_from_json(dossier["sections"]).comparisons.comparisons
    return next(row for row in rows if row.key == key)


@pytest.fixture
def result(dossier: Dossier) -> AssessmentResult:
    return restored.from_json(compared(dossier, "C1")["result"])


def test_an_interval_says_its_size_ends_change_kind_and_grounds(result: AssessmentResult) -> None:
    effect = effect_of(result)

    assert effect is not None
    assert effect.size in effect.change or "higher" in effect.change
    assert effect.kind == "95\N{NO-BREAK SPACE}% confidence interval"
    assert effect.behind == "paired_log, 3 blocks, this placement only"


def test_a_widened_interval_says_what_widened_it_and_prints_its_own_ends(result: AssessmentResult) -> None:
    assert result.interval is not None
    widened = WidenedInterval(result.interval, 0.5, 2.0, 0.01, ("output tokens differ by 0.4 %",))

    effect = effect_of(replace(result, widened=widened))

    assert effect is not None
    assert effect.ends == "[0.5000, 2.000]"
    assert effect.kind == "95\N{NO-BREAK SPACE}% confidence interval, widened for output tokens differ by 0.4 %"


def test_a_size_alone_is_said_to_have_no_uncertainty(result: AssessmentResult) -> None:
    effect = effect_of(replace(result, interval=None))

    assert effect is not None
    assert (effect.ends, effect.kind) == ("no interval", "observed size, without any uncertainty")
    assert effect.behind == "3 baseline and 3 candidate runs, this placement only"


def test_without_a_number_there_is_no_effect(result: AssessmentResult) -> None:
    assert effect_of(replace(result, interval=None, estimate=None)) is None


def test_a_difference_is_printed_in_its_unit_and_as_no_change_of_a_ratio(result: AssessmentResult) -> None:
    assert result.interval is not None
    interval = replace(result.interval, estimate=0.0412, lo=0.04, hi=0.043)

    effect = effect_of(
        replace(
            result,
            interval=interval,
            plan=replace(result.plan, scale="difference"),
            runs=tuple(replace(run, unit="s") for run in result.runs),
        )
    )

    assert effect is not None
    assert (effect.size, effect.ends, effect.change) == (
        "41.20\N{NO-BREAK SPACE}ms",
        "[40.00\N{NO-BREAK SPACE}ms, 43.00\N{NO-BREAK SPACE}ms]",
        "",
    )


def test_the_interval_with_excluded_runs_stands_beside_the_other(dossier: Dossier) -> None:
    part = compared(dossier, "C1")
    part["result"]["with_excluded"] = part["result"]["interval"]
    row = row_of(dossier, "C1")

    sheet = sheet_of(part, row, template_from_json(dossier["template"]))

    assert sheet.steps is not None
    assert sheet.effect is not None
    (said,) = (said for name, said in sheet.steps.facts if name == "If no run were left out")
    assert said.startswith(f"{sheet.effect.size} {sheet.effect.ends}, 95\N{NO-BREAK SPACE}% confidence, paired_log")


def test_the_interval_of_an_only_look_is_struck_and_a_limit_stands_beside_the_verdict(dossier: Dossier) -> None:
    part = compared(dossier, "C1")
    part["result"]["single_look"] = {**part["result"]["interval"], "lo": "0.123", "kind": "single_look_interval"}
    refusal = {"code": "too_few_runs", "message": "2 runs are few.", "needs": "Run more."}
    part["result"]["slo"] = {"kind": "slo_check", "outcome": "refused", "limit": "5", "refusal": refusal}
    sheet = sheet_of(part, row_of(dossier, "C1"), template_from_json(dossier["template"]))
    said = render_to_string("pdf/parts/comparisons.html", {"record": {"comparisons": [sheet]}})

    assert sheet.effect is not None
    assert "0.1230" not in sheet.effect.ends
    assert "valid only if this was the only look: <s>" in said
    assert "[0.1230, " in said.partition("<s>")[2].partition("</s>")[0]
    assert "Limit, beside the verdict: Nothing can be said of the limit of 5. 2 runs are few. Run more." in said


def test_the_runs_are_printed_with_their_cut_and_lost_runs_with_what_they_leave(dossier: Dossier) -> None:
    part = compared(dossier, "C1")
    result = part["result"]
    result["failures"][1] |= {"failed": 1, "runs": 4}
    result["worst_case"] = {
        **result["interval"], "kind": "worst_case", "lo": None, "lost": ["candidate"], "sentence": "",
    }  # fmt: skip
    result["steps"]["declared"] = "10 steps"
    one = {"recorded": 400, "cut": 10, "cut_s": "1.5", "clock": "durations", "kind": "warmup", "steady_from": 65,
           "independent": 335, "beyond": "4", "effective": "1.5", "estimability": "value_only"}  # fmt: skip
    result["steps"]["runs"] = [{"label": run["label"], **one} for run in result["runs"]]
    result["runs"][0]["status"] = "value_only"
    sheet = sheet_of(part, row_of(dossier, "C1"), template_from_json(dossier["template"]))
    said = render_to_string("pdf/parts/comparisons.html", {"record": {"comparisons": [sheet]}})

    for words in (
        "Effect among completed runs, ratio candidate / baseline",
        "1 of 4 candidate runs failed (95 % interval of the share",
        "10 steps declared, from the start of every run; rows cut from a run: 10, 1.500\N{NO-BREAK SPACE}s.",
        "the effect is bounded on one side only: at most",
        "<td>10, 1.500\N{NO-BREAK SPACE}s</td><td>warmup, then steady, from step 65</td>",
        "(shown only)",
        "<td>4.00, worth 1.50 independent</td>",
    ):
        assert words in said, words


def test_a_result_of_before_the_report_is_printed_without_one(dossier: Dossier) -> None:
    part = compared(dossier, "C1")
    del part["result"]["steps"], part["result"]["worst_case"]
    sheet = sheet_of(part, row_of(dossier, "C1"), template_from_json(dossier["template"]))
    said = render_to_string("pdf/parts/comparisons.html", {"record": {"comparisons": [sheet]}})

    assert sheet.steps is not None
    assert sheet.steps.facts == ()
    assert "0 steps from the start of each run" in said


def test_a_result_without_any_value_has_no_drawing(dossier: Dossier) -> None:
    part = compared(dossier, "C1")
    part["result"] |= {"interval": None, "secondary": None, "estimate": None}
    for run in part["result"]["runs"]:
        run["value"] = None

    sheet = sheet_of(part, row_of(dossier, "C1"), template_from_json(dossier["template"]))

    assert (sheet.effect, sheet.effect_drawing, sheet.runs_drawing) == (None, None, None)


def test_a_comparison_without_a_result_has_neither_effect_nor_drawing(dossier: Dossier) -> None:
    part = compared(dossier, "C3")
    row = row_of(dossier, "C3")

    sheet = sheet_of(part, row, template_from_json(dossier["template"]))

    assert (sheet.result, sheet.effect, sheet.effect_drawing, sheet.runs_drawing) == (None, None, None, None)


def test_a_metric_that_the_template_does_not_know_keeps_its_own_name(dossier: Dossier) -> None:
    template = template_from_json(dossier["template"])

    assert title_of("throughput", "rate", template) == "Throughput"
    assert title_of("step_time", "p99", template) == "step time p99"
