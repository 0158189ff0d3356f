"""Incremental batch reads: the changes between two versions as a DataFrame (`incremental-between` and the like)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from workbench.base.errors import InvalidRequest
from workbench.base.modules import pc
from workbench.base.zones import statement_zone
from workbench.metadata.refs.tag_periods import TagPeriod
from workbench.scan.incremental.binlog import binlog_field
from workbench.scan.incremental.binlog import changed_rows as binlog_rows
from workbench.spark.frames import frame_of_rows
from workbench.spark.jvm.options import CHANGELOG, IDENTITY, PATH, is_set, named_table
from workbench.spark.types import spark_schema

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.readable_table import ReadableTable

_BETWEEN, _TIMESTAMPS = "incremental-between", "incremental-between-timestamp"
_TO_TAG, _MODE = "incremental-to-auto-tag", "incremental-between-scan-mode"
_RANGES = (_BETWEEN, _TIMESTAMPS, _TO_TAG)
_AUDIT_LOG, _BINLOG = "$audit_log", "$binlog"
_KIND = "rowkind"


def is_incremental(options: Mapping[str, str]) -> bool:
    """Return whether the options of a read select the changes between two versions."""
    return any(name in options for name in _RANGES)


def changed_rows(catalog: Catalog, options: Mapping[str, str], session: SparkSession) -> DataFrame:
    """Return the changed rows that the options of a read select.

    As with Paimon's own connector, a difference of two versions contains only the new rows, while deltas and changelogs
    contain each row that was written, including deletions. With the system table ``audit_log``, all rows have their
    kind, and a difference also contains the deleted rows; ``binlog`` shows the old and the new row of an update as one.

    Args:
        catalog: The catalog.
        options: The options of the read, with the table's name as ``path``.
        session: The Spark session.

    Raises:
        InvalidRequest: If a range does not consist of two versions.
        SnapshotNotFound: If a version does not exist.
    """
    name = options[PATH]
    as_binlog = name.endswith(_BINLOG)
    with_kind = as_binlog or name.endswith(_AUDIT_LOG) or is_set(options, CHANGELOG)
    named = {key: text for key, text in options.items() if key == IDENTITY}
    table = named_table(catalog, {**named, PATH: name.removesuffix(_AUDIT_LOG).removesuffix(_BINLOG)})
    mode = options.get(_MODE, "auto")
    start: Any
    end: Any
    if _TO_TAG in options:
        start, end = _to_tag(table, options[_TO_TAG])
    elif _TIMESTAMPS in options:
        start, end = (_time(text) for text in _pair(options, _TIMESTAMPS))
    else:
        start, end = (_version(table, text) for text in _pair(options, _BETWEEN))
    rows = table.changes(start, end, mode)
    is_difference = mode == "diff" or (mode == "auto" and isinstance(start, str) and isinstance(end, str))
    if with_kind:
        shown = _as_written(rows) if is_difference else rows
        if as_binlog:
            shown = binlog_rows(shown, [binlog_field(field) for field in table.schema.fields])
        return frame_of_rows(session, shown, from_arrow_schema(shown.schema, prefer_timestamp_ntz=True))
    if is_difference:
        rows = rows.filter(pc.is_in(rows[_KIND], pa.array(["+I", "+U"])))
    return frame_of_rows(session, rows.drop_columns([_KIND]), spark_schema(table.schema.fields))


def _as_written(rows: pa.Table) -> pa.Table:
    """Return a difference in the form of Paimon's connector: new values as +I, deleted rows as -D, no old values."""
    left = rows.filter(pc.not_equal(rows[_KIND], "-U"))
    is_new = pc.not_equal(left[_KIND], "-D")
    return left.set_column(left.column_names.index(_KIND), _KIND, pc.if_else(is_new, "+I", "-D"))


def _pair(options: Mapping[str, str], name: str) -> tuple[str, str]:
    parts = [part.strip() for part in options[name].split(",")]
    if len(parts) != 2:
        raise InvalidRequest(f"Option '{name}' = '{options[name]}' is not a range.", "Write two versions: 'start,end'.")
    return parts[0], parts[1]


def _version(table: ReadableTable, text: str) -> Any:
    """Return the tag or the snapshot id that a text names. Tags take precedence, as a tag name may be a number."""
    if text in table.tags():
        return text
    if not text.lstrip("-").isdigit():
        raise InvalidRequest(
            f"{table.name} has no tag '{text}'.", f"Name two tags or snapshots, or use option '{_TIMESTAMPS}'."
        )
    return int(text)


def _time(text: str) -> datetime:
    if text.isdigit():
        return datetime.fromtimestamp(int(text) / 1000, statement_zone())
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidRequest(f"'{text}' is not a time.", "Write milliseconds, or 'yyyy-MM-dd HH:mm:ss'.") from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=statement_zone())


def _to_tag(table: ReadableTable, name: str) -> tuple[Any, Any]:
    """Return the range from the preceding automatic tag to the named tag, or a range without rows if one is missing.

    Raises:
        InvalidRequest: If no automatic tag can have the name.
    """
    period = TagPeriod.of(table.schema.core)
    end = period.begin(name)
    if end is None:
        raise InvalidRequest(
            f"'{name}' is not the name of an automatic tag.", "Use option 'incremental-between' with two tags."
        )
    begins = {each: begin for each in table.tags() if (begin := period.begin(each)) is not None}
    before = [each for each in begins if begins[each] < end]
    if name in begins and before:
        return max(before, key=lambda each: begins[each]), name
    newest = table.scan().snapshot
    return (name, name) if newest is None else (newest.id, newest.id)
