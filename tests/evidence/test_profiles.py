"""Profiles of devices: nsys, ncu, rocprof, rocpd and XProf, beyond what the golden cases show."""

import json
import re

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import limits, ncu, sqlite_reader
from analysis.evidence.format import Document
from analysis.reading import Reading
from tests.evidence import golden, make

KERNELS = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n"
EXECUTIONS = "Start (ns),Duration (ns),Device,Strm,Name\n"
NCU = (
    '"ID","Process ID","Process Name","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    '"0","4","tool","gemm","Cycles","cycle","12"\n'
)
TRACE = '"Kernel_Name","Agent_Id","Queue_Id","Start_Timestamp","End_Timestamp"\n'


def of_items(reading: Reading, metric: str, stat: str = "total") -> dict[str, float | None]:
    return {m.item: m.value for m in reading.measurements if (m.metric, m.stat) == (metric, stat)}


def read(case: str) -> Reading:
    return evidence.read(golden.document(golden.HERE / case))


@pytest.mark.parametrize(
    ("case", "metric", "expected"),
    [
        (
            "nsys-stats/kernels.csv",
            "kernel_time",
            {"void gemm<float, 4>(float*, int)": 3e-6, "ncclDevKernel_AllReduce": 1e-6, "nothing": None},
        ),
        ("nsys-stats/console.txt", "range_time", {"Profile Loop of 8": 0.003481709, "Copy": 100.5e-6}),
        ("nsys-stats/old_calls.csv", "memory_operation_time", {"[CUDA memcpy HtoD]": 1.395e-6}),
        ("rocprof/version_1.csv", "kernel_time", {"add.kd": 450e-9}),
        ("rocprof/stats.csv", "call_time", {"hipMalloc": 0.262497406, "hipFree": 2e-6}),
        ("rocpd/rocprofv3.database", "kernel_time", {"add(float*)": 300e-9, "ncclDevKernel.kd": 150e-9}),
        ("rocpd/rocm_profile_data.database", "kernel_time", {"Cijk_Alik": 550e-9}),
        (
            "nsys-sqlite/kernels_and_calls.database",
            "kernel_time",
            {"void gemm<float>(float*)": 750e-9, "ncclDevKernel_AllReduce": 500e-9},
        ),
    ],
)
def test_totals_are_called_by_the_name_of_what_ran(case: str, metric: str, expected: dict[str, float | None]) -> None:
    assert of_items(read(case), metric) == expected


def test_a_counter_and_a_metric_of_a_kernel_are_called_by_it() -> None:
    counters = [(m.index, m.item) for m in read("rocprof/counters.csv").measurements]
    metrics = {(m.index, m.item) for m in read("ncu/two_kernels.csv").measurements}

    assert counters == [(1, "add<float>(float*, int)"), (2, "subtract"), (1, "add<float>(float*, int)")]
    assert metrics == {(0, "gemm"), (1, "add")}


@pytest.mark.parametrize(
    ("content", "format_name", "code", "where"),
    [
        (KERNELS, "nsys-stats", "no_rows", "x"),
        ("nothing here\n", "nsys-stats", "no_header", "x"),
        (KERNELS + "1,2\n", "nsys-stats", "ragged_row", "x:2"),
        (KERNELS + "100,-5,1,5,a\n", "nsys-stats", "negative", "x:2.Total Time (ns)"),
        (KERNELS + "100,5,1.5,5,a\n", "nsys-stats", "not_a_count", "x:2.Instances"),
        (KERNELS + "100,5,1,fast,a\n", "nsys-stats", "not_a_number", "x:2.Avg (ns)"),
        ("Time (%),Total Time (ns),Name\n100,5,a\n", "nsys-stats", "missing", "x:2"),
        ("Time (%),Total Time (ns),Count\n100,5,1\n", "nsys-stats", "missing", "x:2"),
        (EXECUTIONS + "5,-1,0,7,a\n", "nsys-stats", "not_a_time", "x:2.Start (ns)"),
        (EXECUTIONS + "soon,1,0,7,a\n", "nsys-stats", "not_a_number", "x:2.Start (ns)"),
        (EXECUTIONS + "5,0,0,7,a\n", "nsys-stats", "no_runs", "x:rows"),
        (EXECUTIONS + "5,5000000000000000000,0,7,a\n", "nsys-stats", "not_a_time", "x:2.Start (ns)"),
        (NCU + '"0","4","tool","gemm","Cycles","cycle","13"\n', "ncu", "contradiction", "x:3"),
        (NCU.replace('"12"', '"-12"'), "ncu", "negative", "x:2.Metric Value"),
        (NCU.replace('"12"', '"all"'), "ncu", "no_runs", "x"),
        (NCU.replace('"0"', '"first"'), "ncu", "not_a_number", "x:2.ID"),
        (TRACE + "a,1,1,5,4\n", "rocprof", "not_a_time", "x:2.Start_Timestamp"),
        (TRACE + "a,1,1,5,later\n", "rocprof", "not_a_number", "x:2.Start_Timestamp"),
        (TRACE, "rocprof", "no_rows", "x"),
        ("a,b\n1,2\n", "rocprof", "no_header", "x"),
        ("Kernel_Name,Counter_Name,Counter_Value\na,b,\n", "rocprof", "not_a_number", "x:2.Counter_Value"),
        ('{"rocprofiler-sdk-tool": 5}', "rocprof", "malformed_json", "x"),
        ('{"rocprofiler-sdk-tool": []}', "rocprof", "no_runs", "x"),
        ('{"rocprofiler-sdk-tool": [' + "[" * 5000, "rocprof", "malformed_json", "x"),
        (
            '{"rocprofiler-sdk-tool": [{"buffer_records": {}}]}',
            "rocprof",
            "no_runs",
            "x:rocprofiler-sdk-tool[0].buffer_records",
        ),
        ("no database", "nsys-sqlite", "missing", "x"),
        ("no database", "rocpd", "missing", "x"),
        ("[]", "xprof-json", "no_runs", "x"),
        ("[5]", "xprof-json", "not_an_object", "x:[0]"),
        ('[{"cols": 5}]', "xprof-json", "not_a_list", "x:[0].cols"),
    ],
)
def test_a_bad_profile_is_refused_by_its_place(content: str, format_name: str, code: str, where: str | None) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        evidence.read(Document(content.encode(), "x"), format_name)

    assert refusal.value.code == code
    assert where is None or refusal.value.where == where


