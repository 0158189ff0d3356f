"""How the table of a case is created, step by step, by our library or a referee, and the expected rows after each
step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.interop.cases import Case
from tests.interop.referees import Engine, Filter, JavaPaimon, PythonPeer
from tests.interop.rows import Rows

TABLE = "db.t"
KIND = "kind_of_row"


@dataclass(frozen=True)
class Life:
    """A table with its history: (snapshot id, expected rows) after each step."""

    case: Case
    warehouse: Path
    versions: tuple[tuple[int, Rows], ...]

    @property
    def latest(self) -> Rows:
        """The expected content of the newest snapshot."""
        return self.versions[-1][1]


def live(case: Case, warehouse: Path, write: Callable[[Any], int], compact: Callable[[], int]) -> Life:
    """Perform the steps; ``write`` and ``compact`` return the id of the latest snapshot."""
    versions = []
    for step, expected in zip(case.steps, case.model(), strict=True):
        versions.append((compact() if step.data is None else write(step), expected))
    return Life(case, warehouse, tuple(versions))


def through_java(case: Case, warehouse: Path, engine: JavaPaimon) -> Life:
    """Run the whole history in Java."""
    engine.create(warehouse, TABLE, case.json_columns, case.primary_key, case.partition_by, case.options)
    return live(
        case,
        warehouse,
        lambda step: engine.write(warehouse, TABLE, step.data, step.kinds),
        lambda: engine.compact(warehouse, TABLE),
    )


def through_peer(case: Case, warehouse: Path, engine: PythonPeer, creator: Engine) -> Life:
    """Run the writes that a Python peer supports: no row kinds, no compaction. ``creator`` creates the table."""
    plain = replace(case, steps=tuple(step for step in case.steps if step.data is not None and not step.kinds))
    creator.create(warehouse, TABLE, case.json_columns, case.primary_key, case.partition_by, case.options)
    return live(plain, warehouse, lambda step: engine.write(warehouse, TABLE, step.data), lambda: 0)


def our_table(warehouse: Path, name: str = TABLE) -> Any:
    """Return the newest version of the table, opened with our library."""
    import workbench as wb

    return wb.connect(str(warehouse)).open(name)


def create_ours(case: Case, warehouse: Path) -> Any:
    """Create the table with our library."""
    import workbench as wb

    catalog = wb.connect(str(warehouse))
    catalog.create_database("db")
    return catalog.create_table(
        TABLE,
        dict(case.columns),
        primary_key=list(case.primary_key),
        partition_by=list(case.partition_by),
        options=dict(case.options),
    )


def through_us(case: Case, warehouse: Path) -> Life:
    """Run the whole history in our library."""
    table = create_ours(case, warehouse)
    return live(case, warehouse, lambda step: our_write(table, step.data, step.kinds), lambda: our_compact(table))


def our_write(table: Any, data: pa.Table, kinds: tuple[str, ...] | None = None) -> int:
    """Write with our library, and return the id of the latest snapshot."""
    if kinds:
        table.write(data.append_column(KIND, pa.array(kinds)), row_kind=KIND)
    else:
        table.write(data)
    snapshot: int = table.snapshot().id
    return snapshot


def our_compact(table: Any) -> int:
    """Compact fully with our library, and return the id of the latest snapshot."""
    table.compact(full=True)
    snapshot: int = table.snapshot().id
    return snapshot


def condition_of(condition: Filter) -> Any:
    """The condition as an expression of our library."""
    import workbench as wb

    column, literals = wb.col(condition.column), condition.python_literals()
    match condition.operation:
        case "equal":
            return column == literals[0]
        case "in":
            return column.isin(literals)
        case "between":
            return column.between(*literals)
        case "greater_or_equal":
            return column >= literals[0]
        case "is_null":
            return column.is_null()
        case "is_not_null":
            return column.is_not_null()
    raise AssertionError(f"no expression for {condition}")
