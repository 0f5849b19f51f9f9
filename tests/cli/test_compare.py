import json
from pathlib import Path

import pytest

from tests.cli.typed import a_file, typed

BASELINE = (0.100, 0.1003, 0.0997, 0.0999)
ARMS = {
    "within": ((0.1001, 0.1002, 0.0999, 0.0998), 0),
    "better": ((0.080, 0.0801, 0.0799, 0.0802), 0),
    "worse": ((0.120, 0.1203, 0.1197, 0.1199), 1),
    "undecided": ((0.100, 0.104, 0.098, 0.105), 2),
    "two runs": ((0.120, 0.1203), 2),
    "one run": ((0.120,), 4),
    "a crash": ((0.120, None, 0.1197, 0.1199), 1),
}


def arms(folder: Path, candidate: tuple[float | None, ...], **settings: str) -> tuple[object, ...]:
    return a_file(folder, "base", BASELINE), "--candidate", a_file(folder, "cand", candidate, **settings)


@pytest.mark.parametrize(("candidate", "code"), ARMS.values(), ids=ARMS)
def test_the_exit_code_says_what_is_established(
    candidate: tuple[float | None, ...], code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, candidate))

    assert answer.code == code, answer.out


def test_the_text_keeps_effect_uncertainty_and_cause_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, ARMS["worse"][0]))

    assert "Regression of at least 2% established." in answer.out
    assert "95\N{NO-BREAK SPACE}% confidence, welch_log, 4 runs per arm, this placement only" in answer.out
    assert "Cause: " in answer.out


def test_a_difference_that_is_not_declared_is_not_comparable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, BASELINE, flags="-O3"))

    assert answer.code == 3
    assert "flags" in answer.out


def test_a_declared_difference_is_shown_as_declared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, ARMS["within"][0], model="other"), "--varied", "model")

    assert answer.code == 0
    assert "model differs, as declared." in answer.out


def test_arms_on_two_hosts_are_refused_unless_the_hardware_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = a_file(tmp_path, "base", BASELINE)
    candidate = a_file(tmp_path, "cand", ARMS["better"][0], host="host-2")

    refused = typed(capsys, "compare", base, "--candidate", candidate)
    declared = typed(capsys, "compare", base, "--candidate", candidate, "--hardware-varied")

    assert (refused.code, declared.code) == (4, 0)
    assert "these two systems only" in declared.out


def test_json_is_the_whole_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(typed(capsys, "compare", *arms(tmp_path, ARMS["worse"][0]), "--json").out)

    assert answer["outcome"] == "verdict"
    assert answer["verdict"]["materiality"] == "worse_than_margin"
    assert len(answer["runs"]) == 8


def test_markdown_says_why_a_run_has_no_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, cand = a_file(tmp_path, "base", [1.0, 1.01, 1.02, None]), a_file(tmp_path, "cand", [1.0, 1.01, 1.02])
    base.write_text(base.read_text().replace("it crashed", "exit | 137"))

    answer = typed(capsys, "compare", base, "--candidate", cand, "--metric", "wall_time", "--markdown")

    assert "| value | status |" in answer.out
    assert r"| not measured | failed: exit \| 137 |" in answer.out


def test_a_crashed_run_that_records_no_work_leaves_the_arms_comparable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, cand = a_file(tmp_path, "base", [1.0, 1.01, 1.02, None]), a_file(tmp_path, "cand", [1.0, 1.01, 1.02])
    said = json.loads(base.read_text())
    del said["runs"][3]["work"]
    base.write_text(json.dumps(said))

    answer = typed(capsys, "compare", base, "--candidate", cand, "--metric", "wall_time")

    assert "requests_completed" not in answer.out
    assert "Failed: 1 of 4 baseline runs failed" in answer.out
    assert answer.code == 2


def test_markdown_is_for_a_pull_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, ARMS["two runs"][0]), "--markdown")

    assert answer.out.startswith("### wall_time value: ")
    assert "| run | arm | block | value | status | rows | cut | course |" in answer.out
    assert "What would help" in answer.out


def test_a_crash_is_counted_exactly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, ARMS["a crash"][0]))

    assert "The candidate failed to serve." in answer.out
    assert "Failed: 1 of 4 candidate runs failed (95 % interval of the share: 0.6 % to 80.6 %)." in answer.out
    assert "Effect among completed runs, candidate/baseline: 1.1" in answer.out
    assert "Worst case: If the failed candidate runs count as the worst there is, the effect is bounded" in answer.out


def test_a_plot_is_drawn_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "runs.svg"

    typed(capsys, "compare", *arms(tmp_path, ARMS["worse"][0]), "--plot", picture)

    assert "<svg" in picture.read_text()


def test_without_a_value_nothing_is_drawn_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "runs.svg"
    words = (a_file(tmp_path, "base", (None,)), "--candidate", a_file(tmp_path, "cand", (None,)))

    answer = typed(capsys, "compare", *words, "--metric", "wall_time", "--plot", picture)

    assert "nothing was drawn" in answer.err
    assert not picture.exists()