def dispatched(**changed: object) -> str:
    info = {"agent_id": {"handle": 1}, "queue_id": {"handle": 2}, "kernel_id": 3}
    record = {"start_timestamp": 5, "end_timestamp": 9, "dispatch_info": info} | changed
    process = {
        "buffer_records": {"kernel_dispatch": [record]},
        "kernel_symbols": [{"kernel_id": 3, "kernel_name": "a"}],
    }
    return json.dumps({"rocprofiler-sdk-tool": [process]})


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (dispatched(start_timestamp=10), "not_a_time"),
        (dispatched(start_timestamp="5"), "malformed_json"),
        (dispatched().replace('"kernel_id": 3}', '"kernel_id": 4}', 1), "missing"),
        (dispatched().replace('"a"', '"\\u0000"'), "not_text"),
    ],
)
def test_a_bad_dispatch_is_refused(content: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content)

    assert refusal.value.code == code


def test_a_table_of_xprof_with_cells_missing_is_refused() -> None:
    columns = [{"id": name} for name in ("stepnum", "infeedTimeMs")]
    good = [{"cols": columns, "rows": [{"c": [{"v": "1"}, {"v": 2.5}]}]}]
    bad = [{"cols": columns, "rows": [{"c": [{"v": "1"}]}]}]

    assert [m.value for m in make.read(good).measurements] == [0.0025, 0.0025]
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(bad)

    assert (refusal.value.code, refusal.value.where) == ("lengths_differ", "x.json:[0].rows[0]")


def test_one_table_of_xprof_alone_is_read_as_well() -> None:
    table = {"cols": [{"id": "operation"}], "rows": [], "p": {"host_idle_time_percent": "88.0%"}}

    assert [(m.metric, m.stat, m.value) for m in make.read(table).measurements] == [
        ("host_idle_time_share", "mean", 0.88)
    ]


@pytest.mark.parametrize(
    ("unit", "ours"),
    [
        ("usecond", "us"), ("Ghz", "GHz"), ("ns", "ns"), ("%", "%"), ("Kbyte/block", "kB"), ("register/thread", "1"),
        ("", "1"), ("warp", "1"), ("Gbyte/second", "GB/s"), ("inst/second", None),
    ],
)  # fmt: skip
def test_units_of_ncu(unit: str, ours: str | None) -> None:
    assert ncu.unit_of(unit) == ours


def test_an_export_of_ncu_without_settings_is_read() -> None:
    reading = make.read(NCU.replace('"tool"', '""'), name="x.csv")

    assert reading.settings == ()
    assert [(m.metric, m.value, m.original_unit) for m in reading.measurements] == [("cycles", 12.0, "cycle")]


DATABASES = [
    (golden.HERE / case).read_text() for case in ("nsys-sqlite/kernels_and_calls.database", "rocpd/rocprofv3.database")
]
FIRST_KERNEL = "x:CUPTI_ACTIVITY_KIND_KERNEL[0]"


