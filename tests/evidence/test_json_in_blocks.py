"""Requests and samples of AIPerf that are read in blocks are read as at once."""

import json
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence
from analysis.evidence import aiperf, aiperf_blocks, blocks, limits, ragged_sheet
from analysis.evidence.format import Document
from analysis.evidence.stored import Stored
from analysis.evidence.watch import Watch
from analysis.parquet import from_parquet, to_parquet
from tests.evidence.in_blocks import agree, mutated, told

OURS = Path(__file__).parent / "aiperf"
by_block = partial(aiperf_blocks.parse, name="aiperf", version=1)
ODD = ("", '"x"', "1", "-1", "0", "NaN", "{}", "1e999", '"value":1', '"value":null', '"unit":"ms"}', "\x00", "é", "[1]")


GAPS = ("[-1.5e-7,2]", "[]", "[1, [2]]", "[null]", "[ 1]", "[1 ,2]", '["1"]')


def request(i: int, phase: str = "profiling", error: str = "", **metrics: object) -> str:
    metadata = {
        "x_request_id": str(i),
        "request_start_ns": 1000 + i,
        "request_end_ns": 2000 + i,
        "benchmark_phase": phase,
    }
    found = {
        "request_latency": {"value": 20.5 + i, "unit": "ms"},
        "inter_chunk_latency": {"value": [1, 2], "unit": "ms"},
    }
    found |= {name: {"value": value, "unit": "tokens"} for name, value in metrics.items()}
    return json.dumps({"metadata": metadata, "metrics": found} | ({"error": {"message": error}} if error else {}))


def sample(i: int, gpu: str = "GPU-1", url: str = "a", **values: object) -> str:
    data = {"gpu_power_usage": 300.5 + i, "energy_consumption": 5.25 + i} | values
    return json.dumps({"timestamp_ns": 9000 - i, "dcgm_url": url, "gpu_uuid": gpu, "telemetry_data": data})


def text(*lines: str) -> bytes:
    return "\n".join([*lines, ""]).encode()


