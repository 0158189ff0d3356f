"""The tables of the benchmarks, and access to their stored rows. Needs only pyarrow, since peers import it too."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa


@dataclass(frozen=True)
class TableSpec:
    """A table: its columns in SQL, key and options. ``row_group_rows``: the rows of a row group, if not our default.

    ``files``: the number of additional files in its manifests, which can be planned but not read.
    """

    columns: tuple[tuple[str, str], ...]
    keys: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    row_group_rows: int | None = None
    files: int = 0


def stored_commits(directory: Path, name: str) -> list[pa.Table]:
    """The rows of each commit of a table, memory-mapped."""
    paths = sorted((directory / "rows" / name).glob("*.arrow"))
    return [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in paths]


_SHORT = (("id", "BIGINT"), ("price", "DOUBLE"))
_APPEND = (
    ("id", "BIGINT"),
    ("qty", "INT"),
    ("price", "DOUBLE"),
    ("amount", "DECIMAL(12,2)"),
    ("note", "STRING"),
    ("ts", "TIMESTAMP(6)"),
    ("day", "DATE"),
    ("flag", "BOOLEAN"),
)
_VALUES = (("qty", "INT"), ("price", "DOUBLE"), ("amount", "DECIMAL(12,2)"), ("note", "STRING"))
_TIME = ("ts", "TIMESTAMP(6)")
_TWO_BUCKETS = {"bucket": "2", "write-only": "true"}


def _keyed(**keys: str) -> TableSpec:
    """Six columns, two buckets."""
    key_columns = tuple((name, f"{kind} NOT NULL") for name, kind in keys.items())
    columns = (*key_columns, *_VALUES, _TIME)[:6]
    return TableSpec(columns, tuple(keys), _TWO_BUCKETS)


def _merged(engine: str, **options: str) -> TableSpec:
    """The same columns with another merge engine."""
    plain = _keyed(id="BIGINT")
    settings = {name.replace("__", ".").replace("_", "-"): value for name, value in options.items()}
    return TableSpec(plain.columns, plain.keys, {**plain.options, "merge-engine": engine, **settings})


def _streamed(buckets: int = 1, row_group_rows: int | None = None) -> TableSpec:
    columns = (("id", "BIGINT NOT NULL"), ("qty", "INT"), ("price", "DOUBLE"), ("note", "STRING"))
    return TableSpec(columns, ("id",), {"bucket": str(buckets), "write-only": "true"}, row_group_rows)


# The numbers of commits of ten rows in the tables of the remote part.
COMMITS = (2, 27, 200, 1000)

SPECS = {
    "append": TableSpec(_APPEND),
    # Without write-only, some engines would compact the many files that the benchmark needs.
    "tiny": TableSpec(_SHORT, (), {"bucket": "10", "bucket-key": "id", "write-only": "true"}),
    "ten": TableSpec(_SHORT),
    "listed": TableSpec(_SHORT, files=100_000),
    "bigint": _keyed(id="BIGINT"),
    "string": _keyed(id="STRING"),
    "composite": _keyed(shop="BIGINT", id="STRING"),
    "decimal": _keyed(id="DECIMAL(18,2)"),
    "skewed": _keyed(id="BIGINT"),
    "many-runs": _keyed(id="BIGINT"),
    "partial": _merged("partial-update"),
    "sums": _merged(
        "aggregation",
        fields__qty__aggregate_function="sum",
        fields__price__aggregate_function="sum",
        fields__amount__aggregate_function="sum",
    ),
    "stream-20": _streamed(),
    "stream-40": _streamed(row_group_rows=1 << 20),
    **{f"commits-{number}": TableSpec(_SHORT, (), {"write-only": "true"}) for number in COMMITS},
    "few-keys": TableSpec((("id", "BIGINT NOT NULL"), ("price", "DOUBLE")), ("id",), _TWO_BUCKETS),
    "files-of-2-mib": _streamed(buckets=2),
}
