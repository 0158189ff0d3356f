"""Plain pyarrow on Parquet files without any table around them: the limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.specs import TableSpec

_CODEC: dict[str, Any] = {"compression": "zstd", "compression_level": 1, "store_decimal_as_integer": True}


def create(connection: Mapping[str, str], name: str, spec: TableSpec) -> Any:  # noqa: ARG001 - files have no schema to declare
    home = Path(open_table(connection, name))
    home.mkdir(parents=True)
    return str(home)


def open_table(connection: Mapping[str, str], name: str) -> Any:
    return f"{connection['warehouse']}/db.db/{name}"


def append(table: Any, rows: pa.Table) -> None:
    number = sum(1 for _ in Path(table).iterdir())
    pq.write_table(rows, f"{table}/{number}.parquet", **_CODEC)


def read(table: Any, columns: Sequence[str] | None, between: tuple[str, Any, Any] | None) -> pa.Table:
    name, low, high = between or ("", 0, 0)
    filters = [(name, ">=", low), (name, "<=", high)] if between else None
    return pq.read_table(table, columns=columns, filters=filters)


def rewrite(connection: Mapping[str, str], name: str, rows: int) -> int:
    """Read all files of each bucket and write as many rows as a full compaction leaves, the buckets in threads."""
    buckets = sorted(Path(open_table(connection, name)).glob("bucket-*"))
    each = rows // len(buckets)

    def one(bucket: Path) -> int:
        parts = [
            pq.read_table(path) for path in sorted(bucket.glob("*.parquet"), key=lambda path: path.stat().st_mtime)
        ]
        pq.write_table(pa.concat_tables(parts).slice(0, each), f"{bucket}/rewritten", **_CODEC)
        return each

    with ThreadPoolExecutor() as pool:
        return sum(pool.map(one, buckets))
