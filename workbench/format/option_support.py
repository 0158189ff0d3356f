"""The closed list of options that change the meaning of data, with the values that this library reads and writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Support:
    """Values that work, in the catalogue's spelling; None means any, an empty tuple only 'not set'.

    ``only``: the kind of table to which the option means something, ``key`` or ``append``; None for both.
    """

    read: tuple[str, ...] | None
    write: tuple[str, ...] | None
    only: str | None = None


_OFF = Support(("false",), ("false",))
_OFF_WITH_KEY = Support(("false",), ("false",), "key")
_UNSET = Support((), ())
_READ_ONLY = Support(None, (), "key")
# A stored place to read from: writing does not look at it.
_UNSET_TO_READ = Support((), None)

CHANGES_MEANING: dict[str, Support] = {
    "type": Support(("table", "materialized-table"), ("table", "materialized-table")),
    "branch": Support(("main",), ("main",)),
    "file.format": Support(("parquet", "orc", "avro"), ("parquet",)),
    "primary-key.nullable": _OFF,
    "bucket-function.type": Support(("default",), ("default",)),
    "data-file.path-directory": _UNSET,
    "data-file.external-paths": Support(None, ()),
    "data-file.thin-mode": Support(None, ("false",), "key"),
    "merge-engine": Support(("deduplicate", "partial-update", "aggregation", "first-row"), ("deduplicate",), "key"),
    "changelog-producer": Support(None, ("none",), "key"),
    "ignore-delete": Support(None, ("false",), "key"),
    "ignore-update-before": Support(None, ("false",), "key"),
    "rowkind.field": _READ_ONLY,
    "sequence.field": _READ_ONLY,
    "sequence.snapshot-ordering": _OFF_WITH_KEY,
    "write.sequence-number-init-mode": Support(None, ("scan",), "key"),
    # Only compactions drop rows by their time, so a read need not know.
    "record-level.expire-time": _READ_ONLY,
    "pk-clustering-override": _OFF_WITH_KEY,
    "deletion-vectors.enabled": Support(("true", "false"), ("false",)),
    "chain-table.enabled": _OFF,
    "row-tracking.enabled": _OFF,
    "data-evolution.enabled": _OFF,
    "blob-field": _UNSET,
    "blob-descriptor-field": _UNSET,
    "blob-view-field": _UNSET,
    "vector.file.format": _UNSET,
    "fields.<name>.map.storage-layout": Support(("default",), ("default",)),
    "pk-vector.index.columns": _READ_ONLY,
    "pk-btree.index.columns": _READ_ONLY,
    "pk-bitmap.index.columns": _READ_ONLY,
    "pk-multivalue.index.columns": _READ_ONLY,
    "pk-full-text.index.columns": _READ_ONLY,
    "metadata.iceberg.storage": Support(None, ("disabled",)),
    "query-auth.enabled": _OFF,
    "postpone.merge-on-read": _OFF_WITH_KEY,
    "scan.fallback-branch": _UNSET,
    "scan.primary-branch": _UNSET,
    "scan.fallback-snapshot-branch": _UNSET,
    "scan.fallback-delta-branch": _UNSET,
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
