"""Request tables that are read by column are read as by row: every value, place, setting, notice and refusal."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import MalformedEvidence
from analysis.evidence import limits, lmbench_request_csv, request_columns
from analysis.evidence.format import Document
from analysis.evidence.stored import Stored
from analysis.evidence.watch import Watch
from analysis.parquet import from_parquet, to_parquet
from analysis.reading import Reading

HEADER = ",".join(request_columns.COLUMNS)
ROW = "1144,61,0.22052485898543772,4.76837158203125e-07,1714000000.1028857,1714000002.1833823"
ODD = (
    "12.0", "", "-1", "+1", "0", "nan", "inf", "1e999", "0e-1000", "1e-0401", "1E3", "0x1F", '"1"', "1,000", " 7", "7 ",
    "1.", ".5", ".", "5e", "x", "é", "1" * 30, "0" * 250 + "1", "1.00000000001", "1e5", "5e-05", "3000000000",
    "9223372036854775807", "1714000000", "1814000000.5", "99999999999.5", "٣", "\r", "\n",
)  # fmt: skip


def document(text: str | bytes, name: str = "exp-1/qps_1.5.csv") -> Document:
    return Document(text if isinstance(text, bytes) else text.encode(), name)


def told(read: object, one: Document) -> object:
    """All that a reader says of a file."""
    try:
        reading: Reading = read(one)  # type: ignore[operator]
    except MalformedEvidence as refused:
        return refused.code, refused.where, refused.message
    rest = (reading.runs, reading.settings, reading.leniences, reading.notices, reading.format)
    return rest, list(reading.measurements)


def same(one: Document) -> None:
    assert told(lmbench_request_csv.parse, one) == told(lmbench_request_csv._by_row, one)


def plain_rows(count: int, seed: int = 1) -> list[str]:
    draw, rows, at = random.Random(seed), [], 1714000000.1  # noqa: S311 -- no secret
    for _ in range(count):
        at += draw.expovariate(50)
        first, rest = draw.uniform(1e-6, 1), draw.uniform(1e-7, 9)
        tokens = f"{draw.randrange(4000)},{draw.randrange(300)}"
        rows.append(f"{tokens},{first!r},{rest!r},{round(at, 7)!r},{round(at + first + rest, 7)!r}")
    return rows


ticks = st.integers(1, 2 * 10**18).map(lambda ns: f"{ns // 10**9}.{ns % 10**9:09}")
times = st.one_of(st.floats(1e-9, 1e6).map(repr), st.integers(1, 99).map(str), st.decimals(1, 9, places=4).map(str))
counts = st.integers(0, 2**31 + 5).map(str)
cells = st.tuples(counts, counts, times, times, ticks, ticks)
oddities = st.tuples(st.integers(0, 20), st.integers(0, 5), st.sampled_from(ODD))


@settings(max_examples=150, deadline=None)
@given(st.lists(cells, min_size=1, max_size=8), st.lists(oddities, max_size=2), st.sampled_from(("\n", "\r\n")))
def test_both_readers_agree(rows: list[tuple[str, ...]], odd: list[tuple[int, int, str]], end: str) -> None:
    table = [[*row[:4], *sorted(row[4:], key=float)] for row in rows]
    for at, place, cell in odd:
        table[at % len(table)][place] = cell
    same(document(end.join([HEADER, *map(",".join, table), ""])))


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("cell", ODD)
def test_both_readers_agree_on_every_odd_cell(place: int, cell: str) -> None:
    row = ROW.split(",")
    row[place] = cell
    same(document(f"{HEADER}\n{ROW}\n{','.join(row)}\n{ROW}\n"))


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADER}\n{ROW}",
        f"{HEADER}\n{ROW}\n\n",
        f"{HEADER}\n\n{ROW}\n",
        f"{HEADER}\n",
        HEADER,
        f"{HEADER}\n{ROW}\n{ROW[:40]}",
        f"{HEADER}\n{ROW}\n{HEADER}\n",
        f"{HEADER}\n{ROW},1\n",
        f"{HEADER}\n{ROW}\r{ROW}\n",
        f"{HEADER}\n{ROW}\r\n{ROW}\n",
        f"note\n{HEADER}\n{ROW}\n",
        f"\ufeff{HEADER}\n{ROW}\n",
        f"{HEADER},more\n{ROW},1\n",
        f"{HEADER}\n{ROW}\n".replace(",", ";"),
        f"{HEADER}\n0,0,1,1,1,2\n",
    ],
)
def test_both_readers_agree_on_every_shape(text: str) -> None:
    same(document(text))


def test_columns_in_another_order_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_columns, "BLOCK", 500)
    turned = [",".join(reversed(row.split(","))) for row in [HEADER, *plain_rows(40)]]

    one = document("\n".join(turned))
    assert request_columns.plain(one) is not None
    same(one)


def test_a_table_of_many_blocks_is_read_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_columns, "BLOCK", 999)
    monkeypatch.setattr("analysis.parquet.GROUP", 64)
    watch = Watch()
    one = Document("\n".join([HEADER, *plain_rows(100), ""]).encode(), "qps_2.csv", watch)

    reading = lmbench_request_csv.parse(one)

    assert watch.rows == 500
    assert list(reading.measurements) == list(lmbench_request_csv._by_row(one).measurements)
    assert reading.measurements.texts("where")[:2] == ["qps_2.csv:2.prompt_tokens", "qps_2.csv:2.generation_tokens"]
    assert set(reading.measurements.distinct("kind")) == {"raw", "aggregate"}
    assert from_parquet(to_parquet(reading)) == reading


def large(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Document:
    """The text as a file that is too large for the reader by rows."""
    monkeypatch.setattr(limits, "BYTES", 100)
    (folder / "r.csv").write_text(text)
    return Document(Stored((folder / "r.csv").open("rb")), "r.csv")


def test_a_large_plain_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = plain_rows(30)
    reading = lmbench_request_csv.parse(large(tmp_path, "\n".join([HEADER, *rows]), monkeypatch))

    assert len(reading.measurements) == 154


@pytest.mark.parametrize("line", [2, 3, 17, 31])
def test_a_large_file_with_an_odd_line_is_refused_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: int
) -> None:
    monkeypatch.setattr(request_columns, "BLOCK", 700)
    rows = plain_rows(30)
    rows[line - 2] = rows[line - 2].replace(",", ",-", 1)

    with pytest.raises(MalformedEvidence, match="not written plainly") as refused:
        lmbench_request_csv.parse(large(tmp_path, "\n".join([HEADER, *rows]), monkeypatch))

    assert (refused.value.code, refused.value.where) == ("odd_line", f"r.csv:{line}")


def test_a_large_file_with_more_columns_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MalformedEvidence) as refused:
        lmbench_request_csv.parse(large(tmp_path, f"{HEADER},more\n{ROW},1\n", monkeypatch))

    assert (refused.value.code, refused.value.where) == ("odd_line", "r.csv:1")


def test_a_line_without_end_is_not_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_columns, "BLOCK", 64)

    assert request_columns.plain(document(f"{HEADER}\n{'1' * 500}\n")) is None


def test_more_values_than_are_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "COLUMN_VALUES", 50)
    text = "\n".join([HEADER, *plain_rows(10)])
    assert len(lmbench_request_csv.parse(document(text)).measurements) == 54

    with pytest.raises(MalformedEvidence) as refused:
        lmbench_request_csv.parse(document(f"{text}\n{ROW}\n"))

    assert (refused.value.code, refused.value.where) == ("too_many_rows", "exp-1/qps_1.5.csv")


def test_real_tables_are_read_alike(real_evidence: Path) -> None:
    files = sorted((real_evidence / "lmbench-request-csv").rglob("*.csv"))

    assert files
    for file in files:
        same(Document(file.read_bytes(), str(file.relative_to(real_evidence))))


def test_later_columns_are_a_mapping() -> None:
    reading = lmbench_request_csv.parse(document(f"{HEADER}\n{ROW}\n"))
    columns = reading.measurements._columns

    assert list(columns.numbers) == ["n", "index", "started_ns"]
    assert (len(columns.numbers), len(columns.words), len(columns.texts["where"])) == (3, 11, 9)


def test_a_part_of_the_measurements_is_a_part_whichever_way_it_is_cut() -> None:
    rows = lmbench_request_csv.parse(document("\n".join([HEADER, *plain_rows(3)]))).measurements
    listed = list(rows)

    for cut in (slice(2, 9), slice(1, None, 3), slice(None, None, -1), slice(9, 2)):
        assert list(rows[cut]) == listed[cut]
    assert list(rows[4:12][1:5]) == listed[4:12][1:5]
    chosen = rows.only(metric="ttft")
    assert list(chosen[1:]) == [row for row in listed if row.metric == "ttft"][1:]
    assert (rows[-1], chosen[-1], rows[4:12][2]) == (listed[-1], listed[12], listed[6])
