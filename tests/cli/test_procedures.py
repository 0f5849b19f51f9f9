"""Procedures that `compare` can be told by name: items, means, equivalence, an error of measurement, goodput."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reviews.cli.compared import usual_direction
from tests.cli.typed import Typed, a_file, typed

BASELINE = (0.100, 0.1003, 0.0997, 0.0999)
CANDIDATE = (0.1006, 0.1009, 0.1001, 0.1004)
NBSP = "\N{NO-BREAK SPACE}"


def a_document(path: Path, *runs: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"countersign": "measurements/1", "runs": runs}))
    return path


def scored(folder: Path, name: str, wrong: Sequence[int], items: int = 40) -> Path:
    rows = [
        {"metric": "exact_match", "unit": "1", "value": int(at not in wrong), "item": f"q{at}"} for at in range(items)
    ]
    return a_document(folder / f"{name}.json", {"run": name, "measurements": rows})


def served(folder: Path, arm: str, kept: Sequence[int], rates: Sequence[int] = ()) -> Path:
    """Runs of 100 requests, of which so many have a ttft of 0.1 s and the rest 0.3 s; or one sweep of these rates."""
    runs = [
        {
            "run": f"{arm}-{n}",
            "settings": {"request_rate": rates[n]} if rates else {},
            "work": {"duration": 10},
            "measurements": [{"metric": "ttft", "unit": "s", "values": [0.1] * count + [0.3] * (100 - count)}],
        }
        for n, count in enumerate(kept)
    ]
    return a_document(folder / f"{arm}.json", *runs)


def times(tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: object) -> Typed:
    base, cand = a_file(tmp_path, "base", BASELINE), a_file(tmp_path, "cand", CANDIDATE)
    return typed(capsys, "compare", base, "--candidate", cand, *options)


def test_items_are_compared_as_differences_of_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = scored(tmp_path, "base", [1, 7]), scored(tmp_path, "cand", [1, 8])
    options = ("--metric", "exact_match", "--unit", "item", "--scale", "difference", "--margin=-0.2")

    answer = typed(capsys, "compare", base, "--candidate", cand, *options)
    as_json = json.loads(typed(capsys, "compare", base, "--candidate", cand, *options, "--json").out)

    assert answer.code == 0
    assert "exact_match mean, higher is better: Equivalent within 0.2." in answer.out
    assert "Effect, candidate - baseline: 0 [" in answer.out
    assert "clustered_difference, 40 items, this benchmark" in answer.out
    assert "Design: one run of each arm, paired by item" in answer.out
    assert "Speaks of: mean difference of exact_match over items such as these" in answer.out
    assert as_json["design"]["kind"] == "items"
    assert (as_json["plan"]["unit"], as_json["interval"]["unit"]) == ("item", "1")


def logged(folder: Path, date: str, wrong: Sequence[int], task: str = "sums") -> Path:
    """Samples as lm-evaluation-harness logs them: two filters, 40 documents of 20 passages."""
    path = folder / f"samples_{task}_{date}T10-00-00.123456.jsonl"
    records = [
        {"doc_id": at, "doc": {"passage": f"text {at // 2}"}, "target": "1", "resps": [["1"]], "filtered_resps": ["1"]}
        | {"filter": named, "metrics": ["exact_match"], "exact_match": float(at not in wrong)}
        | {"doc_hash": f"d{at}", "prompt_hash": f"p{at}", "target_hash": f"t{at}"}
        for named in ("strict-match", "flexible-extract")
        for at in range(40)
    ]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def test_logged_samples_are_compared_item_by_item(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = logged(tmp_path, "2026-01-05", [1, 7]), logged(tmp_path, "2026-01-06", [1, 8])
    options = ("--metric", "exact_match_strict_match", "--unit", "item", "--scale", "difference", "--margin=-0.2")

    answer = typed(capsys, "compare", base, "--candidate", cand, *options)

    assert answer.code == 0
    assert "exact_match_strict_match mean, higher is better: Equivalent within 0.2." in answer.out
    assert "clustered_difference, 20 subjects, this benchmark" in answer.out
    assert "40 items of 20 subjects, each scored once per arm" in answer.out


def test_samples_of_two_tasks_are_not_the_same_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = logged(tmp_path, "2026-01-05", [1]), logged(tmp_path, "2026-01-06", [2], task="facts")
    options = ("--metric", "exact_match_strict_match", "--unit", "item", "--scale", "difference", "--margin=-0.2")

    answer = typed(capsys, "compare", base, "--candidate", cand, *options)

    assert answer.code == 3
    assert "The arms are not comparable: task." in answer.out


@pytest.mark.parametrize(
    ("metric", "better"),
    [
        ("acc_norm", "higher"),
        ("f1", "higher"),
        ("exact_match_strict_match", "higher"),
        ("word_perplexity", "lower"),
        ("memory", "lower"),
        ("forward_pass_time", "lower"),
        ("pass_at_1", "higher"),
        ("extractive_match", "higher"),
    ],
)
def test_the_name_of_a_score_says_which_way_is_better(metric: str, better: str) -> None:
    assert usual_direction(metric) == better


def test_an_item_that_one_arm_lacks_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = scored(tmp_path, "base", [1]), scored(tmp_path, "cand", [1], items=38)
    options = ("--metric", "exact_match", "--unit", "item", "--scale", "difference", "--margin=-0.2")

    answer = typed(capsys, "compare", base, "--candidate", cand, *options)

    assert answer.code == 4
    assert "2 of 40 items are not scored by every run (2 in the candidate): q38, q39." in answer.out


def test_items_on_the_usual_scale_are_refused_with_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, cand = scored(tmp_path, "base", [1]), scored(tmp_path, "cand", [1])

    answer = typed(capsys, "compare", base, "--candidate", cand, "--metric", "exact_match", "--unit", "item")

    assert answer.code == 4
    assert "Plan the scale difference or proportion" in answer.out


def test_a_size_of_a_difference_is_said_in_its_unit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = a_file(tmp_path, "base", BASELINE[:1]), a_file(tmp_path, "cand", CANDIDATE[:1])

    answer = typed(capsys, "compare", base, "--candidate", cand, "--scale", "difference", "--margin", "0.01")

    assert "Observed size, without any uncertainty: 0.0006000 (candidate - baseline in s)." in answer.out


def test_the_ratio_of_means_prints_its_estimand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = times(tmp_path, capsys, "--estimator", "ratio_of_means")

    assert "fieller, 4 runs per arm" in answer.out
    assert "Speaks of: ratio of arithmetic means of run wall_time value, candidate over baseline" in answer.out


def test_equivalence_at_its_own_level_stands_beside_the_other_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = times(tmp_path, capsys, "--margin", "1%")
    fixed = times(tmp_path, capsys, "--margin", "1%", "--equivalence-level", "0.90", "--markdown")

    assert (plain.code, fixed.code) == (2, 0)
    assert "by the 90% interval that the plan fixed for it" in fixed.out
    assert f"Equivalence: the plan fixed that the 90{NBSP}% interval decides" in fixed.out
    assert f"All else rests on the 95{NBSP}% interval." in fixed.out


def test_an_error_of_measurement_is_shown_as_a_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = times(tmp_path, capsys, "--measurement-error", "1.005")
    one = times(tmp_path, capsys, "--measurement-error", "candidate=1.005")
    shared = times(tmp_path, capsys, "--measurement-error", "1.005", "--shared-gain")

    assert "Allowance: a factor of 1.01002 on each side for the error of the measurement" in both.out
    assert "widened by measurement bounds" in both.out
    assert "up to 1 in the baseline and 1.005 in the candidate" in one.out
    assert "on each side" not in shared.out
    assert "they drop out of the ratio, and widen nothing" in shared.out


def test_a_goodput_names_its_level(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = served(tmp_path, "base", (90, 91, 89)), served(tmp_path, "cand", (80, 79, 81))

    answer = typed(capsys, "compare", base, "--candidate", cand, "--metric", "goodput", "--service-level", "ttft=0.2")

    assert answer.code == 1
    assert (
        "goodput rate (requests with ttft <= 0.2 s), higher is better: Regression of at least 2% established"
        in answer.out
    )
    assert "Service level: requests with ttft <= 0.2 s" in answer.out


def test_every_metric_has_its_own_unit_and_statistic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Items guard a goodput: the primary metric is of runs, the guardrail of what the first run of each arm scored."""
    items = ("exact_match=item", "exact_match=difference", "exact_match=-0.2")
    files = [
        a_document(
            tmp_path / f"{arm}.json",
            {
                "run": arm,
                "work": {"duration": 10},
                "measurements": [
                    {"metric": "ttft", "unit": "s", "values": [0.1] * 90},
                    *(
                        {"metric": "exact_match", "unit": "1", "value": int(n != at), "item": f"q{n}"}
                        for n in range(40)
                    ),
                ],
            },
        )
        for at, arm in enumerate(("base", "cand"))
    ]
    answer = typed(
        capsys, "compare", files[0], "--candidate", files[1], "--metric", "goodput", "--service-level", "ttft=0.2",
        "--metric", items[2], "--unit", items[0], "--scale", items[1], "--estimator", "goodput=ratio_of_means",
        "--claim", "ttft:mean", "--json",
    )  # fmt: skip
    found = {one["name"]: one["result"]["plan"] for one in json.loads(answer.out)["comparisons"]}

    assert {name: (plan.get("unit", "run"), plan.get("estimator", "typical")) for name, plan in found.items()} == {
        "goodput rate": ("run", "ratio_of_means"),
        "exact_match mean": ("item", "typical"),
        "ttft mean": ("run", "typical"),
    }
    assert [plan.get("service_level") is not None for plan in found.values()] == [True, False, False]


