"""Logs of dmon, pmon and PTDaemon that are read in blocks are read as line by line."""

from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence
from analysis.evidence import (
    blocks,
    limits,
    mlperf_power,
    mlperf_power_blocks,
    nvidia_smi_dmon,
    nvidia_smi_dmon_blocks,
)
from analysis.evidence.format import Document
from analysis.evidence.stored import Stored
from analysis.parquet import from_parquet, to_parquet
from tests.evidence.in_blocks import Read, agree, mutated, told

OURS = Path(__file__).parent
READERS: dict[str, tuple[Read, Read]] = {
    "dmon": (partial(nvidia_smi_dmon_blocks.parse, name="nvidia-smi-dmon", version=1), nvidia_smi_dmon.by_row),
    "spl": (partial(mlperf_power_blocks.parse, name="mlperf-power", version=1), mlperf_power.by_line),
}
ODD = (
    "", "-", "N/A", "-1", "0", "nan", "x", "1e999", "é", "20261305", "25:36:53", "\x00", "#", "W", "1.5", "pid", "0: ",
    "[rank0]:", "\x1b[0m", "13-11-2024 23:35:19.963", "07-11-2024 23:35:18", "Mark", "Watts", "notset", "b_testing",
)  # fmt: skip


def files(folder: Path, kind: str) -> list[Path]:
    if kind == "dmon":
        return sorted([*(folder / "nvidia-smi").rglob("*.txt"), *(folder / "nvidia-smi-dmon").glob("*.txt")])
    return [path for path in sorted((folder / "mlperf-power").rglob("*.txt")) if path.read_bytes()[:5] == b"Time,"]


@pytest.mark.parametrize("size", [400, blocks.SIZE])
@pytest.mark.parametrize("kind", sorted(READERS))
def test_real_logs_are_read_alike(real_evidence: Path, monkeypatch: pytest.MonkeyPatch, kind: str, size: int) -> None:
    monkeypatch.setattr(blocks, "SIZE", size)
    found = files(real_evidence, kind) + files(OURS, kind)

    how = Counter(agree(*READERS[kind], Document(file.read_bytes(), file.name)) for file in found)

    assert how == {"read": len(found)}


