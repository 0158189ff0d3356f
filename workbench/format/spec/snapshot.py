"""The snapshot file (format §2, Java `Snapshot`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workbench.base.card import Card, HasCard
from workbench.base.counting import counted
from workbench.base.errors import CorruptFile
from workbench.base.session import session_options
from workbench.base.texts import time_text
from workbench.format.spec.paths import check_file_name

CURRENT_VERSION = 3
BATCH_COMMIT_IDENTIFIER = 9_223_372_036_854_775_807


class CommitKind(StrEnum):
    """The kind of a commit."""

    APPEND = "APPEND"
    COMPACT = "COMPACT"
    OVERWRITE = "OVERWRITE"
    ANALYZE = "ANALYZE"


class Operation(StrEnum):
    """The engine statement that a commit belongs to. Snapshots of newer engines may have other values."""

    WRITE = "WRITE"
    OVERWRITE = "OVERWRITE"
    DELETE = "DELETE"
    TRUNCATE = "TRUNCATE"
    UPDATE = "UPDATE"
    MERGE = "MERGE"
    CREATE_TABLE_AS_SELECT = "CREATE_TABLE_AS_SELECT"
    REPLACE_TABLE_AS_SELECT = "REPLACE_TABLE_AS_SELECT"
    CREATE_OR_REPLACE_TABLE_AS_SELECT = "CREATE_OR_REPLACE_TABLE_AS_SELECT"


@dataclass(frozen=True, kw_only=True, repr=False)
class Snapshot(HasCard):
    """One version of a table. Optional values are None if the writer did not store them.

    Sizes are in bytes, times in milliseconds since the epoch; `total_record_count` counts unmerged rows of live files.
    The record counts are None only in files older than version 3.
    """

    version: int = CURRENT_VERSION
    uuid: str | None = None
    id: int
    schema_id: int
    base_manifest_list: str
    base_manifest_list_size: int | None = None
    delta_manifest_list: str
    delta_manifest_list_size: int | None = None
    changelog_manifest_list: str | None = None
    changelog_manifest_list_size: int | None = None
    index_manifest: str | None = None
    commit_user: str
    writer_version: str | None = None
    commit_identifier: int
    commit_kind: CommitKind
    time_millis: int
    total_record_count: int | None = None
    delta_record_count: int | None = None
    changelog_record_count: int | None = None
    watermark: int | None = None
    statistics: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    next_row_id: int | None = None
    operation: str | None = None

    def __repr__(self) -> str:
        rows = "" if self.total_record_count is None else f", {counted(self.total_record_count, 'stored rows')}"
        return f"<Snapshot {self.id}: {self.commit_kind}, {time_text(self.time_millis)}{rows}, schema {self.schema_id}>"

    def _card(self) -> Card:
        """Return the members that have a value."""
        named = [(name.replace("_", " "), getattr(self, name)) for name, _ in _MEMBERS.values() if name not in _SHOWN]
        facts = [("kind", str(self.commit_kind)), ("time", f"{time_text(self.time_millis)} {session_options.timezone}")]
        facts += [(name, _fact(value)) for name, value in named if value is not None]
        facts += [(f"property {key}", value) for key, value in self.properties.items()]
        return Card(f"Snapshot {self.id:,}", tuple(facts))

    def to_json(self) -> str:
        """Return the text of the file: fields in Java's order, those without a value omitted."""
        value: dict[str, Any] = {name: getattr(self, attribute) for name, (attribute, _) in _MEMBERS.items()}
        value["properties"] = dict(self.properties) or None
        return json.dumps(
            {name: each for name, each in value.items() if each is not None}, indent=2, ensure_ascii=False
        )

    @classmethod
    def from_json(cls, text: str | bytes, path: str) -> Snapshot:
        """Return a snapshot from the text of its file; errors name ``path``. Unknown fields are ignored.

        Raises:
            CorruptFile: If the text is not a snapshot.
        """
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CorruptFile(path, f"not a snapshot in JSON ({error})") from error
        if not isinstance(value, dict):
            raise CorruptFile(path, "not a snapshot: not a JSON object")
        return cls(**_read_members(value, path))


_MEMBERS: dict[str, tuple[str, type]] = {
    "version": ("version", int),
    "uuid": ("uuid", str),
    "id": ("id", int),
    "schemaId": ("schema_id", int),
    "baseManifestList": ("base_manifest_list", str),
    "baseManifestListSize": ("base_manifest_list_size", int),
    "deltaManifestList": ("delta_manifest_list", str),
    "deltaManifestListSize": ("delta_manifest_list_size", int),
    "changelogManifestList": ("changelog_manifest_list", str),
    "changelogManifestListSize": ("changelog_manifest_list_size", int),
    "indexManifest": ("index_manifest", str),
    "commitUser": ("commit_user", str),
    "writerVersion": ("writer_version", str),
    "commitIdentifier": ("commit_identifier", int),
    "commitKind": ("commit_kind", CommitKind),
    "timeMillis": ("time_millis", int),
    "totalRecordCount": ("total_record_count", int),
    "deltaRecordCount": ("delta_record_count", int),
    "changelogRecordCount": ("changelog_record_count", int),
    "watermark": ("watermark", int),
    "statistics": ("statistics", str),
    "properties": ("properties", dict),
    "nextRowId": ("next_row_id", int),
    "operation": ("operation", str),
}
_SHOWN = ("version", "uuid", "id", "commit_kind", "time_millis", "properties")
_FILE_NAMES = ("baseManifestList", "deltaManifestList", "changelogManifestList", "indexManifest", "statistics")
_REQUIRED = (
    "id",
    "schemaId",
    "baseManifestList",
    "deltaManifestList",
    "commitUser",
    "commitIdentifier",
    "commitKind",
    "timeMillis",
)


def _fact(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and value != BATCH_COMMIT_IDENTIFIER else str(value)


def _read_members(value: dict[str, Any], path: str) -> dict[str, Any]:
    missing = next((name for name in _REQUIRED if value.get(name) is None), None)
    if missing is not None:
        raise CorruptFile(path, f"the snapshot has no '{missing}'")
    # Files that were written before this field existed have the first version.
    members: dict[str, Any] = {"version": 1}
    for name, (attribute, member_type) in _MEMBERS.items():
        if value.get(name) is not None:
            members[attribute] = _read_member(name, value[name], member_type, path)
    return members


def _read_member(name: str, value: Any, member_type: type, path: str) -> Any:
    if member_type is CommitKind:
        if not isinstance(value, str) or value not in CommitKind.__members__:
            raise CorruptFile(path, f"'{value}' is not a commit kind")
        return CommitKind(value)
    if not isinstance(value, member_type) or isinstance(value, bool):
        raise CorruptFile(path, f"'{name}' of the snapshot is {json.dumps(value)[:60]}")
    if name in _FILE_NAMES:
        try:
            check_file_name(str(value))
        except ValueError as error:
            raise CorruptFile(path, f"'{name}' of the snapshot: {error}") from error
    if isinstance(value, dict):
        return {str(key): str(each) for key, each in value.items()}
    return value
