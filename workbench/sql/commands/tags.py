"""``ALTER TABLE … TAG`` and ``SHOW TAGS``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from workbench.base.errors import AlreadyExists
from workbench.sql.commands.protocol import Command
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.result import Result, done
from workbench.sql.statements import TableRef, TimeTravel

_UNITS = {"DAYS": "days", "HOURS": "hours", "MINUTES": "minutes", "SECONDS": "seconds"}


@dataclass(frozen=True)
class CreateTag:
    """``ALTER TABLE table CREATE TAG [IF NOT EXISTS] name [AS OF VERSION id] [RETAIN n DAYS]``.

    ``replaces`` says whether the statement may replace an existing tag. As in Paimon's connector, REPLACE TAG creates
    a tag that does not exist.
    """

    text: str
    table: TableRef
    name: str
    version: TimeTravel | None
    time_retained: timedelta | None
    replaces: bool = False
    if_not_exists: bool = False

    def run(self, context: Context) -> Result:
        """Create or replace the tag."""
        table = context.table(self.table)
        exists = self.name in table.tags()
        if exists and self.if_not_exists:
            return done(f"Tag '{self.name}' of {table.name} already exists, unchanged")
        if exists and not self.replaces:
            raise AlreadyExists(f"{table.name} already has a tag '{self.name}'.", "Write CREATE OR REPLACE TAG.")
        snapshot = _snapshot_id(table, self.version)
        if exists:
            table.replace_tag(self.name, snapshot, self.time_retained)
            return done(f"Replaced tag '{self.name}' of {table.name}")
        table.create_tag(self.name, snapshot, self.time_retained)
        return done(f"Created tag '{self.name}' of {table.name}")


@dataclass(frozen=True)
class RenameTag:
    """``ALTER TABLE table RENAME TAG [IF EXISTS] name TO name``."""

    text: str
    table: TableRef
    name: str
    new_name: str
    if_exists: bool = False

    def run(self, context: Context) -> Result:
        """Rename the tag."""
        table = context.table(self.table)
        if self.if_exists and self.name not in table.tags():
            return done(f"There is no tag '{self.name}' of {table.name}, unchanged")
        table.rename_tag(self.name, self.new_name)
        return done(f"Renamed tag '{self.name}' of {table.name} to '{self.new_name}'")


@dataclass(frozen=True)
class DeleteTags:
    """``ALTER TABLE table DELETE TAG [IF EXISTS] name[, …]``; as in Paimon's connector, missing tags are ignored."""

    text: str
    table: TableRef
    names: tuple[str, ...]

    def run(self, context: Context) -> Result:
        """Delete the tags that exist."""
        table = context.table(self.table)
        known = table.tags()
        deleted = [name for name in self.names if name in known]
        for name in deleted:
            table.delete_tag(name)
        return done(f"Deleted {', '.join(deleted) or 'no tag'} of {table.name}")


def alter_tags(cursor: Cursor, table: TableRef) -> Command | None:
    """Parse what follows ``ALTER TABLE table`` if it concerns tags."""
    if cursor.accept("CREATE", "OR", "REPLACE", "TAG"):
        return _create_tag(cursor, table, replaces=True)
    if cursor.accept("CREATE", "TAG"):
        return _create_tag(cursor, table, replaces=False)
    if cursor.accept("REPLACE", "TAG"):
        return _create_tag(cursor, table, replaces=True)
    if cursor.accept("RENAME", "TAG"):
        if_exists = cursor.accept("IF", "EXISTS")
        name = _tag(cursor)
        cursor.expect("TO")
        return RenameTag(cursor.text, table, name, _tag(cursor), if_exists)
    if cursor.accept("DELETE", "TAG"):
        cursor.accept("IF", "EXISTS")
        names = [_tag(cursor)]
        while cursor.accept(","):
            names.append(_tag(cursor))
        # One quoted name may also list several tags.
        return DeleteTags(cursor.text, table, tuple(each.strip() for name in names for each in name.split(",")))
    return None


def _create_tag(cursor: Cursor, table: TableRef, *, replaces: bool) -> Command:
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = _tag(cursor)
    version = cursor.version() if cursor.accept("AS", "OF", "VERSION") else None
    retained = None
    if cursor.accept("RETAIN"):
        count, unit = cursor.integer(), cursor.choose(*_UNITS)
        if unit is None:
            cursor.fail(f"expected {', '.join(_UNITS)}")
        retained = timedelta(**{_UNITS[unit]: count})
    return CreateTag(cursor.text, table, name, version, retained, replaces, if_not_exists)


def _tag(cursor: Cursor) -> str:
    """Step over the name of a tag, and return it: a string, or a name such as ``2026-11-01`` with hyphens or dots."""
    if cursor.has_string():
        return cursor.string()
    return cursor.dashed_name()


def _snapshot_id(table: Any, version: TimeTravel | None) -> int | None:
    if version is None:
        return None
    if version.kind == "tag":
        return int(table.at(version=str(version.value)).version.id)
    return int(version.value)
