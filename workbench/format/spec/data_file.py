"""Data files in manifests, and the results that a writer passes to a commit (format §4.4, §5, §6)."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import IntEnum
from typing import Any, NamedTuple

from workbench.base.errors import CommitConflict, Unsupported, WorkbenchError
from workbench.format.spec.index_entry import DeletionRange, GlobalIndex, IndexEntry
from workbench.format.spec.lazy_fields import LazyFields

EMPTY_ROW = bytes(12)
"""The serialized row without fields: a 4-byte arity 0 and 8 zero bytes."""


class FileSource(IntEnum):
    """The origin of a file: a write or a compaction (Java ``FileSource``)."""

    APPEND = 0
    COMPACT = 1


class FileKind(IntEnum):
    """Whether a manifest entry adds or removes its file (Java ``FileKind``)."""

    ADD = 0
    DELETE = 1


@dataclass(frozen=True, slots=True)
class SimpleStats:
    """Lower and upper bounds and null counts of some columns (Java ``SimpleStats``).

    ``min_values`` and ``max_values`` are serialized BinaryRows with their 4-byte big-endian arity; ``null_counts`` has
    one element per field of these rows, None where the count is unknown.
    """

    min_values: bytes
    max_values: bytes
    null_counts: tuple[int | None, ...] | None


EMPTY_STATS = SimpleStats(EMPTY_ROW, EMPTY_ROW, ())


@dataclass(frozen=True, slots=True)
class DataFileMeta(LazyFields):
    """One data file (Java ``DataFileMeta``, format §6).

    Keys are serialized BinaryRows of the trimmed primary key. ``creation_time`` is the writer's local wall clock in
    milliseconds, stored as if it were UTC. ``value_stats_cols`` None means that the stats cover all columns.
    """

    file_name: str
    file_size: int
    row_count: int
    min_key: bytes
    max_key: bytes
    key_stats: SimpleStats
    value_stats: SimpleStats
    min_sequence_number: int
    max_sequence_number: int
    schema_id: int
    level: int
    extra_files: tuple[str, ...] = ()
    creation_time: int | None = None
    delete_row_count: int | None = None
    embedded_index: bytes | None = None
    file_source: FileSource | None = None
    value_stats_cols: tuple[str, ...] | None = None
    external_path: str | None = None
    first_row_id: int | None = None
    write_cols: tuple[str, ...] | None = None

    def upgrade(self, level: int) -> DataFileMeta:
        """Return the same file on another level."""
        return replace(self, level=level)


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One change of the set of data files (Java ``ManifestEntry``). ``partition`` is a serialized BinaryRow."""

    kind: FileKind
    partition: bytes
    bucket: int
    total_buckets: int
    file: DataFileMeta

    @property
    def identifier(self) -> tuple[bytes, int, int, str, tuple[str, ...], bytes | None, str | None]:
        """The identity of the entry's file (format §4.4), which includes the level but not the statistics."""
        file = self.file
        return (
            self.partition,
            self.bucket,
            file.level,
            file.file_name,
            file.extra_files,
            file.embedded_index,
            file.external_path,
        )


def merge_entries(entries: Iterable[ManifestEntry]) -> list[ManifestEntry]:
    """Cancel out ADD and DELETE of the same file, in list order (Java ``FileEntry.mergeEntries``).

    A DELETE without its ADD is kept.

    Raises:
        CommitConflict: If a file that is already in the list is added.
    """
    listed = list(entries)
    names = [entry.file.file_name for entry in listed]
    if len(set(names)) == len(names):
        return listed
    # Most names occur once, in an entry that has no counterpart.
    times = Counter(names)
    merged: dict[tuple[Any, ...] | int, ManifestEntry] = {}
    for position, entry in enumerate(listed):
        if times[entry.file.file_name] == 1:
            merged[position] = entry
            continue
        identifier = entry.identifier
        if entry.kind == FileKind.ADD:
            if identifier in merged:
                raise CommitConflict(f"File {entry.file.file_name} is added twice.")
            merged[identifier] = entry
        elif (known := merged.get(identifier)) is not None and known.kind == FileKind.ADD:
            del merged[identifier]
        else:
            merged[identifier] = entry
    return list(merged.values())


