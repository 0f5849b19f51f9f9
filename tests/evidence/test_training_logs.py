"""Logs of training: what the golden cases do not show."""

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import tensorboard_csv, text_reader
from tests.evidence import make

TITAN = "step:  {}  loss: {}  tps: 1,000\n"
GOLDEN = '{"lm loss": {"start_step": 1, "end_step": 2, "step_interval": 1, "values": %s}}'


def megatron(step: int, time: object = 1000.5, more: str = "") -> str:
    return f" iteration {step}/ 9 | elapsed time per iteration (ms): {time} | {more}\n"


def nanogpt(step: int, time: str = "10ms", kind: str = "train") -> str:
    return f"step:{step}/9 {kind}_loss:5.5 train_time:{time}\n"


def refused(content: str, form: str | None = None) -> tuple[str, str]:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content, form, "x.txt")
    return refusal.value.code, refusal.value.where


@pytest.mark.parametrize("time", ["0.0", "-1", "fast", "1e999"])
def test_a_step_that_takes_no_time_is_named_by_its_line(time: str) -> None:
    assert refused(megatron(1) + megatron(2, time))[1] == "x.txt:2.elapsed time per iteration (ms)"


@pytest.mark.parametrize("rate", ["0", "-5", "fast"])
def test_a_rate_that_is_none_is_named_by_its_line(rate: str) -> None:
    assert refused(TITAN.format(1, 5.5) + f"step: 2 loss: 5.5 tps: {rate}\n")[1] == "x.txt:2.tps"


def test_a_time_on_the_clock_of_modded_nanogpt_is_named_by_its_line() -> None:
    assert refused(nanogpt(1, "1.2.3ms")) == ("not_a_number", "x.txt:1.train_time")


@pytest.mark.parametrize("form", ["training-step-log", "deepspeed-text"])
def test_a_log_without_steps_is_refused(form: str) -> None:
    assert refused("Training starts\n", form) == ("no_runs", "x.txt")


def test_lines_of_two_programs_are_refused() -> None:
    code, _ = refused(megatron(1) + TITAN.format(1, 5.5))

    assert code == "several_files"


def test_steps_anywhere_in_the_file_are_found() -> None:
    log = "x\n" * 100_000 + megatron(1) + "y\n" * 100_000

    assert evidence.recognise(make.document(log)).reason == "it has steps as Megatron prints them"


def test_the_words_of_a_step_without_its_numbers_are_no_step() -> None:
    with pytest.raises(UnknownFormat):
        make.read("the elapsed time per iteration is printed\nelapsed time per iteration", name="x.txt")


def test_only_so_many_lines_with_the_words_of_a_step_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    log = "the elapsed time per iteration is printed\n" + megatron(1)
    form = evidence.recognise(make.document(log)).format.name
    monkeypatch.setattr(text_reader, "MARKED_LINES", 1)

    assert form == "training-step-log"
    with pytest.raises(UnknownFormat):
        make.read(log, name="x.txt")


def test_the_log_of_an_mlperf_run_that_prints_steps_too_is_of_mlperf() -> None:
    log = make.mllog(("run_start", 1000, {}), make.finished()) + megatron(1) + "time (ms) | forward: 1.5\n"

    assert make.read(log, name="x.txt").format == "mlperf-training"


def test_a_breakdown_inside_an_mlperf_log_is_not_of_deepspeed() -> None:
    with pytest.raises(UnknownFormat):
        make.read(":::MLLOG cut\ntime (ms) | forward: 1.5\n", name="x.txt")


def test_a_breakdown_between_numbered_steps_is_of_their_log() -> None:
    log = "time (ms) | forward: 1.5\n" + megatron(1)

    assert make.read(log, name="x.txt").format == "training-step-log"


def test_lines_of_ranks_out_of_order_are_one_run() -> None:
    reading = make.read("".join(TITAN.format(step, 5.5) for step in (1, 2, 1, 3, 2, 3)), name="x.txt")

    assert [m.index for m in reading.measurements if m.metric == "loss"] == [0, 1, 2]
    assert "Lines that repeat a step, as ranks do: 3." in reading.notices


def test_steps_that_begin_anew_are_another_run() -> None:
    reading = make.read("".join(TITAN.format(step, 5.5) for step in (1, 2, 3, 4, 1, 2)), name="x.txt")

    assert [(run.key, run.where) for run in reading.runs] == [("0", "x.txt:1"), ("1", "x.txt:5")]


@pytest.mark.parametrize(
    ("log", "kept"),
    [
        (megatron(1) + " iteration 2/ 9 | elapsed time per iteration (ms): 10", 1),
        (megatron(1) + megatron(2).strip(), 2),
        (TITAN.format(1, 5.5) + "step: 2  loss: 5.5  tps:", 1),
        (TITAN.format(1, 5.5) + "step: 2  loss: 5.5", 2),
        (nanogpt(1) + "step:2/9 train_loss:5.5 train_time:10", 1),
        (
            "DLL 2026-01-05 10:00:00 - Epoch: 0 Iteration: 1 loss : 5\n" * 2
            + "DLL 2026-01-05 10:00:00 - Epoch: 0 Iteration: 2 lo",
            1,
        ),
    ],
)
def test_a_last_line_that_is_cut_off_is_left_out(log: str, kept: int) -> None:
    reading = make.read(log, name="x.txt")

    assert len({m.index for m in reading.measurements}) == kept


