"""The options that change the meaning of data, with the values that this library reads and writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Support:
    """Supported values in the catalog's spelling; None means any value, an empty tuple means that the option must not
    be set.

    ``only`` is the name of the kind of table (`KindName`) for which the option has a meaning; None for both.
    """

    read: tuple[str, ...] | None
    write: tuple[str, ...] | None
    only: str | None = None


_OFF = Support(("false",), ("false",))
_OFF_WITH_KEY = Support(("false",), ("false",), "primary-key")
_UNSET = Support((), ())
_READ_ONLY = Support(None, (), "primary-key")
_READ_ONLY_ANY = Support(None, ())
# The start of a read: writes ignore it, and reads check it (`table.read_options`).
_UNSET_TO_READ = Support((), None)

CHANGES_MEANING: dict[str, Support] = {
    "type": Support(("table", "materialized-table"), ("table", "materialized-table")),
    "branch": Support(("main",), ("main",)),
    # `definition.file_formats` compares it with the registered formats.
    "file.format": Support(None, None),
    "manifest.format": Support(("avro",), ("avro",)),
    "primary-key.nullable": _OFF,
    "bucket-function.type": Support(None, None),
    "data-file.path-directory": Support(None, None),
    "data-file.external-paths.strategy": Support(None, ("none", "specific-fs", "round-robin")),
    "data-file.thin-mode": Support(None, None, "primary-key"),
    "merge-engine": Support(None, None, "primary-key"),
    "changelog-producer": Support(None, None, "primary-key"),
    "ignore-delete": Support(None, None, "primary-key"),
    "ignore-update-before": Support(None, None, "primary-key"),
    "rowkind.field": Support(None, None, "primary-key"),
    "sequence.field": Support(None, None, "primary-key"),
    "sequence.snapshot-ordering": Support(None, None, "primary-key"),
    "write.sequence-number-init-mode": Support(None, None, "primary-key"),
    "pk-clustering-override": _OFF_WITH_KEY,
    "deletion-vectors.enabled": Support(("true", "false"), ("true", "false")),
    "chain-table.enabled": _OFF,
    "row-tracking.enabled": Support(None, None),
    "data-evolution.enabled": Support(("true", "false"), ("true", "false")),
    "blob-field": _READ_ONLY_ANY,
    "blob-descriptor-field": _READ_ONLY_ANY,
    "blob-view-field": _READ_ONLY_ANY,
    "vector.file.format": _READ_ONLY_ANY,
    "fields.<name>.map.storage-layout": Support(("default", "shared-shredding"), ("default",)),
    "pk-vector.index.columns": _READ_ONLY,
    "pk-btree.index.columns": _READ_ONLY,
    "pk-bitmap.index.columns": _READ_ONLY,
    "pk-multivalue.index.columns": _READ_ONLY,
    "pk-full-text.index.columns": _READ_ONLY,
    "metadata.iceberg.storage": Support(None, ("disabled",)),
    "upsert-key": Support(None, None),
    "query-auth.enabled": _OFF,
    "postpone.merge-on-read": Support(None, None, "primary-key"),
    "scan.fallback-branch": _UNSET_TO_READ,
    "scan.primary-branch": _UNSET_TO_READ,
    "scan.fallback-snapshot-branch": _UNSET,
    "scan.fallback-delta-branch": _UNSET,
    "scan.mode": Support(("default", "latest-full", "full", "latest"), None),
    "scan.snapshot-id": _UNSET_TO_READ,
    "scan.tag-name": _UNSET_TO_READ,
    "scan.version": _UNSET_TO_READ,
    "scan.timestamp": _UNSET_TO_READ,
    "scan.timestamp-millis": _UNSET_TO_READ,
    "scan.watermark": _UNSET_TO_READ,
    "scan.creation-time-millis": _UNSET_TO_READ,
    "scan.file-creation-time-millis": _UNSET_TO_READ,
    "scan.bucket": _UNSET_TO_READ,
    "scan.partitions": _UNSET_TO_READ,
    "incremental-between": _UNSET_TO_READ,
    "incremental-between-timestamp": _UNSET_TO_READ,
    "incremental-to-auto-tag": _UNSET_TO_READ,
}
