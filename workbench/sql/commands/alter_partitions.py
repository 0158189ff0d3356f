"""ALTER TABLE … DROP PARTITION and ADD PARTITION."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from workbench.base.counting import counted
from workbench.base.errors import AlreadyExists, InvalidRequest
from workbench.sql.commands.protocol import Command
from workbench.sql.commands.rows import changed
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.partitions import existing_partitions, selected, with_own_names
from workbench.sql.result import Result, done
from workbench.sql.statements import TableRef


@dataclass(frozen=True)
class DropPartitions:
    """``ALTER TABLE table DROP [IF EXISTS] PARTITION (…), PARTITION (…)``."""

    text: str
    table: TableRef
    partitions: tuple[dict[str, Any], ...]
    if_exists: bool = False

    def run(self, context: Context) -> Result:
        """Remove the partitions.

        Raises:
            InvalidRequest: If a partition that specifies all partition columns does not exist, and IF EXISTS is absent.
        """
        table = context.table_to_change(self.table)
        present, keys = existing_partitions(table), table.partition_keys
        chosen = [each for each in self.partitions if selected(table, each, present)]
        # As in Paimon's connector, only a fully specified partition must exist.
        missing = next((each for each in self.partitions if each not in chosen and len(each) == len(keys)), None)
        if missing is not None and not self.if_exists:
            named = ", ".join(f"{name} = {value}" for name, value in missing.items())
            raise InvalidRequest(f"{table.name} has no partition with {named}.", "Write DROP IF EXISTS PARTITION.")
        if not chosen:
            return done(f"{table.name}: none of the partitions exist, unchanged")
        with context.timed() as took, context.progress.step(f"DROP PARTITION of {table.name}"):
            noted = context.snapshot_properties
            changes = table.drop_partitions(
                [with_own_names(table, each) for each in chosen],
                progress=context.progress,
                properties=noted,
            )
            return changed(context, f"Removed partitions of {table.name}", changes, took())


@dataclass(frozen=True)
class AddPartitions:
    """``ALTER TABLE table ADD [IF NOT EXISTS] PARTITION (…) PARTITION (…)``, which registers the partitions where the
    catalog has those of the table. Elsewhere it changes nothing: a Paimon partition exists from its first row."""

    text: str
    table: TableRef
    partitions: tuple[dict[str, Any], ...]
    if_not_exists: bool = False

    def run(self, context: Context) -> Result:
        """Register the partitions.

        Raises:
            SchemaMismatch: If a name is not a partition column, or a value does not fit its column.
            InvalidRequest: If a partition column has no value.
            AlreadyExists: If a partition has rows, and IF NOT EXISTS is absent.
        """
        table = context.table(self.table)
        present = existing_partitions(table)
        new = []
        for each in self.partitions:
            there = selected(table, each, present)
            if len(each) < len(table.partition_keys):
                named = ", ".join(table.partition_keys)
                raise InvalidRequest(
                    f"A partition of {table.name} has values for {named}.", "Write a value for each of these columns."
                )
            if there and not self.if_not_exists:
                named = ", ".join(f"{name} = {value}" for name, value in each.items())
                raise AlreadyExists(
                    f"{table.name} already has a partition with {named}.", "Write ADD IF NOT EXISTS PARTITION."
                )
            if not there:
                new.append(with_own_names(table, each))
        name = table.name.partition("$")[0]
        if new and context.catalog.create_partitions(name, new):
            return done(f"ALTER TABLE {table.name}: {counted(len(new), 'partitions')} registered")
        return done(f"ALTER TABLE {table.name}: a partition is created with its first row, unchanged")


def drop_existing_partitions(cursor: Cursor, table: TableRef) -> Command:
    """Parse the partitions of ``DROP IF EXISTS PARTITION``."""
    return replace(drop_partitions(cursor, table), if_exists=True)


def drop_partitions(cursor: Cursor, table: TableRef) -> DropPartitions:
    """Parse the partitions of ``DROP PARTITION``."""
    partitions = [cursor.partition()]
    while cursor.accept(","):
        cursor.expect("PARTITION")
        partitions.append(cursor.partition())
    cursor.accept("PURGE")
    return DropPartitions(cursor.text, table, tuple(partitions))


def add_new_partitions(cursor: Cursor, table: TableRef) -> Command:
    """Parse the partitions of ``ADD IF NOT EXISTS PARTITION``."""
    return replace(add_partitions(cursor, table), if_not_exists=True)


def add_partitions(cursor: Cursor, table: TableRef) -> AddPartitions:
    """Parse the partitions of ``ADD PARTITION``."""
    partitions = [cursor.partition()]
    while cursor.accept("PARTITION") or cursor.accept(",", "PARTITION"):
        partitions.append(cursor.partition())
    return AddPartitions(cursor.text, table, tuple(partitions))
