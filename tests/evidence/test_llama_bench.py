"""llama-bench: what the golden cases do not show."""

import json

import pytest

from analysis.errors import UnknownFormat
from tests.evidence import make
from tests.evidence.readings import refused, values_of

MARKDOWN = "| model | backend | test | t/s |\n| --- | --- | ---: | ---: |\n"
LLAMA_CSV = "build_commit,model_type,n_prompt,n_gen,avg_ts\n"


@pytest.mark.parametrize(
    ("sizes", "metric"),
    [
        ({"n_prompt": 512}, "pp512"),
        ({"n_prompt": 0, "n_gen": 128}, "tg128"),
        ({"n_prompt": 512, "n_gen": 128, "n_depth": 64}, "pp512_tg128_d64"),
        ({"n_prompt": 0}, "nothing"),
    ],
)
def test_a_test_is_named_as_the_tool_names_it(sizes: dict[str, object], metric: str) -> None:
    assert values_of(make.read(make.llama(**sizes)), metric) == [64.0]


def test_a_list_without_a_test_is_refused() -> None:
    assert refused("[]", "llama-bench") == ("no_runs", "x.json")


@pytest.mark.parametrize(
    ("time", "code"),
    [
        ("soon", "not_a_time"),
        ("9999-12-31T23:59:59-23:59", "not_a_time"),
        ("1969-12-31T00:00:00Z", "negative"),
        (5, "not_text"),
    ],
)
def test_a_test_time_that_is_none_is_refused(time: object, code: str) -> None:
    assert refused(make.llama(test_time=time)) == (code, "x.json:[0].test_time")


def test_the_start_of_a_run_is_that_of_its_first_test() -> None:
    assert make.read(make.llama(test_time="1970-01-01T00:01:00Z")).runs[0].started_ns == 60 * 10**9


def test_one_repetition_is_said_to_have_no_deviation() -> None:
    reading = make.read(make.llama(stddev_ts=0))

    assert values_of(reading, "pp512", "std") == [None]
    assert any("measured once" in notice for notice in reading.notices)


def test_a_table_without_rows_is_a_failed_run() -> None:
    [run] = make.read(MARKDOWN).runs

    assert (run.status, run.reason) == ("failed", "the tool printed no result")


def test_a_table_that_broke_off_is_partial_and_keeps_its_rows() -> None:
    reading = make.read(MARKDOWN + "| tiny | RPC | pp512 | 95.5 ± 0.5 |\nmain: error: out of memory\n")

    assert (reading.runs[0].status, values_of(reading, "pp512", "mean")) == ("partial", [95.5])


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("ggml_cuda_init: failed to initialize, using the CPU", "", "completed"),
        ("Failed to connect to 10.0.0.1:50052", "", "partial"),
        ("", "Segmentation fault (core dumped)", "partial"),
        ("", "first error\nsecond error", "partial"),
        ("", "done", "completed"),
    ],
)
def test_what_stands_beside_the_json_may_say_that_it_broke(before: str, after: str, status: str) -> None:
    [run] = make.read(f"{before}\n{json.dumps([make.llama()])}\n{after}\n").runs

    assert run.status == status
    assert (after.partition("\n")[0] or before) in run.reason or status == "completed"


def test_json_that_is_cut_off_is_partial() -> None:
    assert make.read(json.dumps([make.llama()] * 2)[:-20]).runs[0].reason == "the file is cut off"


def test_the_names_of_old_tests_are_read() -> None:
    reading = make.read(MARKDOWN + "| tiny | CPU | pp 512 | 95.5 ± 0.5 |\n| tiny | CPU | tg 128 | 9.5 ± 0.5 |\n")

    assert [m.metric for m in reading.measurements if m.stat == "mean"] == ["pp512", "tg128"]


def test_each_table_has_the_build_below_it() -> None:
    tables = "".join(f"{MARKDOWN}| tiny | CPU | tg8 | {i}.5 |\n\nbuild: abc{i} ({i})\n" for i in (1, 2))
    reading = make.read(tables)

    assert [s.value for s in reading.settings if s.name == "build_commit"] == ["abc1", "abc2"]


@pytest.mark.parametrize(
    ("content", "code", "where"),
    [
        (MARKDOWN + "| tiny | CPU | pp512 |\n", "ragged_row", "x.json:3"),
        (MARKDOWN + "| tiny | CPU | fast | 95.5 |\n", "unknown_metric", "x.json:3"),
        (MARKDOWN + "| tiny | CPU | pp512 | fast |\n", "not_a_number", "x.json:3.avg_ts"),
        (make.text("llama-bench/rows.sql").replace(", '64.0'", ""), "ragged_row", "x.json:6"),
        (LLAMA_CSV + "abc,tiny,512,0,-1\n", "negative", "x.json:2.avg_ts"),
        (LLAMA_CSV + "abc,tiny,512\nabc,tiny,512,0,1\n", "ragged_row", "x.json:2"),
    ],
)
def test_a_table_that_is_wrong_is_refused_by_its_place(content: str, code: str, where: str) -> None:
    assert refused(content) == (code, where)


def test_a_table_that_is_cut_off_is_partial() -> None:
    assert make.read(LLAMA_CSV + "abc,tiny,512,0,64\nabc,tiny").runs[0].status == "partial"


def test_an_insert_into_another_table_is_no_llama_bench() -> None:
    with pytest.raises(UnknownFormat):
        make.read("INSERT INTO users (name) VALUES ('a');\n")
