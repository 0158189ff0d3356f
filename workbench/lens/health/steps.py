"""The calls and statements that fix findings: each as Python, as SQL, and as what runs it on a table."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from workbench.base.progress import Progress
from workbench.format.rows.binary_row import decode_row
from workbench.format.spec.schema import TableSchema
from workbench.lens.health.facts import BucketFacts, HealthFacts

_MAX_PARTITIONS = 10
_EPOCH = datetime.date(1970, 1, 1)


class Step(Protocol):
    """One call that changes a table."""

    def python(self, table: str) -> str:
        """Return the call as Python, in which ``table`` and ``catalog`` are variables."""
        ...

    def sql(self, table: str) -> str:
        """Return the statement for the table of that full name."""
        ...

    def run(self, table: Any, progress: Progress) -> object:
        """Change a table, or its sandbox."""
        ...


@dataclass(frozen=True)
class Call:
    """A method of `Table` with its arguments."""

    method: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def python(self, table: str) -> str:  # noqa: ARG002
        """Return the call as Python."""
        return f"table.{self.method}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"

    def sql(self, table: str) -> str:
        """Return the statement."""
        return _STATEMENTS[self.method](table, self.arguments)

    def run(self, table: Any, progress: Progress) -> object:
        """Call the method, with ``progress`` if the method accepts it."""
        arguments = dict(self.arguments)
        if self.method in _WITH_PROGRESS:
            arguments["progress"] = progress
        return getattr(table, self.method)(**arguments)


@dataclass(frozen=True)
class Alter:
    """A change of options; None removes one."""

    options: Mapping[str, str | None]

    def python(self, table: str) -> str:
        """Return the call as Python."""
        changes = [
            f"wb.RemoveOption({key!r})" if value is None else f"wb.SetOption({key!r}, {value!r})"
            for key, value in self.options.items()
        ]
        return f"catalog.alter_table({table!r}, {', '.join(changes)})"

    def sql(self, table: str) -> str:
        """Return one statement, or two if options are both set and removed."""
        removed = ", ".join(_text(key) for key, value in self.options.items() if value is None)
        changed = ", ".join(
            f"{_text(key)} = {_text(value)}" for key, value in self.options.items() if value is not None
        )
        begin = f"ALTER TABLE {name_sql(table)}"
        statements = [f"{begin} SET TBLPROPERTIES ({changed})"] if changed else []
        statements += [f"{begin} UNSET TBLPROPERTIES ({removed})"] if removed else []
        return ";\n".join(statements)

    def run(self, table: Any, progress: Progress) -> object:  # noqa: ARG002
        """Change the options."""
        from workbench.table.schema_changes.changes import RemoveOption, SetOption

        changes = [RemoveOption(key) if value is None else SetOption(key, value) for key, value in self.options.items()]
        return _altered(table, changes)


@dataclass(frozen=True)
class Retype:
    """A change of the type of a column."""

    column: str
    type: str

    def python(self, table: str) -> str:
        """Return the call as Python."""
        return f"catalog.alter_table({table!r}, wb.UpdateColumnType({self.column!r}, {self.type!r}))"

    def sql(self, table: str) -> str:
        """Return the statement."""
        return f"ALTER TABLE {name_sql(table)} ALTER COLUMN {_quoted(self.column)} TYPE {self.type}"

    def run(self, table: Any, progress: Progress) -> object:  # noqa: ARG002
        """Change the type."""
        from workbench.table.schema_changes.changes import UpdateColumnType

        return _altered(table, [UpdateColumnType(self.column, self.type)])


def _altered(table: Any, changes: Sequence[Any]) -> object:
    """Change the schema of a table, or of its sandbox."""
    from workbench.table.sandbox.sandbox import SandboxTable
    from workbench.table.schema_changes.commit import alter_table

    return table.alter_table(*changes) if isinstance(table, SandboxTable) else alter_table(table.store, changes)


# --- SQL ----------------------------------------------------------------------------------------------------------


def name_sql(table: str) -> str:
    """Return the full name of a table in SQL, quoted where needed."""
    database, _, name = table.partition(".")
    return f"{_quoted(database)}.{_quoted(name)}"


def _quoted(name: str) -> str:
    plain = name.isascii() and name.replace("_", "a").isalnum() and not name[:1].isdigit()
    return name if plain else f"`{name.replace('`', '``')}`"


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _text(str(value))


def _procedure(procedure: str, **renamed: str) -> Callable[[str, Mapping[str, Any]], str]:
    """Return a function that renders calls of a procedure. Its parameters have the same names as those of the method,
    unless ``renamed``."""

    def render(table: str, arguments: Mapping[str, Any]) -> str:
        given = {renamed.get(key, key): value for key, value in arguments.items()}
        listed = ", ".join(f"{key} => {_value(value)}" for key, value in {"table": name_sql(table), **given}.items())
        return f"CALL sys.{procedure}({listed})"

    return render


def _compact(table: str, arguments: Mapping[str, Any]) -> str:
    strategy = {"compact_strategy": "full" if arguments.get("full") else "minor"}
    rest = {key: value for key, value in arguments.items() if key != "full"}
    return _procedure("compact")(table, {**strategy, **rest})


_STATEMENTS: Mapping[str, Callable[[str, Mapping[str, Any]], str]] = MappingProxyType(
    {
        "compact": _compact,
        "compact_manifest": _procedure("compact_manifest"),
        "rescale": _procedure("rescale", bucket="bucket_num"),
        "expire_snapshots": _procedure("expire_snapshots"),
        "delete_tag": _procedure("delete_tag", name="tag"),
        "delete_branch": _procedure("delete_branch", name="branch"),
        "delete_consumer": _procedure("reset_consumer", name="consumerId"),
        "remove_unexisting_files": _procedure("remove_unexisting_files"),
        "remove_orphan_files": _procedure("remove_orphan_files"),
        "rollback_to": _procedure("rollback"),
        "analyze": lambda table, _: f"ANALYZE TABLE {name_sql(table)} COMPUTE STATISTICS FOR ALL COLUMNS",
    }
)
_WITH_PROGRESS = frozenset(
    {"compact", "rescale", "expire_snapshots", "remove_unexisting_files", "remove_orphan_files", "analyze"}
)


# --- common steps -------------------------------------------------------------------------------------------------


def compact(facts: HealthFacts, buckets: Sequence[BucketFacts]) -> tuple[Step, ...]:
    """Return a full compaction of the partitions of some buckets, or of the whole table if it has no other partitions
    or a condition cannot select them."""
    chosen = dict.fromkeys(each.partition for each in buckets)
    partitions = dict.fromkeys(each.partition for each in facts.buckets)
    where = None
    if len(chosen) < len(partitions) and len(chosen) <= _MAX_PARTITIONS:
        where = partition_condition(facts.schema, tuple(chosen))
    return (Call("compact", {"full": True, **({} if where is None else {"where": where})}),)


def partition_condition(schema: TableSchema, partitions: Sequence[bytes]) -> str | None:
    """Return a condition that selects partitions; None if a value cannot be written as a literal."""
    conditions = []
    for partition in partitions:
        values = decode_row(partition, [each.type for each in schema.partition_fields])
        parts = [
            _equals(each.name, value, each.type.root)
            for each, value in zip(schema.partition_fields, values, strict=True)
        ]
        if None in parts:
            return None
        conditions.append(" AND ".join(part for part in parts if part is not None))
    if len(conditions) == 1:
        return conditions[0]
    return " OR ".join(f"({each})" for each in conditions)


def _equals(name: str, value: Any, root: str) -> str | None:
    column = _quoted(name)
    if value is None:
        return f"{column} IS NULL"
    if root in ("CHAR", "VARCHAR", "STRING"):
        text = value.decode() if isinstance(value, bytes) else str(value)
        return f"{column} = {_text(text)}"
    if root in ("TINYINT", "SMALLINT", "INT", "BIGINT"):
        return f"{column} = {value}"
    if root == "DATE":
        return f"{column} = DATE '{_EPOCH + datetime.timedelta(days=value)}'"
    if root == "BOOLEAN":
        return f"{column} = {'true' if value else 'false'}"
    return None