@pytest.mark.parametrize("kind", sorted(READERS))
def test_mutated_logs_are_read_alike(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    how: Counter[str] = Counter()
    for seed, size in enumerate((300, blocks.SIZE)):
        monkeypatch.setattr(blocks, "SIZE", size)
        for file in files(OURS, kind):
            changed = [
                one for one in mutated(file.read_bytes(), ODD, seed, 60) if one[:5] == b"Time," or kind == "dmon"
            ]
            how.update(agree(*READERS[kind], Document(content, file.name)) for content in changed)

    assert how["read"] > 20
    assert how["refused alike"] > 10


DMON = "# gpu    pwr     sm\n# Idx      W      %\n"
PMON = "# gpu  pid  sm  command\n# Idx   #   %  name\n"


def spl(second: int, watts: str = "10.0", mark: str = "a_testing", channels: str = "") -> str:
    return f"Time,07-11-2024 23:35:{second:02}.963,Watts,{watts},Volts,230,Mark,{mark}{channels}\n"


SHAPES: dict[str, tuple[str, str | bytes]] = {
    "dmon: lines before the header": ("read", f"    0  1  2\nstarted\n{DMON}    0    631    100\n"),
    "dmon: a mark of the file": ("read", f"\ufeff{DMON}    0    631    100\n"),
    "dmon: tags of ranks": ("read", "".join(f"[1,0]<stdout>:{line}\n" for line in f"{DMON}    0  6  100".split("\n"))),
    "dmon: carriage returns": ("read", f"{DMON}    0    631    100\n".replace("\n", "\r\n")),
    "dmon: the header again": ("read", f"{DMON}    0    631    100\n{DMON}\n    0    632    100\n"),
    "dmon: no header": ("refused alike", "    0    631    100\n"),
    "dmon: nothing under it": ("refused alike", DMON),
    "dmon: nothing of it is read": ("refused alike", "# gpu enc\n# Idx %\n 0 1\n"),
    "dmon: a row with fewer cells": ("refused alike", f"{DMON}    0    631    100\n   0    631\n   0    -1   1\n"),
    "dmon: a row refused before": ("refused alike", f"{DMON}    0    -631    100\n   0    631\n"),
    "dmon: another header": ("odd", f"{DMON}    0    631    100\n# gpu sm\n# Idx %\n"),
    "dmon: a name twice": ("odd", "# gpu sm sm\n# Idx % %\n 0 1 1\n"),
    "dmon: a comment": ("refused alike", f"{DMON}# ended\n"),
    "dmon: a lone carriage return": ("odd", f"{DMON}    0    631    100\r   0    631   100\n"),
    "dmon: no UTF-8": ("odd", f"{DMON}    0    631    100\nended \xae\n".encode("latin-1")),
    "dmon: UTF-16": ("odd", f"{DMON}    0    631    100\n".encode("utf-16")),
    "dmon: a unit": ("refused alike", "# gpu pwr\n# Idx mW\n 0 1\n"),
    "pmon: processes": ("read", f"{PMON}0 7 50 a b\n1 - - -\n0 7 60 a b\n0 8 1 c\n"),
    "pmon: no command": ("read", "# gpu  pid  sm\n# Idx   #   %\n0 7 50\n0 8 1\n"),
    "pmon: a name that cannot be kept": ("refused alike", f"{PMON}0 7 50 {'x' * 20_001}\n"),
    "spl: no session": ("read", spl(1, mark="notset") + spl(2, mark="notset")),
    "spl: the session is told later": (
        "read",
        "".join(spl(i, mark="notset") for i in range(9)) + spl(9) + spl(10, mark="") + spl(9, mark="b_ranging"),
    ),
    "spl: sessions beside each other": ("read", "".join(spl(60 - i, mark=f"{i % 2}_testing") for i in range(1, 9))),
    "spl: the clock goes back": ("read", spl(5) + spl(4) + spl(9) + spl(3) + spl(3)),
    "spl: channels": (
        "read",
        spl(1, "0.0") + spl(2, "5", channels=",Ch1,Watts,3,Volts,1,Ch2,Watts,2") + spl(3, "5", channels=",Ch1,Watts,4")
        + spl(4, "6", channels=",Ch1,Watts,3,Ch2,Watts,1"),
    ),
    "spl: a channel that is no number": (
        "refused alike",
        spl(1) + spl(2, channels=",Ch1,Watts,2,Ch2,Watts,x") + spl(3, "y"),
    ),
    "spl: cut off": ("read", spl(1) + spl(2)[:-20]),
    "spl: only a line that is cut off": ("refused alike", spl(1)[:40]),
    "spl: no line of it": ("refused alike", spl(1) + "ended\n" + spl(2)),
    "spl: no number before it": ("refused", spl(1, "x") + "ended\n" + spl(2)),
    "spl: only marks": ("refused alike", spl(1) + "Time,07-11-2024 23:35:02,Watts,Mark,a_testing\n" + spl(2)),
    "spl: blank lines": ("read", "\n" * 300 + spl(1) + "\n\n" + spl(2) + "\n\n"),
}  # fmt: skip


@pytest.mark.parametrize("size", [90, blocks.SIZE])
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_logs_of_every_shape_are_read_alike(monkeypatch: pytest.MonkeyPatch, shape: str, size: int) -> None:
    monkeypatch.setattr(blocks, "SIZE", size)
    how, text = SHAPES[shape]
    document = Document(text if isinstance(text, bytes) else text.encode(), "log.txt")
    by_block, at_once = READERS["spl" if shape.startswith("spl") else "dmon"]

    assert agree(by_block, at_once, document) == how
    whole = mlperf_power.parse if shape.startswith("spl") else nvidia_smi_dmon.parse
    assert told(whole, document) == told(at_once, document)


@pytest.mark.parametrize(
    ("head", "rows", "bad", "place"),
    [
        (DMON, ["    0    631    100\n"] * 40, "    0    -1    100\n", "43.pwr"),
        ("", [spl(i) for i in range(40)], spl(41, "-1"), "41.Watts"),
    ],
)
def test_a_large_log_is_read_from_a_disk_and_names_what_it_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: str, rows: list[str], bad: str, place: str
) -> None:
    monkeypatch.setattr(limits, "BYTES", 200)
    monkeypatch.setattr(blocks, "SIZE", 300)
    for name, more in (("log.txt", ""), ("bad.txt", bad)):
        (tmp_path / name).write_text(head + "".join(rows) + more)

    reading = evidence.read(Document(Stored((tmp_path / "log.txt").open("rb")), "log.txt"))
    with pytest.raises(MalformedEvidence) as refused:
        evidence.read(Document(Stored((tmp_path / "bad.txt").open("rb")), "bad.txt"))

    assert len(reading.measurements.only(metric="power")) == 40
    assert from_parquet(to_parquet(reading)) == reading
    assert (refused.value.code, refused.value.where) == ("negative", f"bad.txt:{place}")


def test_a_large_log_of_training_is_not_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    content = (OURS / "mlperf-power" / "node_0.txt").read_bytes()
    assert mlperf_power.parse(Document(content, "node_0.txt")).runs
    monkeypatch.setattr(limits, "BYTES", 100)

    with pytest.raises(MalformedEvidence) as refused:
        mlperf_power.parse(Document(content, "node_0.txt"))
    assert refused.value.code == "too_large"
