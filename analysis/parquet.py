"""A reading as one Parquet file and back, without loss.

Measurements are rows in fixed columns; runs, settings and sentences are canonical JSON in the file's metadata, where
they stay small: a reading of a million requests has few runs. Back they come as columns, and the texts that only people
read (places, numbers as written) stay in the file until somebody asks for one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Final, overload

import numpy as np

from analysis.measurements import FileRun, Setting
from analysis.reading import Reading
from analysis.table import NONE, NUMBERS, TEXTS, WORDS, Columns, Table, Words

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION: Final = 2
READABLE: Final = (1, 2)
"""The first version had no columns `item` and `subject`."""
GROUP: Final = 1024 * 1024
"""Rows that are written at once."""
METADATA_KEY: Final = b"countersign.reading"


def to_parquet(reading: Reading) -> bytes:
    """The Parquet file of a reading; the same reading gives the same bytes on one installation."""
    import pyarrow as pa  # noqa: PLC0415 -- half a second that no page should pay
    import pyarrow.parquet as pq  # noqa: PLC0415

    rows, metadata = reading.measurements, {METADATA_KEY: _metadata(reading)}
    sink = pa.BufferOutputStream()
    first = _written(rows[:GROUP]).replace_schema_metadata(metadata)
    with pq.ParquetWriter(sink, first.schema, compression="zstd") as writer:
        writer.write_table(first)
        for start in range(GROUP, len(rows), GROUP):
            writer.write_table(_written(rows[start : start + GROUP]).replace_schema_metadata(metadata))
    return bytes(sink.getvalue())


def _written(rows: Table) -> "pa.Table":
    """Some measurements as they are written: only so many texts are in memory at once."""
    import pyarrow as pa  # noqa: PLC0415 -- as above

    columns = {"value": pa.array(rows.values, pa.float64(), from_pandas=True)}
    for name in NUMBERS:
        numbers = rows.number(name)
        columns[name] = pa.array(numbers, pa.int64(), mask=numbers == NONE)
    for name in WORDS:
        words = rows.words(name)
        coded = pa.DictionaryArray.from_arrays(pa.array(words.codes), pa.array(words.known, pa.string()))
        columns[name] = coded.cast(pa.string())
    for name in TEXTS:
        columns[name] = pa.array(rows.texts(name), pa.string())
    return pa.table(columns)


def head_of(file: BinaryIO) -> Reading:
    """What `to_parquet` wrote of a reading, without its measurements: only the end of the file is read."""
    import pyarrow.parquet as pq  # noqa: PLC0415 -- half a second that no page should pay

    rest = json.loads(pq.read_schema(file).metadata[METADATA_KEY])
    return _reading(rest, Table.of(()))


def _reading(rest: dict[str, Any], rows: Table) -> Reading:
    return Reading(
        format=rest["format"],
        parser_version=rest["parser_version"],
        runs=tuple(FileRun(**run) for run in rest["runs"]),
        measurements=rows,
        settings=tuple(Setting(**setting) for setting in rest["settings"]),
        leniences=tuple(rest["leniences"]),
        notices=tuple(rest["notices"]),
    )


def from_parquet(content: bytes) -> Reading:
    """The reading that `to_parquet` wrote.

    Raises:
        ValueError: a file of another schema version.
    """
    import pyarrow as pa  # noqa: PLC0415 -- half a second that no page should pay
    import pyarrow.parquet as pq  # noqa: PLC0415

    schema = pq.read_schema(pa.BufferReader(content))
    rest = json.loads(schema.metadata[METADATA_KEY])
    if rest["schema_version"] not in READABLE:
        raise ValueError(f"measurements of schema version {rest['schema_version']} are not readable here")
    read = pq.read_table(
        pa.BufferReader(content),
        columns=[name for name in schema.names if name not in TEXTS],
        read_dictionary=[name for name in WORDS if name in schema.names],
    )
    return _reading(rest, Table(_columns(read, content)))


def _columns(table: "pa.Table", content: bytes) -> Columns:
    import pyarrow.compute as pc  # noqa: PLC0415 -- as above

    values = table["value"].to_numpy()
    numbers = {name: pc.fill_null(table[name], NONE).to_numpy() for name in NUMBERS}
    words = {name: _words(table[name]) if name in table.column_names else _blank(values.size) for name in WORDS}
    return Columns(values, numbers, words, {name: _LaterTexts(content, name) for name in TEXTS})


def _words(column: "pa.ChunkedArray") -> Words:
    whole = column.unify_dictionaries().combine_chunks()
    codes = whole.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    return Words(codes, tuple(whole.dictionary.to_pylist()))


def _blank(rows: int) -> Words:
    return Words(np.zeros(rows, dtype=np.int32), ("",))


@dataclass(slots=True)
class _LaterTexts(Sequence[str]):
    """One column of texts of a file, read when the first of them is asked for."""

    content: bytes
    name: str
    read: "pa.ChunkedArray | None" = field(default=None)

    def _column(self) -> "pa.ChunkedArray":
        import pyarrow as pa  # noqa: PLC0415 -- as above
        import pyarrow.parquet as pq  # noqa: PLC0415

        if self.read is None:
            self.read = pq.read_table(pa.BufferReader(self.content), columns=[self.name])[self.name].combine_chunks()
        return self.read

    def __len__(self) -> int:
        return len(self._column())

    def __iter__(self) -> Iterator[str]:
        return iter(self._column().to_pylist())

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[str]: ...
    def __getitem__(self, which: int | slice) -> str | Sequence[str]:
        found = self._column()[which]
        texts: str | Sequence[str] = found.to_pylist() if isinstance(which, slice) else found.as_py()
        return texts


def _metadata(reading: Reading) -> bytes:
    rest: Mapping[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "format": reading.format,
        "parser_version": reading.parser_version,
        "runs": [asdict(run) for run in reading.runs],
        "settings": [asdict(setting) for setting in reading.settings],
        "leniences": list(reading.leniences),
        "notices": list(reading.notices),
    }
    return json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
