"""`countersign compare` with several metrics: primary, guardrails, claims, screenings, and one exit code."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cli.typed import Typed, typed

EVEN = (0.1, 0.1003, 0.0997, 0.0999)
SLOWER = (0.12, 0.1203, 0.1197, 0.1199)
FASTER = (0.08, 0.0801, 0.0799, 0.0802)
NOISY = (0.1, 0.104, 0.098, 0.105)

Values = Mapping[str, Sequence[float]]


def a_file(folder: Path, name: str, metrics: Values) -> Path:
    """A measurements file with four runs, one value a metric ("ttft.p99") and run."""
    runs = [
        {
            "run": f"{name}-{at}",
            "status": "completed",
            "settings": {"model": "net"},
            "work": {"requests_completed": 100},
            "identity": {"host": "host-1"},
            "measurements": [
                {
                    "metric": said.partition(".")[0],
                    "stat": said.partition(".")[2],
                    "unit": "1/s" if "throughput" in said else "s",
                    "value": values[at],
                    "n": 2000,
                }
                for said, values in metrics.items()
            ],
        }
        for at in range(4)
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"countersign": "measurements/1", "tool": "test", "runs": runs}))
    return path


@pytest.fixture
def compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> "Compare":
    return Compare(tmp_path, capsys)


class Compare:
    """`compare({"ttft.p99": SLOWER}, "--metric", …)`: a candidate with those values, EVEN for all other metrics."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def __call__(self, candidate: Values, *words: str) -> Typed:
        metrics = {"wall_time.value": EVEN, "ttft.p99": EVEN, "ttft.p50": EVEN, "output_throughput.rate": EVEN}
        base = a_file(self.folder, "base", metrics)
        cand = a_file(self.folder, "cand", {**metrics, **candidate})
        return typed(self.capsys, "compare", base, "--candidate", cand, *words)


TWO = ("--metric", "wall_time", "--metric", "ttft:p99")


@pytest.mark.parametrize(
    ("candidate", "code"),
    [
        ({}, 0),
        ({"wall_time.value": FASTER, "ttft.p99": FASTER}, 0),
        ({"ttft.p99": SLOWER}, 1),
        ({"wall_time.value": SLOWER}, 1),
        ({"ttft.p99": NOISY}, 2),
        ({"wall_time.value": NOISY, "ttft.p99": SLOWER}, 1),
    ],
)
def test_the_exit_code_is_ok_only_when_the_primary_and_every_guardrail_is(
    compare: Compare, candidate: Values, code: int
) -> None:
    assert compare(candidate, *TWO).code == code


def test_a_metric_that_nobody_measured_is_refused_and_does_not_pass(compare: Compare) -> None:
    answer = compare({}, *TWO, "--metric", "itl:p99")

    assert answer.code == 4
    assert "itl p99 does not pass: No verdict, refused:" in answer.out


@pytest.mark.parametrize("option", ["--claim", "--screening"])
def test_claims_and_screenings_change_no_exit_code(compare: Compare, option: str) -> None:
    assert compare({"ttft.p99": SLOWER}, "--metric", "wall_time", option, "ttft:p99").code == 0


def test_the_text_says_what_they_establish_together(compare: Compare) -> None:
    said = compare(
        {"ttft.p50": SLOWER, "output_throughput.rate": FASTER},
        *TWO, "--claim", "ttft:p50", "--claim", "nothing:p99", "--screening", "output_throughput",
    ).out.replace("\N{NO-BREAK SPACE}", " ")  # fmt: skip

    assert said.startswith("wall_time value, lower is better: Equivalent within 2%.")
    assert "guardrail: ttft p99, lower is better: Equivalent within 2%." in said
    assert "claim: ttft p50, lower is better: Taken alone, before its family is judged: Regression of at least" in said
    together = said.split("All comparisons together:", 1)[1]
    assert "Guardrails: Not worse by more than its margin on any guardrail." in together
    assert "ttft p99 passes: Equivalent within 2%." in together
    assert "Claim ttft p50: Regression established among 2 declared claims (Holm). Adjusted p = " in together
    assert "97.5 % confidence, welch_log, 4 runs per arm" in together
    assert "Claim nothing p99: No verdict, refused:" in together
    assert "It stays in the family of 2 and is not established. Adjusted p = 1.00 (alone 1.00)." in together
    assert "Screening: to be confirmed by a new run set." in together
    assert "output_throughput rate: Worth a new run set." in together


