"""Our library as the maker of the tables of the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

import workbench as wb
from tests.interop.matrix import feature as f
from tests.interop.matrix.feature import Feature, Step, Write
from workbench.format.types.type_parser import parse_type

KINDS = "kind of the row"
PERFORMED = (
    Write,
    f.Compact,
    f.Alter,
    f.Tag,
    f.Branch,
    f.FastForward,
    f.Expire,
    f.RollBack,
    f.DropPartition,
    f.Consumer,
    f.SortCompact,
    f.Analyze,
)


def is_performed(feature: Feature) -> bool:
    """Return whether our library supports its steps and its rows; it does not convert text to VARIANT."""
    texts = any(kind == "VARIANT" for kind in feature.columns.values())
    return not texts and all(isinstance(step, PERFORMED) for step in feature.steps)


def make(feature: Feature, warehouse: Path, table: str) -> None:
    """Create the table and run its steps.

    Raises:
        Unsupported: we do not write such tables, or lack a step.
    """
    catalog = wb.connect(str(warehouse))
    catalog.create_database(table.split(".")[0], exist_ok=True)
    catalog.create_table(
        table,
        {name: plain_type(kind) for name, kind in feature.columns.items()},
        primary_key=list(feature.primary_key),
        partition_by=list(feature.partition_by),
        options=dict(feature.options),
    )
    for step in feature.steps:
        with suppress(wb.MergeError) if feature.fails else nullcontext():
            perform(step, catalog, table)


def plain_type(type_json: Any) -> str:
    """A type in Paimon's grammar, as users write it."""
    return str(parse_type(type_json))


def perform(step: Step, catalog: Any, name: str) -> None:
    """Run one step of a table's history with the public API."""
    table = catalog.get_table(name)
    match step:
        case Write(data, kinds, overwrite, branch):
            target = table.branch(branch) if branch else table
            # A column of the table may contain the row kinds.
            reported = kinds is None or "rowkind.field" in table.options
            write(target, data if reported else data.append_column(KINDS, pa.array(kinds)), overwrite)
        case f.Compact():
            table.compact(full=True)
        case f.Alter(changes):
            catalog.alter_table(name, *map(change, changes))
        case f.Tag(tag, snapshot):
            table.create_tag(tag, snapshot)
        case f.Branch(branch, tag):
            table.create_branch(branch, tag or None)
        case f.FastForward(branch):
            table.fast_forward(branch)
        case f.Expire(retain, changelogs):
            expire(catalog, name, retain, changelogs)
        case f.RollBack(snapshot):
            table.rollback_to(snapshot=snapshot)
        case f.DropPartition(column, value):
            table.drop_partitions({column: value})
        case f.Consumer(consumer, snapshot):
            table.set_consumer(consumer, snapshot)
        case f.SortCompact(strategy, columns):
            table.compact(order_by=columns.split(","), strategy=strategy)
        case f.Analyze():
            table.analyze()
        case _:
            raise AssertionError(step)


def write(table: Any, data: pa.Table, overwrite: bool) -> None:
    """Write in one commit. Rows of a table with postponed buckets wait for a bucket, like the rows of a stream."""
    row_kind = KINDS if KINDS in data.column_names else None
    if table.options.get("bucket") != "-2":
        table.write(data, mode="overwrite" if overwrite else "append", row_kind=row_kind)
        return
    with table.writer() as writer:
        writer.write(data, row_kind)
        table.commit(writer.prepare())


def expire(catalog: Any, name: str, retain: int, changelogs: int | None) -> None:
    """Expire all but the newest snapshots; with ``changelogs``, that many changelogs outlive them."""
    if changelogs is not None:
        catalog.alter_table(
            name,
            wb.SetOption("changelog.num-retained.min", str(changelogs)),
            wb.SetOption("changelog.num-retained.max", str(changelogs)),
        )
    catalog.get_table(name).expire_snapshots(retain_max=retain, retain_min=retain, older_than="2100-01-01 00:00:00")


def change(spelled: tuple[Any, ...]) -> Any:
    """Return the schema change that a feature describes."""
    kind, subject, *rest = spelled
    match kind:
        case "add":
            return wb.AddColumn(subject, plain_type(rest[0]))
        case "drop":
            return wb.DropColumn(subject)
        case "rename":
            return wb.RenameColumn(subject, rest[0])
        case "type":
            return wb.UpdateColumnType(subject, plain_type(rest[0]))
        case "first":
            return wb.MoveColumn(name_of(subject), first=True)
        case "after":
            return wb.MoveColumn(name_of(subject), after=rest[0])
        case "comment":
            return wb.UpdateColumnComment(name_of(subject), rest[0])
        case "nullable":
            return wb.UpdateColumnNullability(name_of(subject), rest[0])
        case "default":
            return wb.UpdateColumnDefault(name_of(subject), rest[0])
        case "set":
            return wb.SetOption(subject, rest[0])
    raise AssertionError(spelled)


def name_of(path: Sequence[str]) -> str:
    """Return the name of a column or of a nested field."""
    return ".".join(path)