@dataclass(frozen=True, slots=True)
class ManifestFileMeta:
    """One manifest in a manifest list (Java ``ManifestFileMeta``, format §5).

    Bounds are inclusive; None means unknown. ``partition_stats`` are full statistics of the partition columns.
    """

    file_name: str
    file_size: int
    num_added_files: int
    num_deleted_files: int
    partition_stats: SimpleStats
    schema_id: int
    min_bucket: int | None = None
    max_bucket: int | None = None
    min_level: int | None = None
    max_level: int | None = None
    min_row_id: int | None = None
    max_row_id: int | None = None


_MESSAGE_VERSION = 2
_MESSAGE_FILES = (
    "new_files",
    "deleted_files",
    "changelog_files",
    "compact_before",
    "compact_after",
    "compact_changelog",
)
_MESSAGE_INDEX_FILES = (
    "new_index_files",
    "deleted_index_files",
    "compact_new_index_files",
    "compact_deleted_index_files",
)


class WriterSchema(NamedTuple):
    """The schema that files were written with.

    The digest distinguishes it from another schema that gets the same id when a table is created again or
    fast-forwarded.
    """

    id: int
    digest: str


class BaseVersion(NamedTuple):
    """The snapshot that a writer began with.

    The name of its delta manifest list distinguishes it from another snapshot that gets the same id after a rollback or
    a fast-forward.
    """

    snapshot_id: int
    manifest_list: str