def test_several_guardrails_say_what_they_cost_in_power(compare: Compare) -> None:
    assert "All 2 guardrails must pass" in compare({}, *TWO, "--metric", "ttft:p50").out


def test_without_a_guardrail_that_is_said(compare: Compare) -> None:
    answer = compare({}, "--metric", "wall_time", "--claim", "ttft:p99")

    assert "Guardrails: none is declared." in answer.out
    told = json.loads(compare({}, "--metric", "wall_time", "--claim", "ttft:p99", "--json").out)["together"]
    assert (told["ships"], told["ship"], told["screening"]) == (
        None,
        "No guardrail is declared.",
        "Nothing was screened.",
    )


def test_json_has_every_result_and_the_statements(compare: Compare) -> None:
    words = (*TWO, "--claim", "ttft:p50", "--claim", "nothing:p99", "--screening", "output_throughput")
    told = json.loads(compare({"ttft.p50": SLOWER}, *words, "--json").out)

    assert [(one["name"], one["role"], one["result"]["outcome"]) for one in told["comparisons"]] == [
        ("wall_time value", "primary", "verdict"),
        ("ttft p99", "guardrail", "verdict"),
        ("ttft p50", "claim", "verdict"),
        ("nothing p99", "claim", "refused"),
        ("output_throughput rate", "screening", "verdict"),
    ]
    together = told["together"]
    assert (together["ships"], together["guardrails"][0]["passes"]) == (True, True)
    assert together["claims"][0]["direction"] == "regression_established"
    assert together["claims"][0]["interval"]["level"] == "0.975"
    assert (together["claims"][1]["interval"], together["claims"][1]["adjusted_p"]) == (None, "1")
    assert together["screened"][0]["noted"] is False


def test_markdown_has_a_head_for_each_and_the_statements(compare: Compare) -> None:
    said = compare({"ttft.p99": SLOWER}, *TWO, "--claim", "ttft:p50", "--markdown").out

    assert said.startswith("### wall_time value: Equivalent within 2%.")
    assert "#### guardrail: ttft p99: Regression of at least 2% established." in said
    assert "#### claim: ttft p50: Taken alone" in said
    assert "### All comparisons together" in said
    assert "- Guardrails: Not shown to be within its margin: ttft p99." in said


def test_each_metric_can_have_its_margin_direction_and_scale(compare: Compare) -> None:
    words = ("--metric", "wall_time=30%", "--metric", "ttft:p99=0.05", "--claim", "ttft:p50=1.5", "--json")
    more = ("--scale", "ttft=difference", "--better", "output_throughput=lower", "--screening", "output_throughput")
    plans = [one["result"]["plan"] for one in json.loads(compare({}, *words, *more).out)["comparisons"]]

    assert [(p["margin"], p["scale"], p["better"]) for p in plans] == [
        ("1.3", "ratio", "lower"),
        ("0.05", "difference", "lower"),
        ("1.5", "difference", "lower"),
        ("1.02", "ratio", "lower"),
    ]


def test_a_word_alone_and_the_statistic_speak_of_the_first_metric(compare: Compare) -> None:
    words = (
        "--metric",
        "ttft",
        "--stat",
        "p50",
        "--better",
        "higher",
        "--slo",
        "0.2",
        "--metric",
        "ttft:p99",
        "--json",
    )
    plans = [one["result"]["plan"] for one in json.loads(compare({}, *words).out)["comparisons"]]

    assert [(p["stat"], p["better"], p["slo"]) for p in plans] == [("p50", "higher", "0.2"), ("p99", "higher", None)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--metric", "ttft:p99", "--metric", "ttft:p99"), "ttft p99 is asked for twice"),
        (("--metric", "wall_time", "--claim", "wall_time:value"), "wall_time value is asked for twice"),
        (("--metric", ":p99"), "A metric is written NAME[:STAT][=MARGIN], not ':p99'."),
        (("--metric", "ttft:"), "not 'ttft:'"),
        (("--metric", "ttft="), "not 'ttft='"),
        (("--metric", "ttft:p99=much"), "'much' is no number"),
        (("--metric", "wall_time", "--better", "ttft=more"), "--better takes higher, lower, with NAME="),
        (("--metric", "wall_time", "--scale", "log"), "--scale takes ratio, difference, proportion"),
        (("--claim", "ttft:p99"), "Say which metric is compared"),
    ],
)
def test_words_that_do_not_fit_are_refused_with_the_way_out(
    compare: Compare, words: tuple[str, ...], said: str
) -> None:
    answer = compare({}, *words)

    assert (answer.code, said in answer.err) == (64, True), answer.err