def lines_of(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*.jsonl")) if aiperf.looks_right(Document(path.read_bytes(), ""))]


@pytest.mark.parametrize("size", [3000, blocks.SIZE])
def test_real_exports_are_read_alike(real_evidence: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(blocks, "SIZE", size)
    files = lines_of(real_evidence / "aiperf") + lines_of(OURS)

    assert len(files) > 3
    assert {agree(by_block, aiperf.at_once, Document(file.read_bytes(), file.name)) for file in files} == {"read"}


def test_mutated_exports_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 700)
    how: Counter[str] = Counter()
    for seed, file in enumerate(lines_of(OURS)):
        for content in mutated(file.read_bytes(), ODD, seed, 60):
            how[agree(by_block, aiperf.at_once, Document(content, file.name))] += 1

    assert how["read"] > 20
    assert how["odd"] > 20


SHAPES: dict[str, tuple[str, bytes]] = {
    "requests": ("read", text(*(request(i, output_sequence_length=i, input_sequence_length=7) for i in range(9)))),
    "tokens that some do not state": ("read", text(request(0, output_sequence_length=5), request(1), request(2))),
    "warm-up, and failed ones": ("read", text(request(9, "warmup"), request(1), request(2, error="lost"), request(0))),
    "all failed": ("read", text(*(request(i, error=f"lost {i}") for i in range(4)))),
    "only the warm-up": ("read", text(*(request(i, "warmup") for i in range(4)))),
    "ends that are not known": ("read", text(request(0), request(1).replace('"request_end_ns": 2001, ', ""))),
    "nothing that is read of some": ("read", text(request(0), request(1).replace('"ms"', '"furlong"'), request(2))),
    "one GPU": ("read", text(*(sample(i) for i in range(5)))),
    "GPUs, and one twice": ("read", text(sample(0), sample(1, "GPU-2"), sample(2, "GPU-1", "b"), sample(3, "GPU-2"))),
    "no power": ("read", text(sample(0, gpu_power_usage=0.0), sample(1, energy_consumption=None), sample(2))),
    "no values": ("read", text(*(sample(i, gpu_power_usage=None, energy_consumption=None, other=1) for i in range(2)))),
    "a mark of the file, and blank lines": (
        "read",
        b"\xef\xbb\xbf" + text(request(0), "", request(1), " ").replace(b"\n", b"\r\n"),
    ),
    "tokens that are not summed": ("read", text(request(0), request(1, output_sequence_length=-1), request(2))),
    "a bad value": ("refused alike", text(request(0), request(1).replace("21.5", "-21.5"), request(2))),
    "tokens that are no count": ("refused alike", text(request(0, output_sequence_length=1.5), request(2))),
    "an unknown phase": ("refused alike", text(request(0), request(1), request(2, "cooling"))),
    "no GPU": ("refused alike", text(sample(0), sample(1).replace("gpu_uuid", "gpu"))),
    "a key twice": ("refused alike", text(request(0), request(1).replace('"metrics"', '"metadata"'), request(2))),
    "too deep": ("refused alike", text(request(0), request(1).replace("[1, 2]", "[" * 70 + "]" * 70), request(2))),
    "a list that is none": ("odd", text(request(0), request(1).replace("[1, 2]", "[1, 02]"), request(2))),
    "gaps of other forms": ("read", text(*(request(i).replace("[1, 2]", gaps) for i, gaps in enumerate(GAPS)))),
    "a block of blank lines": ("read", text(request(0), *[""] * 900, request(1))),
    "one line": ("odd", text(request(0))),
    "cut off": ("odd", text(request(0), request(1), request(2))[:-9]),
    "indented": ("odd", text(request(0), f" {request(1)}")),
    "no JSON": ("odd", text(request(0), request(1).replace("20", "NaN"))),
    "no UTF-8": ("odd", text(request(0), request(1, error="x")).replace(b'"x"', b'"\xae"')),
    "a zero byte": ("odd", text(request(0), "\0")),
    "UTF-16": ("odd", text(request(0), request(1)).decode().encode("utf-16")),
    "another export": ("odd", text('{"input_config": {}}', '{"input_config": {}}')),
    "a list": ("odd", text("[1]", "[2]")),
}  # fmt: skip


@pytest.mark.parametrize("size", [250, blocks.SIZE])
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_exports_of_every_shape_are_read_alike(monkeypatch: pytest.MonkeyPatch, shape: str, size: int) -> None:
    monkeypatch.setattr(blocks, "SIZE", size)
    how, content = SHAPES[shape]
    document = Document(content, "export.jsonl")

    assert agree(by_block, aiperf.at_once, document) == how
    assert told(aiperf.parse, document) == told(aiperf.at_once, document)


def test_a_large_export_is_read_from_a_disk_and_names_what_it_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BYTES", 1000)
    monkeypatch.setattr(blocks, "SIZE", 700)
    good = [request(i, output_sequence_length=3) for i in range(30)]
    (tmp_path / "e.jsonl").write_bytes(text(*good))
    (tmp_path / "bad.jsonl").write_bytes(text(*good, request(30, "cooling")))
    (tmp_path / "cut.jsonl").write_bytes(text(*good)[:-5])
    watch = Watch()

    reading = evidence.read(Document(Stored((tmp_path / "e.jsonl").open("rb")), "e.jsonl", watch))

    assert (len(reading.measurements), watch.rows) == (62, 60)
    for name, code, where in (
        ("bad", "unknown_phase", "bad.jsonl:[30].metadata.benchmark_phase"),
        ("cut", "odd_line", "cut.jsonl:30"),
    ):
        with pytest.raises(MalformedEvidence) as refused:
            evidence.read(Document(Stored((tmp_path / f"{name}.jsonl").open("rb")), f"{name}.jsonl"))
        assert (refused.value.code, refused.value.where) == (code, where)


def test_what_was_read_in_blocks_is_kept_and_cut_like_any_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 700)
    lines = [request(i, error="lost" if i == 4 else "", output_sequence_length=i + 1) for i in range(12)]
    reading = aiperf.parse(Document(text(*lines), "e.jsonl"))
    listed, rows = list(reading.measurements), reading.measurements

    assert from_parquet(to_parquet(reading)) == reading
    for cut in (slice(2, 9), slice(1, None, 3), slice(None, None, -1), slice(9, 2), slice(20, None), slice(24, None)):
        assert list(rows[cut]) == listed[cut]
        assert rows[cut].texts("where") == [row.where for row in listed[cut]]
    assert [row.reason for row in rows.not_measured()] == ["the request failed: lost"]
    assert rows.distinct("kind") == ("aggregate", "raw")
    assert (rows[-1], rows[3]) == (listed[-1], listed[3])


def test_more_metrics_than_are_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ragged_sheet, "MOST_WORDS", 2)
    assert len(aiperf.parse(Document(text(request(0, a=1), request(1)), "e.jsonl")).measurements) == 4
    with pytest.raises(MalformedEvidence, match="different metrics") as refused:
        aiperf.parse(Document(text(request(0, a=1, b=2), request(1)), "e.jsonl"))
    assert refused.value.code == "too_many_rows"
