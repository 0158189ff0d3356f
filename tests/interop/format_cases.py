"""Tables of every file format, compression and kind of deletion vector, and the checks that all of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.interop.cases import NESTED, Case, Step, keep, wide_columns, wide_rows
from tests.interop.lives import TABLE, condition_of, our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from workbench.format.types import char_length
from workbench.table.table import Table

CODECS = {
    "parquet": ("zstd", "snappy", "gzip", "lz4", "none"),
    "orc": ("zstd", "snappy", "zlib", "lz4", "none"),
    # xz needs a library that Paimon does not include.
    "avro": ("zstd", "snappy", "deflate", "bzip2", "null"),
}
FORMATS = tuple(CODECS)
MULTISET = {"type": "MULTISET", "element": "STRING"}
ROWS = 80


def all_types() -> dict[str, Any]:
    """Return a column for every type, including nested ones, in Java's JSON form."""
    nested = {f"n{position}": kind[0] for position, kind in enumerate(NESTED.values())}
    return {**wide_columns(), **nested, "counted": MULTISET}


def all_values(first: int, shift: int, rows: int = ROWS) -> pa.Table:
    """Return rows with values of `all_types` within the years of 64-bit nanoseconds, the only ones that Arrow's ORC
    reader supports."""
    table = wide_rows(wide_columns(), list(range(first, first + rows)), shift, years_of_nanoseconds=True)
    for position, (_, arrow, values) in enumerate(NESTED.values()):
        chosen = [None if number % 5 == 3 else values[(number + shift) % len(values)] for number in range(rows)]
        table = table.append_column(f"n{position}", pa.array(chosen, arrow))
    counts = [None, [], [("a", 1), ("日本", 3)]]
    chosen = [counts[(number + shift) % 3] for number in range(rows)]
    return table.append_column("counted", pa.array(chosen, pa.map_(pa.string(), pa.int32())))


def wide_case(name: str, data: Sequence[pa.Table], options: Mapping[str, str], keyed: bool) -> Case:
    """Return a case of which only the filters and columns are used."""
    return Case(name, wide_columns(), tuple(map(Step, data)), ("id",) if keyed else (), (), options, True)


def sorted_maps(result: Rows, columns: Mapping[str, Any]) -> Rows:
    """Return rows whose maps are sorted, because the order of their pairs has no meaning."""
    positions = [
        result.columns.index(name)
        for name, kind in columns.items()
        if isinstance(kind, dict) and kind["type"] in ("MAP", "MULTISET") and name in result.columns
    ]

    def plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            tuple(sorted(value, key=repr)) if position in positions and value is not None else value
            for position, value in enumerate(row)
        )

    return Rows(result.columns, tuple(map(plain, result.rows)))


def agree(java: Any, warehouse: Path, columns: Mapping[str, Any], snapshot: int | None = None) -> Rows:
    """Check that a version is read as Java reads it: whole, in batches and by single columns; return the rows."""
    options = {} if snapshot is None else {"scan.snapshot-id": str(snapshot)}
    expected = sorted_maps(java.read(warehouse, TABLE, options=options), columns)
    table = our_table(warehouse) if snapshot is None else our_table(warehouse).at(snapshot=snapshot)
    for rows in (table.to_arrow(), table.to_batches().read_all()):
        assert_same_rows(sorted_maps(from_arrow(rows), columns), expected)
    for position, name in enumerate(expected.columns):
        alone = sorted_maps(from_arrow(table.to_arrow(columns=[name])), columns)
        assert_same_rows(alone, Rows((name,), tuple((row[position],) for row in expected.rows)))
    return expected


def filters_agree(warehouse: Path, case: Case, expected: Rows) -> None:
    """Check every condition of the case in a read of two columns."""
    table = our_table(warehouse)
    columns = [expected.columns[-1], expected.columns[0]]
    positions = [expected.columns.index(name) for name in columns]
    for condition, test in case.filters():
        kept = keep(expected, condition.column, _padded(table, condition.column, test))
        rows = Rows(tuple(columns), tuple(tuple(row[position] for position in positions) for row in kept.rows))
        actual_rows = from_arrow(table.to_arrow(columns=columns, where=condition_of(condition)))
        assert_same_rows(sorted_maps(actual_rows, {"counted": MULTISET}), rows)


def _padded(table: Table, column: str, test: Callable[[str | None], bool]) -> Callable[[str | None], bool]:
    """Return the test of a column's text; a CHAR is compared with all of its blanks, which ORC files do not store."""
    length = char_length(table.schema.field(column).type) or 0
    return lambda text: test(text) or (text is not None and test(text.ljust(length)))


def files_of(warehouse: Path) -> Iterator[Path]:
    """The data files of the table."""
    return Path(warehouse, "db.db", "t").glob("**/bucket-*/data-*")