def test_labels_come_from_the_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for block in range(3):
        for arm, value in (("base", 0.1), ("cand", 0.12)):
            a_file(tmp_path, f"{arm}-b{block}", (value + 0.001 * block,))
    words = (*sorted(tmp_path.glob("base*")), "--candidate", *sorted(tmp_path.glob("cand*")))

    answer = typed(capsys, "compare", *words, "--pattern", "*-b{block}.json")

    assert (answer.code, "paired_log, 3 blocks" in answer.out) == (1, True)


@pytest.mark.parametrize("pattern", ["{unknown}.json", "{run}{run}.json", "nothing-{run}.txt"])
def test_a_pattern_that_does_not_fit_is_refused(
    pattern: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, BASELINE), "--pattern", pattern)

    assert answer.code == 4


def test_runs_are_chosen_by_what_they_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, ARMS["within"][0]), "--only", "model=another")

    assert answer.code == 64
    assert "The files have: none" in answer.err


def test_a_tolerance_widens_instead_of_blocking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = a_file(tmp_path, "base", BASELINE, batch=1000)
    candidate = a_file(tmp_path, "cand", ARMS["worse"][0], batch=1001)

    answer = typed(capsys, "compare", base, "--candidate", candidate, "--tolerance", "batch=0.01")

    assert (answer.code, "widened by stated differences" in answer.out) == (1, True)


@pytest.mark.parametrize(
    "words",
    [("--only", "model"), ("--tolerance", "x=much"), ("--margin", "much"), ("--margin", "much%")],
)
def test_options_that_say_nothing_are_refused(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, BASELINE), *words)

    assert answer.code == 64


@pytest.mark.parametrize(("margin", "code"), [("1.3", 0), ("30%", 0), ("2%", 1)])
def test_the_margin_is_a_ratio_or_a_percentage(
    margin: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, ARMS["worse"][0]), "--margin", margin)

    assert answer.code == code


def test_a_file_that_is_not_there_or_not_known_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = tmp_path / "notes.txt"
    unknown.write_text("nothing to measure")
    base = a_file(tmp_path, "base", BASELINE)

    gone = typed(capsys, "compare", base, "--candidate", tmp_path / "gone.json")
    strange = typed(capsys, "compare", base, "--candidate", unknown)

    assert (gone.code, strange.code) == (64, 4)
    assert "gone.json" in gone.err
    assert "notes.txt" in strange.err


def test_the_metric_is_asked_for_when_there_are_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "run,metric,stat,value,unit,kind,n,index\n" + "".join(
        f"r{at},{metric},{stat},{value},{unit},aggregate,1,\n"
        for at in range(3)
        for metric, stat, value, unit in (("throughput", "rate", 100 + at, "1/s"), ("step_time", "median", 1, "s"))
    )
    for name in ("base", "cand"):
        (tmp_path / f"{name}.csv").write_text(rows.replace("r", f"{name}", 1) if name == "none" else rows)
    words = ("compare", tmp_path / "base.csv", "--candidate", tmp_path / "cand.csv")

    unsaid = typed(capsys, *words)

    assert unsaid.code == 64
    assert "step_time median, throughput rate" in unsaid.err


def test_three_hosts_give_an_interval_for_their_like_and_one_for_these(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = [a_file(tmp_path, f"base-{h}", (0.1 + h / 1000, 0.101 + h / 1000), host=f"host-{h}") for h in range(3)]
    cand = [a_file(tmp_path, f"cand-{h}", (0.12 + h / 1000, 0.1213 + h / 900), host=f"host-{h}") for h in range(3)]

    answer = typed(capsys, "compare", *base, "--candidate", *cand)

    assert "placement_log" in answer.out
    assert "These placements only: " in answer.out


def test_a_limit_is_answered_beside_the_verdict_and_the_exit_code_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("compare", *arms(tmp_path, ARMS["worse"][0]), "--slo", "0.2")
    text, markdown = typed(capsys, *words), typed(capsys, *words, "--markdown")
    said = json.loads(typed(capsys, *words, "--json").out)["slo"]

    assert text.code == 1
    for answer in (text, markdown):
        assert "Limit, beside the verdict: The 95 % bound of the next run is" in answer.out
    assert (said["outcome"], said["limit"], said["n"]) == ("pass", "0.2", 4)


def test_a_limit_that_is_no_number_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(capsys, "compare", *arms(tmp_path, ARMS["worse"][0]), "--slo", "50 ms").code == 64


def test_a_look_beyond_the_declared_ones_rests_on_every_look_and_strikes_the_plain_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = a_file(tmp_path, "base", (*BASELINE, 0.1002))
    candidate = a_file(tmp_path, "cand", (*(v or 0 for v in ARMS["worse"][0]), 0.1202))
    words = ("compare", base, "--candidate", candidate, "--look", "3", "--looks", "2")

    for answer in (typed(capsys, *words), typed(capsys, *words, "--markdown")):
        assert answer.code == 1
        assert "anytime_two_arms_log, 5 runs per arm" in answer.out
        assert "Struck, valid only if this was the only look: " in answer.out
        assert "has been looked at 3 times" in answer.out


def test_where_no_interval_holds_at_every_look_only_the_struck_one_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "compare", *arms(tmp_path, ARMS["worse"][0][:3]), "--look", "2")

    assert answer.code == 2
    assert "Effect, candidate/baseline:" not in answer.out
    assert "Struck, valid only if this was the only look: " in answer.out
    assert "Observed size, without any uncertainty" in answer.out