@dataclass(frozen=True)
class CommitMessage:
    """The changes of one writer to one bucket: the first phase of a commit (Java ``CommitMessageImpl``).

    ``compaction`` holds the rule that picked the compaction and the figures of the compaction, as plain JSON values.
    ``looked_up_in`` is a digest of the files in which the compaction looked up older rows of its keys; None if it did
    not. ``needs_compaction``: the bucket could not be compacted during the write, so the commit has to compact it.
    ``schema`` is the schema of the writer; None in messages that do not leave their process. ``assigned_by`` is the
    hash index that already had all keys of these rows; None if a new one is added, and in buckets without one. ``base``
    is the version that the writer began with, for rows of a primary-key table, whose sequence numbers continue from it,
    and for new values of columns with data evolution; otherwise None.
    """

    partition: bytes
    bucket: int
    total_buckets: int
    new_files: tuple[DataFileMeta, ...] = ()
    deleted_files: tuple[DataFileMeta, ...] = ()
    changelog_files: tuple[DataFileMeta, ...] = ()
    compact_before: tuple[DataFileMeta, ...] = ()
    compact_after: tuple[DataFileMeta, ...] = ()
    compact_changelog: tuple[DataFileMeta, ...] = ()
    compaction: Mapping[str, Any] | None = None
    new_index_files: tuple[IndexEntry, ...] = ()
    deleted_index_files: tuple[IndexEntry, ...] = ()
    compact_new_index_files: tuple[IndexEntry, ...] = ()
    compact_deleted_index_files: tuple[IndexEntry, ...] = ()
    looked_up_in: str | None = None
    needs_compaction: bool = False
    schema: WriterSchema | None = None
    assigned_by: IndexEntry | None = None
    base: BaseVersion | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the commit has nothing to change."""
        return not any(getattr(self, name) for name in (*_MESSAGE_FILES, *_MESSAGE_INDEX_FILES))

    def without_compaction(self) -> CommitMessage:
        """Return the message without the changes of the compaction."""
        kept: dict[str, Any] = {
            name: () for name in (*_MESSAGE_FILES, *_MESSAGE_INDEX_FILES) if name.startswith("compact_")
        }
        return replace(self, **kept, compaction=None, looked_up_in=None, needs_compaction=False)

    def compacted(self) -> CommitMessage:
        """Return the message as if the rows had been written in the form in which its compaction left them, without a
        changelog.
        """
        replaced = {file.file_name for file in self.compact_before}
        removed = {entry.file_name for entry in self.compact_deleted_index_files}
        files = [file for file in self.new_files if file.file_name not in replaced]
        indexes = (*self.new_index_files, *self.compact_new_index_files)
        return replace(
            self.without_compaction(),
            new_files=(*files, *self.compact_after),
            new_index_files=tuple(entry for entry in indexes if entry.file_name not in removed),
        )

    def to_bytes(self) -> bytes:
        """Return UTF-8 JSON with a version, to pass the message between processes."""
        message: dict[str, Any] = {
            "version": _MESSAGE_VERSION,
            "partition": _to_text(self.partition),
            "bucket": self.bucket,
            "total_buckets": self.total_buckets,
        }
        for name in _MESSAGE_FILES:
            if files := getattr(self, name):
                message[name] = [_file_to_json(file) for file in files]
        for name in _MESSAGE_INDEX_FILES:
            if entries := getattr(self, name):
                message[name] = [_index_to_json(entry) for entry in entries]
        if self.compaction is not None:
            message["compaction"] = dict(self.compaction)
        if self.looked_up_in is not None:
            message["looked_up_in"] = self.looked_up_in
        if self.needs_compaction:
            message["needs_compaction"] = True
        if self.schema is not None:
            message["schema"] = self.schema
        if self.assigned_by is not None:
            message["assigned_by"] = _index_to_json(self.assigned_by)
        if self.base is not None:
            message["base"] = self.base
        return json.dumps(message, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> CommitMessage:
        """Read the result of ``to_bytes``.

        Raises:
            Unsupported: If the version is unknown.
            WorkbenchError: If the bytes are not a commit message.
        """
        try:
            message = json.loads(data)
            version = message["version"]
            if version != _MESSAGE_VERSION:
                raise Unsupported(
                    f"Commit messages of version {version} are not supported.",
                    "Prepare and commit with the same version of this library.",
                )
            files: dict[str, Any] = {
                name: tuple(map(_file_from_json, message.get(name, ()))) for name in _MESSAGE_FILES
            }
            for name in _MESSAGE_INDEX_FILES:
                files[name] = tuple(map(_index_from_json, message.get(name, ())))
            schema = message.get("schema")
            assigned_by = message.get("assigned_by")
            base = message.get("base")
            return cls(
                _to_bytes(message["partition"]),
                message["bucket"],
                message["total_buckets"],
                **files,
                compaction=message.get("compaction"),
                looked_up_in=message.get("looked_up_in"),
                needs_compaction=message.get("needs_compaction", False),
                schema=None if schema is None else WriterSchema(*schema),
                assigned_by=None if assigned_by is None else _index_from_json(assigned_by),
                base=None if base is None else BaseVersion(*base),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise WorkbenchError("These bytes are not a commit message.", "Pass what prepare() returned.") from error


def _to_text(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _to_bytes(text: str) -> bytes:
    return b64decode(text, validate=True)


def _stats_to_json(stats: SimpleStats) -> list[Any]:
    return [_to_text(stats.min_values), _to_text(stats.max_values), stats.null_counts]


def _stats_from_json(stats: Sequence[Any]) -> SimpleStats:
    minimum, maximum, null_counts = stats
    return SimpleStats(_to_bytes(minimum), _to_bytes(maximum), None if null_counts is None else tuple(null_counts))


def _file_to_json(file: DataFileMeta) -> dict[str, Any]:
    values = {name: getattr(file, name) for name in DataFileMeta.__slots__}
    for name in ("min_key", "max_key", "embedded_index"):
        values[name] = None if values[name] is None else _to_text(values[name])
    for name in ("key_stats", "value_stats"):
        values[name] = _stats_to_json(values[name])
    return {name: value for name, value in values.items() if value is not None}


def _file_from_json(values: Mapping[str, Any]) -> DataFileMeta:
    fields = dict(values)
    for name in {"min_key", "max_key", "embedded_index"} & fields.keys():
        fields[name] = _to_bytes(fields[name])
    for name in ("key_stats", "value_stats"):
        fields[name] = _stats_from_json(fields[name])
    for name in {"extra_files", "value_stats_cols", "write_cols"} & fields.keys():
        fields[name] = tuple(fields[name])
    if "file_source" in fields:
        fields["file_source"] = FileSource(fields["file_source"])
    return DataFileMeta(**fields)


def _index_to_json(entry: IndexEntry) -> dict[str, Any]:
    values = asdict(entry)
    values["partition"] = _to_text(entry.partition)
    for name in ("index_meta", "source_meta") if entry.global_index else ():
        data = values["global_index"][name]
        values["global_index"][name] = None if data is None else _to_text(data)
    return values


def _index_from_json(values: Mapping[str, Any]) -> IndexEntry:
    fields = dict(values)
    fields["partition"] = _to_bytes(fields["partition"])
    fields["vectors"] = tuple(DeletionRange(**each) for each in fields["vectors"])
    if fields["global_index"] is not None:
        known = dict(fields["global_index"])
        known["extra_field_ids"] = tuple(known["extra_field_ids"])
        for name in ("index_meta", "source_meta"):
            known[name] = None if known[name] is None else _to_bytes(known[name])
        fields["global_index"] = GlobalIndex(**known)
    return IndexEntry(**fields)
