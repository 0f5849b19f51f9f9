"""A reading as one Parquet file and back, without loss.

Measurements are rows in fixed columns; runs, settings and sentences are canonical JSON in the file's metadata, where
they stay small: a reading of a million requests has few runs.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from analysis.measurements import FileRun, Measurement, Reading, Setting

SCHEMA_VERSION: Final = 1
METADATA_KEY: Final = b"countersign.reading"
TYPES: Final[Mapping[str, str]] = {"value": "float64", "n": "int64", "index": "int64", "started_ns": "int64"}


def to_parquet(reading: Reading) -> bytes:
    """The Parquet file of a reading; the same reading gives the same bytes on one installation."""
    import pyarrow as pa  # noqa: PLC0415 -- half a second that no page should pay
    import pyarrow.parquet as pq  # noqa: PLC0415

    names = [field.name for field in fields(Measurement)]
    types = {name: getattr(pa, TYPES.get(name, "string"))() for name in names}
    columns = {name: pa.array([getattr(m, name) for m in reading.measurements], types[name]) for name in names}
    schema = pa.schema([(name, types[name]) for name in names], metadata={METADATA_KEY: _metadata(reading)})
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns, schema=schema), sink, compression="zstd")
    return bytes(sink.getvalue())


def from_parquet(content: bytes) -> Reading:
    """The reading that `to_parquet` wrote.

    Raises:
        ValueError: a file of another schema version.
    """
    import pyarrow as pa  # noqa: PLC0415 -- half a second that no page should pay
    import pyarrow.parquet as pq  # noqa: PLC0415

    table = pq.read_table(pa.BufferReader(content))
    rest = json.loads(table.schema.metadata[METADATA_KEY])
    if rest["schema_version"] != SCHEMA_VERSION:
        raise ValueError(f"measurements of schema version {rest['schema_version']} are not readable here")
    return Reading(
        format=rest["format"],
        parser_version=rest["parser_version"],
        runs=tuple(FileRun(**run) for run in rest["runs"]),
        measurements=tuple(Measurement(**row) for row in table.to_pylist()),
        settings=tuple(Setting(**setting) for setting in rest["settings"]),
        leniences=tuple(rest["leniences"]),
        notices=tuple(rest["notices"]),
    )


def _metadata(reading: Reading) -> bytes:
    rest: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "format": reading.format,
        "parser_version": reading.parser_version,
        "runs": [asdict(run) for run in reading.runs],
        "settings": [asdict(setting) for setting in reading.settings],
        "leniences": list(reading.leniences),
        "notices": list(reading.notices),
    }
    return json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
