"""Rows of the matrix: types and file formats, keys and partitions of every type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from tests.interop.cases import KEYS, NESTED, PARTITIONS, SAMPLES, Case, array, sample_values
from tests.interop.format_cases import CODECS, MULTISET
from tests.interop.matrix.feature import Compact, Feature, Step, Write

GROUPS = {
    "numbers": ("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE"),
    "decimals": ("DECIMAL(9, 2)", "DECIMAL(18, 6)", "DECIMAL(38, 10)"),
    "texts and bytes": ("CHAR(3)", "VARCHAR(100)", "STRING", "BINARY(4)", "VARBINARY(30)", "BYTES"),
    "dates and timestamps": tuple(
        kind for kind in SAMPLES if kind.startswith(("DATE", "TIMESTAMP")) and "(9)" not in kind
    ),
    "timestamps of nanoseconds": ("TIMESTAMP(9)",),
    "times of day": ("TIME(3)",),
    "arrays, maps and rows": tuple(NESTED),
    "multisets": ("MULTISET<STRING>",),
}
LINES = {
    "numbers": "Types: numbers",
    "decimals": "Types: numbers",
    "texts and bytes": "Types: texts and bytes",
    "dates and timestamps": "Types: dates and timestamps",
    "timestamps of nanoseconds": "Types: dates and timestamps",
    "times of day": "Types: TIME",
    "arrays, maps and rows": "Types: ARRAY, MAP, ROW",
    "multisets": "Types: MULTISET",
}
COUNTS = [[], [("a", 1), ("日本", 3)]]


def _json(kind: str) -> Any:
    return NESTED[kind][0] if kind in NESTED else MULTISET if kind.startswith("MULTISET") else kind


def _column(kind: str, numbers: Sequence[int]) -> pa.Array:
    if kind in NESTED:
        _, arrow, values = NESTED[kind]
        return pa.array([None if n % 5 == 3 else values[n % len(values)] for n in numbers], arrow)
    if kind.startswith("MULTISET"):
        return pa.array([None if n % 5 == 3 else COUNTS[n % 2] for n in numbers], pa.map_(pa.string(), pa.int32()))
    values = sample_values(kind, years_of_nanoseconds=True)
    return array(kind, [None if n % 7 == 3 else values[n % len(values)] for n in numbers])


def typed_rows(kinds: Sequence[str], ids: Sequence[int], shift: int) -> pa.Table:
    """Return rows with values of the types, with one column for each type."""
    columns = {
        f"c{position}": _column(kind, [n + shift + position for n in ids]) for position, kind in enumerate(kinds)
    }
    return pa.table({"id": pa.array(ids, pa.int64()), **columns})


def group_rows(group: str) -> Feature:
    """A table with a column for each type of the group."""
    kinds = GROUPS[group]
    columns = {"id": "BIGINT", **{f"c{position}": _json(kind) for position, kind in enumerate(kinds)}}
    lives = ((range(12), 0), (range(8, 20), 1), (range(0, 20, 3), 2))
    steps: list[Step] = [Write(typed_rows(kinds, ids, shift)) for ids, shift in lives]
    # Arrow's ORC reader supports only the years of 64-bit nanoseconds.
    refused = "1677" if group in ("dates and timestamps", "timestamps of nanoseconds") else ""
    # Java writes no nanoseconds to Avro.
    dimensions = ("fine format" if group == "timestamps of nanoseconds" else "format", "keyed")
    return Feature(LINES[group], group, columns, (*steps, Compact(), steps[0]), varies=dimensions, refused=refused)


DOCUMENTS = ('{"a": 1, "b": "text"}', "[1, 2.5, null, true]", "7", '{"a": {"c": [1]}, "d": "2026"}', '""', None)
SHREDDED = (
    '{"type": "ROW", "fields": [{"id": 0, "name": "c", "type": {"type": "ROW", "fields":'
    ' [{"id": 1, "name": "a", "type": "INT"}, {"id": 2, "name": "b", "type": "STRING"}]}}]}'
)


def variants(line: str, name: str, options: dict[str, str]) -> Feature:
    """Return a row for VARIANT; only values and metadata are compared, not the text that Java also returns."""
    columns = {"id": "BIGINT", "c": "VARIANT"}
    ids = range(12)
    data = pa.table({"id": pa.array(ids, pa.int64()), "c": [DOCUMENTS[n % len(DOCUMENTS)] for n in ids]})
    steps = (Write(data), Compact(), Write(data.slice(3)))
    only = {"c": lambda value: value[:2]}
    return Feature(line, name, columns, steps, options=options, varies=("keyed",), only=("java-2.0.0",), plain=only)


def from_case(case: Case, line: str, name: str, varies: tuple[str, ...] = ()) -> Feature:
    """A case of the tests of reading and writing, as a row."""
    steps = tuple(Compact() if step.data is None else Write(step.data, step.kinds) for step in case.steps)
    return Feature(
        line, name, case.json_columns, steps, case.primary_key, case.partition_by, case.options, varies=varies
    )


def compressed(name: str, codec: str) -> Feature:
    """Data files of one compression."""
    kinds = (*GROUPS["numbers"], "STRING", "ARRAY<INT>")
    columns = {"id": "BIGINT", **{f"c{position}": _json(kind) for position, kind in enumerate(kinds)}}
    options = {"file.format": name, "file.compression": codec}
    steps = (Write(typed_rows(kinds, range(500), 0)),)
    return Feature(
        "Files and statistics: format and compression by level", f"{name} with {codec}", columns, steps, options=options
    )


def mixed() -> Feature:
    """Formats by level: Avro in level 0, ORC in the last, Parquet between."""
    kinds = (*GROUPS["numbers"], *GROUPS["texts and bytes"], "ARRAY<INT>")
    columns = {"id": "BIGINT NOT NULL", **{f"c{position}": _json(kind) for position, kind in enumerate(kinds)}}
    writes = [Write(typed_rows(kinds, range(first, first + 20), first)) for first in (0, 10, 15)]
    options = {"bucket": "1", "file.format.per.level": "0:avro,5:orc", "num-levels": "6", "write-only": "true"}
    steps = (writes[0], writes[1], Compact(), writes[2])
    return Feature(
        "Files and statistics: format and compression by level",
        "a format by level",
        columns,
        steps,
        ("id",),
        options=options,
    )


def features() -> Iterator[Feature]:
    """The rows of this part."""
    yield from map(group_rows, GROUPS)
    for case in KEYS:
        yield from_case(case, "Tables: primary key or append", f"key of {case.type_of('k')}")
    for case in PARTITIONS:
        kind = "keyed" if case.primary_key else "append"
        yield from_case(case, "Tables: partitions", f"partition of {case.type_of('p')}, {kind}")
    for name, codecs in CODECS.items():
        yield from (compressed(name, codec) for codec in codecs)
    yield mixed()
    yield variants("Types: VARIANT", "variants", {})
    shredded = {"variant.shreddingSchema": SHREDDED}
    yield variants("Append tables: variant shredding", "shredded variants", shredded)