def test_a_run_whose_last_line_is_cut_off_is_partial() -> None:
    reading = make.read(megatron(1) + " iteration 2/ 9 | elapsed time per iteration (ms): 10", name="x.txt")

    assert (reading.runs[0].status, reading.leniences) == ("partial", ("the last line is cut off: it was left out",))


def test_a_short_run_is_not_said_to_start_slowly() -> None:
    reading = make.read(megatron(1, 9000) + megatron(2, 1000), name="x.txt")

    assert not [notice for notice in reading.notices if "warmup" in notice]


def test_a_log_of_validations_only_has_no_steps_of_work() -> None:
    reading = make.read("validate step: 10 loss: 5.5\n", name="x.txt")

    assert [(m.metric, m.index) for m in reading.measurements] == [("validation_loss", 10)]
    assert reading.settings == ()


def test_a_line_without_an_average_is_read() -> None:
    reading = make.read(nanogpt(1) + nanogpt(2, "10ms") + nanogpt(3, "25ms"), name="x.txt")

    assert [m.value for m in reading.measurements if m.metric == "step_time"] == [None, 0.015]


def test_samples_are_not_counted_where_a_line_does_not_say_them() -> None:
    log = megatron(1) + megatron(2, more="consumed samples: 8 | global batch size: 4 |")

    assert [s.name for s in make.read(log, name="x.txt").settings if s.role == "work"] == ["steps"]


def test_losses_of_another_kind_of_line_are_refused() -> None:
    assert refused("1 5.5\nx\n2 5.5\n", "step-loss-text") == ("ragged_row", "x.txt:2")


def test_steps_of_losses_that_do_not_increase_are_refused() -> None:
    assert refused("1 5.5\n2 5.5\n2 5.25\n", "step-loss-text") == ("several_runs", "x.txt:3")


@pytest.mark.parametrize(
    "table", ["5 1.5\n6 1.5\n", "1 1.5\n1 1.5\n1 2.5\n", "1 1.5\n", "1 2\n2 3\n", "1 1.5\nx\n2 1.5\n"]
)
def test_other_pairs_of_numbers_are_no_losses(table: str) -> None:
    with pytest.raises(UnknownFormat):
        make.read(table, name="x.txt")


def test_a_long_list_of_losses_is_recognised_by_its_head() -> None:
    table = "".join(f"{step} 5.123456789\n" for step in range(1, 9000))

    assert len(make.read(table, name="x.txt").measurements) == 8999


@pytest.mark.parametrize(
    ("values", "code", "place"),
    [
        ('{"0": 5.5}', "not_a_count", "lm loss.values.0"),
        ('{"x": 5.5}', "not_a_number", "lm loss.values.x"),
        ('{"1": true}', "not_a_number", "lm loss.values.1"),
        ("5", "not_an_object", "lm loss.values"),
    ],
)
def test_golden_values_that_cannot_be_are_named(values: str, code: str, place: str) -> None:
    assert refused(GOLDEN % values) == (code, f"x.txt:{place}")


def test_golden_values_of_no_metric_are_refused() -> None:
    assert refused("{}", "megatron-golden") == ("no_runs", "x.txt")


@pytest.mark.parametrize("form", ["megatron-golden", "trainer-state"])
def test_two_objects_in_one_file_are_refused(form: str) -> None:
    assert refused("{}\n{}", form) == ("several_files", "x.txt")


def test_golden_values_that_are_all_missing_are_no_work() -> None:
    reading = make.read(GOLDEN % '{"1": "nan"}')

    assert reading.settings == ()


def test_a_history_without_a_number_is_refused() -> None:
    assert refused('{"log_history": []}') == ("no_runs", "x.txt")


def test_a_row_of_the_history_without_its_step_is_named() -> None:
    assert refused('{"log_history": [{"loss": 1.5}]}') == ("missing", "x.txt:log_history[0].step")


def test_a_history_of_evaluations_only_says_nothing_of_losses() -> None:
    reading = make.read('{"log_history": [{"eval_loss": 1.5, "step": 1}], "max_steps": -1, "global_step": 1}')

    assert reading.notices == ()
    assert reading.runs[0].status == "completed"


def test_a_list_of_results_is_not_of_the_trainer() -> None:
    with pytest.raises(UnknownFormat):
        make.read('[{"train_runtime": 1, "train_samples_per_second": 1}]')


def test_a_tag_without_a_run_is_taken_from_the_name() -> None:
    reading = make.read("Wall time,Step,Value\n1.5,1,2.5\n", name="tag-loss.csv")

    assert [(s.name, s.value) for s in reading.settings if s.role == "identity"] == [("tag", "loss")]


def test_a_series_that_tensorboard_has_thinned_says_so() -> None:
    table = "Wall time,Step,Value\n" + "".join(f"1.5,{step},2.5\n" for step in range(0, 2000, 2))

    assert tensorboard_csv.THINNED in make.read(table, name="x.csv").notices
    assert tensorboard_csv.THINNED not in make.read(table[: table.rindex("1.5")], name="x.csv").notices


@pytest.mark.parametrize("cell", ["soon", "-1", "1e300"])
def test_a_moment_that_is_none_is_named_by_its_cell(cell: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(f"Wall time,Step,Value\n{cell},1,2.5\n", name="x.csv")

    assert refusal.value.where == "x.csv:2.Wall time"
