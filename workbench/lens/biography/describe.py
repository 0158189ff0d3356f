"""The description of a biography from what was read: commits, lanes, versions and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from workbench.base.session import session_options
from workbench.expr.cells import cell_texts, is_number
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.tag import Tag
from workbench.lens.biography.commits import describe_commits
from workbench.lens.biography.history import RowHistory
from workbench.lens.biography.identity import RowIdentity
from workbench.lens.biography.lives import FileChange
from workbench.lens.biography.merging import Merge, kind_of, sequence_of
from workbench.lens.biography.reading import RowRead
from workbench.lens.biography.summary import history_text, state_of, summary_of
from workbench.lens.biography.tracing import Trace, sources
from workbench.lens.biography.value import (
    BiographyField,
    BiographyLane,
    BiographyLogged,
    BiographyStay,
    BiographyUnread,
    BiographyUse,
    BiographyValue,
    BiographyVersion,
    VersionState,
)
from workbench.lens.biography.versions import Descent, Version, source_of
from workbench.lens.biography.words import ColumnRules, column_rules
from workbench.lens.texts import partition_label
from workbench.metadata.store import TableStore
from workbench.scan.stored_rows import columns_in

_NOT_READ = "(not read)"


@dataclass(frozen=True)
class LoggedRow:
    """A row of the changelog of a commit."""

    snapshot: Snapshot
    values: pa.Table


@dataclass(frozen=True)
class BiographyParts:
    """What was read about the life of a row. ``columns`` are the columns whose values were read; ``version`` is None
    for a table that was never written."""

    table: str
    store: TableStore
    row: RowIdentity
    columns: Sequence[str]
    version: Snapshot | None
    history: RowHistory = field(default_factory=RowHistory)
    versions: Sequence[Version] = ()
    descent: Descent = field(default_factory=lambda: Descent({}, {}, {}))
    marked: Mapping[int, int] = field(default_factory=dict)
    read: RowRead = field(default_factory=lambda: RowRead((), frozenset(), agrees=True))
    traced: Trace = field(default_factory=Trace)
    logged: Sequence[LoggedRow] = ()
    tags: Mapping[str, Tag] = field(default_factory=dict)
    opened: int = 0
    unread: tuple[BiographyUnread, ...] = ()


def describe_biography(parts: BiographyParts) -> BiographyValue:
    """Return the biography of a row."""
    lanes = _lanes(parts)
    versions = tuple(_Describing(parts, lanes).version(each) for each in parts.versions)
    logged = tuple(_logged(parts, each) for each in parts.logged)
    history = parts.history
    walked = history.snapshots
    state = state_of(versions, parts.read)
    engine = parts.store.schema.kind.merge_engine
    return BiographyValue(
        table=parts.table,
        snapshot=None if parts.version is None else parts.version.id,
        zone=session_options.timezone,
        engine="" if engine is None else engine.name,
        key=parts.row.key,
        state=state,
        summary=summary_of(state, versions, parts.read, is_written=parts.version is not None),
        commits=describe_commits(parts.version, history, versions, lanes, logged, parts.tags),
        lanes=lanes,
        versions=versions,
        order=tuple(number for merge in parts.read.merges for number in merge.order),
        fields=_fields(parts),
        changelog=logged,
        first=history.first,
        read_from=walked[0].id if walked else None,
        complete=history.complete,
        history=history_text(history, parts.tags),
        agrees=parts.read.agrees,
        files_considered=history.considered,
        files_opened=parts.opened,
        unread=parts.unread,
    )


# --- lanes and versions -------------------------------------------------------------------------------------------


def _lanes(parts: BiographyParts) -> tuple[BiographyLane, ...]:
    found = {_lane(parts, version, stay.level): None for version in parts.versions for stay in version.life.stays}
    return tuple(sorted(found, key=lambda lane: (lane.partition, lane.bucket, lane.level)))


def _lane(parts: BiographyParts, version: Version, level: int) -> BiographyLane:
    entry = version.life.entry
    return BiographyLane(partition_label(entry.partition, parts.store.schema.partition_fields), entry.bucket, level)


@dataclass(frozen=True)
class _Describing:
    parts: BiographyParts
    lanes: Sequence[BiographyLane]

    def version(self, version: Version) -> BiographyVersion:
        parts, entry, file = self.parts, version.life.entry, version.life.file
        lane = _lane(parts, version, file.level)
        return BiographyVersion(
            id=version.id,
            file=file.file_name,
            position=version.position,
            partition=lane.partition,
            bucket=entry.bucket,
            level=file.level,
            kind=kind_of(version.table).short,
            sequence=sequence_of(version.table),
            schema_id=file.schema_id,
            values=_values(parts, version.table),
            absent=_absent(parts, version),
            source=source_of(version, {each.id: each for each in parts.history.snapshots}),
            commit=version.commit,
            stays=tuple(self._stay(version, number) for number in range(len(version.life.stays))),
            inputs=parts.descent.inputs.get(version.id, ()),
            looked_up=parts.traced.looked_up.get(version.id, ()),
            into=parts.descent.into.get(version.id, ()),
            dropped=parts.descent.dropped.get(version.id),
            marked=parts.marked.get(version.id),
            state=_state(parts, version),
        )

    def _stay(self, version: Version, number: int) -> BiographyStay:
        stay = version.life.stays[number]
        lane = self.lanes.index(_lane(self.parts, version, stay.level))
        since, until = stay.since, stay.until
        return BiographyStay(lane, _snapshot(since), _snapshot(until), _is_exact(since), _is_exact(until))


def _snapshot(change: FileChange | None) -> int | None:
    return None if change is None else change.snapshot


def _is_exact(change: FileChange | None) -> bool:
    return change is None or change.exact


def _state(parts: BiographyParts, version: Version) -> VersionState:
    if version.id in parts.read.marked:
        return "marked"
    if any(version.id in merge.considered for merge in parts.read.merges):
        return "read"
    if any(version.id in merge.order for merge in parts.read.merges):
        return "skipped"
    return "hidden" if version.is_live else "gone"


def _values(parts: BiographyParts, row: pa.Table) -> tuple[str | None, ...]:
    return tuple(
        cell_texts(row.column(each.name))[0] if each.name in parts.columns else _NOT_READ
        for each in parts.store.schema.fields
    )


def _absent(parts: BiographyParts, version: Version) -> tuple[int, ...]:
    stored = columns_in(parts.store, version.life.file)
    return tuple(number for number, each in enumerate(parts.store.schema.fields) if each.name not in stored)


def _logged(parts: BiographyParts, logged: LoggedRow) -> BiographyLogged:
    return BiographyLogged(
        logged.snapshot.id, kind_of(logged.values).short, sequence_of(logged.values), _values(parts, logged.values)
    )


# --- columns ------------------------------------------------------------------------------------------------------


def _fields(parts: BiographyParts) -> tuple[BiographyField, ...]:
    merge, schema = parts.read.merge, parts.store.schema
    rules = column_rules(schema)
    return tuple(_field(parts, merge, rules, each.name) for each in schema.fields)


def _field(parts: BiographyParts, merge: Merge, rules: ColumnRules, name: str) -> BiographyField:
    schema = parts.store.schema
    origin = merge.origins.get(name) if merge.is_present else None
    value = None
    if merge.is_present and merge.rows is not None:
        value = cell_texts(merge.rows.column(name))[0] if name in parts.columns else _NOT_READ
    written = sources(origin, name, parts.traced)
    return BiographyField(
        name=name,
        type=schema.field(name).type.sql(),
        number=is_number(schema.arrow_schema.field(name).type),
        key=name in schema.primary_keys,
        value=value,
        winner=None if origin is None else origin.row,
        uses=() if origin is None else tuple(BiographyUse(use.row, use.effect.value) for use in origin.uses),
        origins=written,
        rule=rules.rule(name),
        why=rules.why(name, origin, merge, written, _unordered(parts, merge, rules.group(name)))
        if merge.is_present
        else "",
    )


def _unordered(parts: BiographyParts, merge: Merge, group: Sequence[str]) -> list[int]:
    """Return the merged versions in which all sequence columns of a group are NULL."""
    if not group or not set(group) <= set(parts.columns):
        return []
    return [
        each.id
        for each in parts.versions
        if each.id in merge.considered and all(each.table.column(name).null_count for name in group)
    ]