@pytest.mark.parametrize(
    ("which", "change", "code", "where"),
    [
        (0, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 'late';", "not_a_time", FIRST_KERNEL),
        (0, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 5;", "not_a_time", FIRST_KERNEL),
        (0, "DELETE FROM StringIds;", "not_text", FIRST_KERNEL),
        (0, "DROP TABLE StringIds;", "missing", "x"),
        (0, "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN streamId;", "malformed_evidence", "x"),
        (1, "DELETE FROM rocpd_kernel_dispatch_0a1b; DELETE FROM rocpd_memory_copy_0a1b;", "no_runs", None),
        (1, "UPDATE rocpd_info_kernel_symbol_0a1b SET display_name = x'ff';", "not_text", None),
    ],
)
def test_a_bad_database_is_refused(which: int, change: str, code: str, where: str | None) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        evidence.read(Document(golden.database(f"{DATABASES[which]}{change}"), "x"))

    assert refusal.value.code == code
    assert where is None or refusal.value.where == where


def test_a_table_that_is_not_there_is_not_asked_for() -> None:
    script = DATABASES[0] + "DROP TABLE TARGET_INFO_GPU; DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;"
    rocpd = DATABASES[1] + "DROP TABLE rocpd_memory_copy_0a1b;"

    readings = [evidence.read(Document(golden.database(one), "x")) for one in (script, rocpd)]

    assert [reading.settings for reading in readings] == [(), ()]
    assert "host launch" not in {m.stage for m in readings[0].measurements}
    assert "memory" not in {m.stage for m in readings[1].measurements}


def test_a_database_of_something_else_is_unknown() -> None:
    with pytest.raises(UnknownFormat):
        evidence.read(Document(golden.database("CREATE TABLE runs (a); CREATE VIEW rocpd_op AS SELECT 1;"), "x"))


@pytest.mark.parametrize("content", [sqlite_reader.MAGIC, sqlite_reader.MAGIC + b"\x00" * 600])
def test_a_broken_database_is_unknown_and_holds_no_table(content: bytes) -> None:
    assert sqlite_reader.tables(Document(content, "x")) == ()
    with pytest.raises(UnknownFormat):
        evidence.read(Document(content, "x"))


def test_an_empty_file_is_no_database() -> None:
    with pytest.raises(MalformedEvidence, match="no SQLite file") as refusal, sqlite_reader.opened(Document(b"", "x")):
        pytest.fail("opened")

    assert refusal.value.code == "malformed_evidence"


def test_a_query_that_does_too_much_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_reader, "INSTRUCTIONS", 10)
    monkeypatch.setattr(sqlite_reader, "LOOKS", 2)

    assert sqlite_reader.tables(golden.document(golden.HERE / "rocpd/rocprofv3.database")) == ()


def test_a_database_with_too_many_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROWS", 3)
    document = golden.document(golden.HERE / "rocpd/rocm_profile_data.database")

    with sqlite_reader.opened(document) as connection, pytest.raises(MalformedEvidence) as refusal:
        list(sqlite_reader.rows(connection, "SELECT * FROM rocpd_string", "x"))

    assert refusal.value.code == "too_many_rows"


def test_the_console_and_the_table_of_one_report_are_read_alike() -> None:
    table = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,12345,5,2469.0,add\n"
    console = (
        " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
        " Time (%)  Total Time (ns)  Instances  Avg (ns)  Name\n --------  ---------------  ---------  --------  ----\n"
        "    100.0           12,345          5   2,469.0  add\n"
    )

    values = [
        [(m.metric, m.stat, m.n, m.item, m.value) for m in make.read(text).measurements] for text in (table, console)
    ]

    assert values[0] == values[1]
    assert not re.search(r"\d,\d", str(values))


def test_a_statistic_that_a_row_leaves_empty_is_left_out() -> None:
    reading = make.read("Time (%),Total Time (ns),Instances,Med (ns),Name\n100.0,12345,5,,add\n")

    assert [(m.metric, m.stat) for m in reading.measurements] == [
        ("kernel_time", "total"),
        ("all_kernel_time", "total"),
    ]


def test_what_stands_outside_the_tables_of_a_report_is_passed_over() -> None:
    reading = make.read(f"Processing [a.sqlite]\n\n{KERNELS}\n{KERNELS}100,5,1,5,a\n\nbye\n")

    assert of_items(reading, "kernel_time") == {"a": 5e-9}


def test_a_virtual_table_is_no_table_of_ours() -> None:
    script = "CREATE VIRTUAL TABLE rocpd_op USING fts5(start, name);"

    assert "rocpd_op" not in sqlite_reader.tables(Document(golden.database(script), "x"))


def test_a_database_is_opened_so_that_it_runs_and_changes_nothing() -> None:
    with sqlite_reader.opened(golden.document(golden.HERE / "rocpd/rocprofv3.database")) as connection:
        assert list(sqlite_reader.rows(connection, "PRAGMA trusted_schema", "x")) == [(0,)]
        with pytest.raises(MalformedEvidence, match="readonly"):
            list(sqlite_reader.rows(connection, "CREATE TABLE more (a)", "x"))


def test_a_raw_page_without_a_row_of_units_is_counted() -> None:
    reading = make.read('"ID","Process ID","Process Name","Kernel Name","inst_executed"\n"0","4","tool","gemm","12"\n')

    assert [(m.metric, m.value, m.unit, m.item) for m in reading.measurements] == [("inst_executed", 12.0, "1", "gemm")]
