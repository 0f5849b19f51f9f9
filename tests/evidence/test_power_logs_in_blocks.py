"""Power logs that are read in blocks are read as by row: every value, place, setting, notice and refusal."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence
from analysis.evidence import blocks, cell_columns, limits, nvidia_smi, nvidia_smi_blocks, sheet, telemetry
from analysis.evidence.cell_columns import Column, Refusals
from analysis.evidence.format import Document
from analysis.evidence.stored import Stored
from analysis.evidence.watch import Watch
from analysis.parquet import from_parquet, to_parquet
from analysis.reading import Reading
from tests.evidence.in_blocks import Read, agree, mutated, told

OURS = Path(__file__).parent
SMI: tuple[Read, Read] = (partial(nvidia_smi_blocks.parse, name="nvidia-smi", version=1), nvidia_smi.by_row)
HEADER = "timestamp, index, name, power.draw [W], clocks.sm [MHz], clocks_event_reasons.active"
ODD = (
    "", "-", "N/A", "[N/A]", "[Not Supported]", "-1", "0", " 0 W", "nan", "1e999", "1,5", '"1"', '"1', '1"2', "x",
    "33.1 W", "é", "2026/01/03 15:36:53.507", "2026/13/03 15:36:53.507", "1970/01/01 00:00:00", "1969/12/31 23:59:59",
    "2026/01/03 24:00:00", "2026/01/03 15:36:53", "2262/04/11 23:50:00.000", "\x00", "٣", "1 2", "index", "0x1",
)  # fmt: skip


def smi(rows: int, gpus: int = 2) -> list[str]:
    return [
        f"2026/01/05 15:{i // 600 % 60:02}:{i // 10 % 60:02}.{i % 10}00, {gpu}, NVIDIA H100, {300 + i % 7}.25 W, "
        f"{1980 - i % 5} MHz, 0x000000000000000{i % 3}"
        for i in range(rows)
        for gpu in range(gpus)
    ]


def text(*lines: str) -> bytes:
    return "\n".join([*lines, ""]).encode()


def real(folder: Path, *patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in folder.glob(pattern))


@pytest.mark.parametrize("size", [300, blocks.SIZE])
def test_real_logs_of_nvidia_smi_are_read_alike(
    real_evidence: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(blocks, "SIZE", size)
    files = real(real_evidence / "nvidia-smi", "*.csv", "captures/*/*.csv") + real(OURS / "nvidia-smi", "*.csv")

    how = {file.name: agree(*SMI, Document(file.read_bytes(), file.name)) for file in files}

    assert Counter(how.values())["read"] > len(how) / 2
    assert [name for name, what in how.items() if what == "odd"] == ["lost.csv"], "its messages are read by row"


@pytest.mark.parametrize("seed", range(2))
def test_mutated_logs_of_nvidia_smi_are_read_alike(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    how: Counter[str] = Counter()
    for size in (250, blocks.SIZE):
        monkeypatch.setattr(blocks, "SIZE", size)
        for file in real(OURS / "nvidia-smi", "*.csv"):
            changed = mutated(file.read_bytes(), ODD, seed, 25)
            how.update(agree(*SMI, Document(content, file.name)) for content in changed)

    assert how["read"] > 20
    assert how["refused alike"] > 20


SHAPES = {
    "the clock goes back, and back again": text(
        HEADER, *smi(9), *smi(4), *smi(1), "2026/01/04 15:00:00, 1, H100, 1 W, 1 MHz, 0x0"
    ),
    "a block begins where the clock goes back": text(HEADER, *smi(2, gpus=1), *smi(2, gpus=1), *smi(2, gpus=1)),
    "no time": text("index, power.draw [W]", "0, 33 W", "1, 34 W", "0, 35 W"),
    "gaps": text(HEADER, *smi(40)[:20], *smi(80)[120:], *smi(90)[175:]),
    "the header again, and blank lines": text(HEADER, *smi(2), "", HEADER, *smi(9)[4:], "", ""),
    "blank lines at the end": text(HEADER, *smi(5), "", ""),
    "a byte order mark and carriage returns": b"\xef\xbb\xbf" + text(HEADER, *smi(5)).replace(b"\n", b"\r\n"),
    "lines before the header": text("started", "", HEADER, *smi(3)),
    "semicolons and commas": text(*(line.replace(",", ";").replace(".25", ",25") for line in [HEADER, *smi(3)])),
    "quoted": text(HEADER, *(line.replace(" NVIDIA H100", '"NVIDIA, H100"') for line in smi(3))),
    "the GPU by its uuid or serial": text(
        "index, uuid, serial, power.draw [W]", "0, GPU-1, 5, 1 W", "N/A, GPU-2, 6, 2 W", "N/A, N/A, 7, 3 W", "-,-,-,4"
    ),
    "mode": text(HEADER, *smi(2), smi(1)[0].replace("300.25", "[N/A]"), smi(1)[0].replace("300.25", "0.00")),
}


@pytest.mark.parametrize("size", [40, 120, blocks.SIZE])
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_logs_of_every_shape_are_read_alike(monkeypatch: pytest.MonkeyPatch, shape: str, size: int) -> None:
    monkeypatch.setattr(blocks, "SIZE", size)

    assert agree(*SMI, Document(SHAPES[shape], "log.csv")) == "read"


REFUSED = {
    "negative": [smi(1)[0].replace("300.25", "-300.25")],
    "not_a_time": [smi(1)[0].replace("2026/01/05", "2026/13/05")],
    "not_a_number": [smi(1)[0].replace("1980 MHz", "fast"), smi(1)[0].replace("300.25", "-300.25")],
    "ragged_row": ["1, 2"],
}


@pytest.mark.parametrize("size", [200, blocks.SIZE])
@pytest.mark.parametrize("code", sorted(REFUSED))
def test_the_first_row_that_is_refused_is_named_alike(monkeypatch: pytest.MonkeyPatch, code: str, size: int) -> None:
    monkeypatch.setattr(blocks, "SIZE", size)
    document = Document(text(HEADER, *smi(4), *REFUSED[code], *REFUSED[code], *smi(2)), "log.csv")

    assert agree(*SMI, document) == "refused alike"
    with pytest.raises(MalformedEvidence) as refused:
        nvidia_smi.parse(document)
    assert (refused.value.code, refused.value.where.split(".")[1][:6]) == (code, "csv:10")


def test_rows_of_one_moment_without_a_gpu_and_unknown_units_are_refused_alike() -> None:
    twice = text("timestamp, power.draw [W]", *["2026/01/05 15:00:00, 1 W"] * 2)
    assert agree(*SMI, Document(twice, "log.csv")) == "refused alike"
    assert agree(*SMI, Document(text("power.draw [furlong]", "1"), "log.csv")) == "refused alike"
    assert agree(*SMI, Document(text("power.limit [W], index", "1 W, 0"), "log.csv")) == "refused alike"
    assert agree(*SMI, Document(text("power.draw [W], index"), "log.csv")) == "refused alike"
    assert agree(*SMI, Document(b"nothing of that kind", "log.csv")) == "refused alike"


@pytest.mark.parametrize(
    "content",
    [
        text(HEADER, *smi(2)).decode().encode("utf-16"),
        text(HEADER, *smi(2)).replace(b"NVIDIA", b"NVIDIA \xae"),
        text(HEADER, *smi(2)).replace(b"\n", b"\r"),
        text(HEADER, *smi(2), "1\x002"),
        text(HEADER, *smi(2)).replace(b" NVIDIA", b'"NVIDIA'),
        text(f"{HEADER}, index", *(f"{line}, 1" for line in smi(2))),
        text(f'{HEADER},"more', *smi(2)),
        b"\xae" + text("", HEADER, *smi(2)),
        HEADER.encode(),
    ],
)
def test_what_only_the_whole_can_tell_is_left_to_the_reader_by_row(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = Document(content, "log.csv")
    assert agree(*SMI, document) == "odd"
    assert told(nvidia_smi.parse, document) == told(nvidia_smi.by_row, document)

    monkeypatch.setattr(limits, "BYTES", 50)
    with pytest.raises(MalformedEvidence, match="not written plainly") as refused:
        nvidia_smi.parse(document)
    assert refused.value.code == "odd_line"


def test_a_large_log_is_read_from_a_disk_and_names_what_it_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BYTES", 1000)
    monkeypatch.setattr(blocks, "SIZE", 700)
    (tmp_path / "log.csv").write_bytes(text(HEADER, *smi(30)))
    (tmp_path / "bad.csv").write_bytes(text(HEADER, *smi(30), smi(1)[0].replace("300.25", "-1")))
    watch = Watch()

    reading = evidence.read(Document(Stored((tmp_path / "log.csv").open("rb")), "log.csv", watch))
    with pytest.raises(MalformedEvidence) as refused:
        evidence.read(Document(Stored((tmp_path / "bad.csv").open("rb")), "bad.csv"))

    assert (len(reading.measurements), watch.rows) == (120, 120)
    assert (refused.value.code, refused.value.where) == ("negative", "bad.csv:62.power.draw [W]")


def test_what_was_read_in_blocks_is_kept_and_cut_like_any_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 300)
    content = text(HEADER, *smi(20), smi(1)[0].replace("300.25", "[N/A]"))
    reading = nvidia_smi.parse(Document(content, "log.csv"))
    listed, rows = list(reading.measurements), reading.measurements

    assert from_parquet(to_parquet(reading)) == reading
    for cut in (slice(2, 9), slice(1, None, 3), slice(None, None, -1), slice(9, 2)):
        assert list(rows[cut]) == listed[cut]
    assert [row.where for row in rows.not_measured()] == ["log.csv:42.power.draw [W]"]
    assert rows.distinct("stage") == ("gpu0", "gpu1")
    assert set(rows.by("run")) == {"0", "1"}
    assert (rows[-1], rows[4:12][2], len(rows.texts("where"))) == (listed[-1], listed[6], 82)
    assert len(rows._columns.texts["original"]) == 82


def test_a_name_that_does_not_count_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TEXT", 9)
    rows = ["0, GPU-1, 1 W", "1, GPU-5ba2e4f1-9c1d, 2 W", "N/A, GPU-3, 2 W"]

    assert agree(*SMI, Document(text("index, uuid, power.draw [W]", *rows), "log.csv")) == "read"
    rows.append("N/A, GPU-5ba2e4f1-9c1d, 2 W")
    assert agree(*SMI, Document(text("index, uuid, power.draw [W]", *rows), "log.csv")) == "refused alike"


def test_more_values_than_are_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "COLUMN_VALUES", 39)
    with pytest.raises(MalformedEvidence) as refused:
        nvidia_smi.parse(Document(text(HEADER, *smi(10)), "log.csv"))
    assert (refused.value.code, refused.value.where) == ("too_many_rows", "log.csv")


def test_more_gpus_than_are_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "MOST_WORDS", 2)
    assert len(nvidia_smi.parse(Document(text(HEADER, *smi(1)), "log.csv")).measurements) == 4
    with pytest.raises(MalformedEvidence, match="stages") as refused:
        nvidia_smi.parse(Document(text(HEADER, *smi(1, gpus=3)), "log.csv"))
    assert refused.value.code == "too_many_rows"


def test_a_line_without_end_is_not_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 64)
    monkeypatch.setattr(blocks, "LONGEST", 200)
    content = text(HEADER) + b"1" * 500

    assert agree(*SMI, Document(content, "log.csv")) == "odd"


def test_only_so_many_meanings_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_columns, "MOST", 3)
    monkeypatch.setattr(blocks, "SIZE", 200)

    assert agree(*SMI, Document(text(HEADER, *smi(40)), "log.csv")) == "read"


TIMES = (
    ["2026/01/05 15:36:53.507", "2026/01/06 00:00:00.000"], ["2026-01-05T15:36:53", "1970-01-01T00:00:00"],
    ["2026/01/05 15:36:53.123456789"], ["2026/01/05 15:36:53.", "2026/01/05 15:36:53."], ["x"], ["05.01.2026 15:36:53"],
    ["2026/01/05 15:36:60"], ["2026/01/05 25:36:50"], ["2026/01/05 15.36.50"], ["2026/01/05 15:3x:50"],
    ["2262/04/11 23:47:16.854", "2026/01/05 15:36:53.507"], ["2026/01/05 15:36:53", "2026/01/05 15:36:53.5"],
    ["2026/01/05 15:36:53.5", "2026/01/05 15:36:53"], ["2026/01/05 15:36:53.507", "2026/01/05 15:36:5é.507"],
    ["2026/01/05 15:36:53.50é"], ["2026/02/30 15:36:53"],
    ["2026/01/05 15:36:53.5", "2026/01/05 15:36:53", "2026/01/05 15:36:53.567"],
)  # fmt: skip


@pytest.mark.parametrize("times", TIMES)
def test_moments_are_those_of_the_careful_reader(times: list[str]) -> None:
    refusals = Refusals()

    def careful(read: Callable[[], object]) -> object:
        try:
            return read()
        except MalformedEvidence as refused:
            return refused.code, refused.where

    def together() -> object:
        at = cell_columns.moments(Column.of(times), telemetry.local_ns, lambda row: f"t.csv:{row}", refusals)
        refusals.settle()
        return at.tolist()

    assert careful(together) == careful(lambda: [telemetry.local_ns(t, f"t.csv:{i}") for i, t in enumerate(times)])


def test_gaps_are_found_beside_the_middle_step() -> None:
    def said(moments: list[int]) -> list[str]:
        reading: Reading = nvidia_smi.by_row(
            Document(
                text("timestamp, index, power.draw [W]", *(f"2026/01/05 15:00:{s:02}, 0, 1 W" for s in moments)), "a"
            )
        )
        return [notice for notice in reading.notices if "apart" in notice]

    assert said([0, 1, 2, 3, 6]) == [
        "gpu0: samples are 1 s apart; gaps of more than twice that: 1, the longest of 3 s."
    ]
    assert said([0, 1, 3, 7]) == []
    assert said([0, 1, 2, 4, 8]) == [
        "gpu0: samples are 1.5 s apart; gaps of more than twice that: 1, the longest of 4 s."
    ]
    assert said([0, 0, 0, 9]) == []
    assert said([5]) == []
    assert np.array(said([0, 9])).size == 0