def test_a_statistic_that_was_named_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = scored(tmp_path, "base", [1]), scored(tmp_path, "cand", [1])
    words = ("--unit", "item", "--scale", "difference", "--margin=-0.2", "--stat", "p50")

    answer = typed(capsys, "compare", base, "--candidate", cand, "--metric", "exact_match", *words)
    alone = typed(capsys, "compare", base, "--candidate", cand, *words[:-2])

    assert "the statistic p50" in answer.out
    assert "exact_match mean" in alone.out


def test_a_sweep_lists_its_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rates = (2, 4, 8)
    base, cand = served(tmp_path, "base", (100, 96, 40), rates), served(tmp_path, "cand", (100, 96, 95), rates)
    options = ("--metric", "goodput", "--stat", "max", "--service-level", "ttft=0.2", "--attainment", "0.95")

    answer = typed(capsys, "compare", base, "--candidate", cand, *options)

    assert answer.code == 4
    assert "goodput max (95 % of requests with ttft <= 0.2 s)" in answer.out
    assert "Sweep: baseline sweep: 4/s held, 8/s did not hold. 100 of 100 requests at 2/s;" in answer.out
    assert "Sweep: candidate sweep: 8/s held, none was tried above it." in answer.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--measurement-error", "a bit"), "'a bit' is no number"),
        (("--measurement-error", "left=1.1"), "is no measurement error"),
        (("--shared-gain",), "none is stated"),
        (("--equivalence-level", "high"), "'high' is no number"),
        (("--service-level", "ttft"), "takes NAME=VALUE"),
        (("--service-level", "ttft=fast"), "'fast' is no number"),
        (("--service-level", "ttft=1", "--attainment", "most"), "'most' is no number"),
        (("--attainment", "2"), "--attainment is of a --service-level"),
        (("--slo", "-1"), "--slo -1 is no limit: write a value above 0"),
        (("--slo", "0"), "--slo 0 is no limit"),
    ],
)
def test_words_that_do_not_fit_are_refused(
    options: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = times(tmp_path, capsys, *options)

    assert answer.code == 64
    assert said in answer.err


def test_a_struck_interval_says_that_it_holds_no_allowance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = times(tmp_path, capsys, "--metric", "wall_time", "--look", "3", "--measurement-error", "1.02")

    assert "Struck, valid only if this was the only look: " in answer.out
    assert "this placement only, without the allowances\n" in answer.out
    assert "Allowance: a factor of 1.04040 on each side for the error of the measurement" in answer.out
    assert "without the allowances" not in times(tmp_path, capsys, "--metric", "wall_time", "--look", "3").out
