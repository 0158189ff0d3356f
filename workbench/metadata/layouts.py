"""Options that determine how stored rows are laid out, and checks whether other values of these options would change
the rows of a snapshot (format §17, §20.2).

Compaction writes levels for later reads: if it looks up older rows, a level holds the complete state of a key;
otherwise it holds only the rows that are newer than the levels below. An option that changes how rows are merged must
therefore not change while several files hold rows of one key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.base.errors import CommitConflict, InvalidRequest, InvalidSchema, SchemaMismatch, Unsupported
from workbench.format.spec.data_file import DataFileMeta, FileKind, ManifestEntry
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.schemas import load_latest_schema
from workbench.metadata.store import TableStore

LAYOUT_OPTIONS = ("changelog-producer", "force-lookup", "deletion-vectors.enabled")
"""The options that determine how compaction lays rows out. Other options only affect which view of the rows a user
gets."""
_HINT = "Compact the table in full first: table.compact(full=True)."


@dataclass(frozen=True)
class Reading:
    """How reads make rows from files: ``function`` merges them, regardless of its treatment of deletes,
    and is None for rows that are not merged;
    ``newest_level``: of the levels above 0 only the newest counts; ``vectors``: deletion vectors apply."""

    function: Any
    ignores_deletes: bool
    newest_level: bool
    sequence: tuple[str, ...]
    descending: bool
    vectors: bool

    @staticmethod
    def of(schema: TableSchema) -> Reading:
        """Return how a table with this schema is read."""
        core = schema.core
        if not schema.is_primary_key_table:
            return Reading(None, False, False, (), False, core.deletion_vectors_enabled)
        function = _function_of(schema)
        flags = {
            name: getattr(function, name) for name in ("ignores_deletes", "merged_below") if hasattr(function, name)
        }
        return Reading(
            replace(function, **dict.fromkeys(flags, False)),
            flags.get("ignores_deletes", False),
            flags.get("merged_below", False),
            core.sequence_field,
            bool(core.sequence_field) and core.sequence_field_is_descending,
            core.deletion_vectors_enabled,
        )


@dataclass(frozen=True)
class _OtherFunction:
    """The options that determine merging in a table that this library cannot merge."""

    options: Mapping[str, str]
    ignores_deletes: bool
    merged_below: bool


def _function_of(schema: TableSchema) -> Any:
    # Loaded here, as few reads are of an older schema.
    from workbench.lsm.merge_engine import merge_function_for
    from workbench.lsm.sequence_fields import SequenceFields

    try:
        SequenceFields.of(schema)
        return merge_function_for(schema, schema.field_names)
    except (Unsupported, InvalidSchema, SchemaMismatch):
        options = {name: text for name, text in schema.options.items() if name.startswith("fields.")}
        return _OtherFunction(options, schema.core.ignore_delete, schema.core.merges_with_lookup)


def with_layout_of(schema: TableSchema, other: TableSchema) -> TableSchema:
    """Return ``schema`` with the layout options of ``other`` if these change how rows are read, else ``schema``."""
    chosen, given = (
        {name: text for name, text in each.options.items() if name in LAYOUT_OPTIONS} for each in (schema, other)
    )
    if chosen == given:
        return schema
    kept = {name: text for name, text in schema.options.items() if name not in LAYOUT_OPTIONS}
    result = replace(schema, options={**kept, **given})
    return schema if Reading.of(result) == Reading.of(schema) else result


def store_at(store: TableStore, snapshot: Snapshot) -> TableStore:
    """Return the table with the columns and layout options of a snapshot; all other options are the current ones."""
    then = store.schema_of(snapshot.schema_id)
    return store.with_schema(with_layout_of(replace(then, options=store.schema.options), then))


def laid_out_as(store: TableStore, snapshot: Snapshot | None) -> TableStore:
    """Return the table with the current columns and the layout options with which the rows of a snapshot were
    written."""
    if snapshot is None or snapshot.schema_id == store.schema.id:
        return store
    return store.with_schema(with_layout_of(store.schema, store.schema_of(snapshot.schema_id)))


# --- what may change ----------------------------------------------------------------------------------------------


def check_options_fit(
    store: TableStore, snapshot: Snapshot | None, old: TableSchema, options: Mapping[str, str | None]
) -> None:
    """Refuse new option values (None removes one) under which the rows of a snapshot would read differently.

    Raises:
        InvalidSchema: Rows would read differently; the message names the options and what to do first.
    """

    def after(names: Iterable[str]) -> TableSchema:
        changed = {name: options[name] for name in names}
        merged = {**old.options, **changed}
        return replace(old, options={name: text for name, text in merged.items() if text is not None})

    before = Reading.of(old)
    if reads_identically(store, snapshot, before, Reading.of(after(options))):
        return
    names = [name for name in options if Reading.of(after([name])) != before] or list(options)
    shown = " and ".join(f"'{name}'" for name in names)
    raise InvalidSchema(
        f"Option{'s' if len(names) > 1 else ''} {shown} cannot change now: {store.name} has several files with rows of "
        "the same keys, which would be read differently.",
        _HINT,
    )


def check_can_be_restored(store: TableStore, target: Snapshot) -> None:
    """Refuse to make a snapshot the newest one if the newest schema reads its row layout differently.

    Raises:
        InvalidRequest: The layouts differ; the message names the options.
    """
    latest = load_latest_schema(store)
    then = with_layout_of(latest, store.schema_of(target.schema_id))
    if reads_identically(store, target, Reading.of(then), Reading.of(latest)):
        return
    options = [name for name in LAYOUT_OPTIONS if then.core.value(name) != latest.core.value(name)]
    shown = " and ".join(f"'{name}' = '{then.core.text(name) or then.core.value(name)}'" for name in options)
    raise InvalidRequest(
        f"Snapshot {target.id} of {store.name} was written with option {shown}, and would read differently now.",
        "Set these options with table.alter first.",
    )


def check_same_layout(store: TableStore, entries: Sequence[ManifestEntry], newest_id: int) -> None:
    """Refuse files of a compaction that began before the layout options changed.

    Raises:
        CommitConflict: The options changed; the message says what to do.
    """
    if newest_id == store.schema.id or not any(each.kind == FileKind.ADD and each.file.level > 0 for each in entries):
        return
    if with_layout_of(store.schema, store.schema_of(newest_id)) is not store.schema:
        raise CommitConflict(
            f"The options that control the compaction of {store.name} changed while it was running.",
            "Open the table again and repeat the operation.",
        )


# --- whether files read alike -------------------------------------------------------------------------------------


def reads_identically(store: TableStore, snapshot: Snapshot | None, before: Reading, after: Reading) -> bool:
    """Return whether every row of a snapshot reads the same before and after."""
    if before == after or snapshot is None:
        return True
    if before.vectors != after.vectors and any(each.vectors for each in index_entries(store, snapshot)):
        return False
    if before.function is None:
        return True
    buckets: dict[tuple[bytes, int], list[DataFileMeta]] = {}
    for entry in ManifestFiles(store).live_files(snapshot):
        if entry.bucket >= 0:
            buckets.setdefault((entry.partition, entry.bucket), []).append(entry.file)
    overlap = _overlap_of(store.schema)
    return not any(_differ(files, before, after, overlap) for files in buckets.values())


def _differ(
    files: Sequence[DataFileMeta], before: Reading, after: Reading, overlap: Callable[[Iterable[DataFileMeta]], bool]
) -> bool:
    """Return whether the rows of a bucket may read differently."""
    if before.vectors != after.vectors:
        return any(file.level == 0 for file in files) or overlap(files)
    if all(file.delete_row_count == 0 for file in files):
        before = replace(before, ignores_deletes=after.ignores_deletes)
    if before == after:
        return False
    if replace(before, newest_level=after.newest_level) == after:
        return overlap(file for file in files if file.level > 0)
    return overlap(files)


def _overlap_of(schema: TableSchema) -> Callable[[Iterable[DataFileMeta]], bool]:
    """Return a function that tests whether several of the given files may hold rows of the same key."""
    if schema.core.value("pk-clustering-override"):
        # Files of these tables are sorted by other columns, so their bounds do not show which keys they hold.
        return lambda files: len(list(files)) > 1
    # Loaded here, as append tables have no keys.
    from workbench.lsm.interval_partition import partition_into_sections
    from workbench.lsm.levels import key_of_schema

    key_of = key_of_schema(schema)
    return lambda files: any(len(section) > 1 for section in partition_into_sections(files, key_of))
