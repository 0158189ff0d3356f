"""``$snapshots``, ``$tags``, ``$branches`` and ``$consumers``."""

from __future__ import annotations

from datetime import datetime, timedelta

from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.refs.branches import all_branches
from workbench.metadata.refs.consumers import all_consumers
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.system.kinds import Columns, SystemKind, listed, schema_of
from workbench.table.system.texts import duration_text

_EPOCH = datetime(1970, 1, 1)
_MILLI = timedelta(milliseconds=1)

_SNAPSHOTS = schema_of(
    {
        "snapshot_id": "BIGINT NOT NULL",
        "schema_id": "BIGINT NOT NULL",
        "commit_user": "STRING NOT NULL",
        "commit_identifier": "BIGINT NOT NULL",
        "commit_kind": "STRING NOT NULL",
        "commit_time": "TIMESTAMP(3) NOT NULL",
        "base_manifest_list": "STRING NOT NULL",
        "delta_manifest_list": "STRING NOT NULL",
        "changelog_manifest_list": "STRING",
        "total_record_count": "BIGINT",
        "delta_record_count": "BIGINT",
        "changelog_record_count": "BIGINT",
        "watermark": "BIGINT",
        "next_row_id": "BIGINT",
        "operation": "STRING",
    }
)


def _snapshots(store: TableStore, _: Snapshot | None) -> Columns:
    return listed(
        _SNAPSHOTS,
        Snapshots(store).all(),
        {
            "snapshot_id": lambda each: each.id,
            "schema_id": lambda each: each.schema_id,
            "commit_user": lambda each: each.commit_user,
            "commit_identifier": lambda each: each.commit_identifier,
            "commit_kind": lambda each: each.commit_kind.value,
            "commit_time": lambda each: each.time_millis,
            "base_manifest_list": lambda each: each.base_manifest_list,
            "delta_manifest_list": lambda each: each.delta_manifest_list,
            "changelog_manifest_list": lambda each: each.changelog_manifest_list,
            "total_record_count": lambda each: each.total_record_count,
            "delta_record_count": lambda each: each.delta_record_count,
            "changelog_record_count": lambda each: each.changelog_record_count,
            "watermark": lambda each: each.watermark,
            "next_row_id": lambda each: each.next_row_id,
            "operation": lambda each: each.operation,
        },
        instants=["commit_time"],
    )


_TAGS = schema_of(
    {
        "tag_name": "STRING NOT NULL",
        "snapshot_id": "BIGINT NOT NULL",
        "schema_id": "BIGINT NOT NULL",
        "commit_time": "TIMESTAMP(3) NOT NULL",
        "record_count": "BIGINT",
        "create_time": "TIMESTAMP(3)",
        "time_retained": "STRING",
    }
)


def _tags(store: TableStore, _: Snapshot | None) -> Columns:
    tags = Tags(store).all()
    return listed(
        _TAGS,
        [tags[name] for name in sorted(tags)],
        {
            "tag_name": lambda tag: tag.name,
            "snapshot_id": lambda tag: tag.snapshot.id,
            "schema_id": lambda tag: tag.snapshot.schema_id,
            "commit_time": lambda tag: tag.snapshot.time_millis,
            "record_count": lambda tag: tag.snapshot.total_record_count,
            "create_time": lambda tag: None if tag.created is None else (tag.created - _EPOCH) // _MILLI,
            "time_retained": lambda tag: None if tag.retained is None else duration_text(tag.retained),
        },
        instants=["commit_time"],
    )


_BRANCHES = schema_of({"branch_name": "STRING NOT NULL", "create_time": "TIMESTAMP(3) NOT NULL"})


def _branches(store: TableStore, _: Snapshot | None) -> Columns:
    return listed(
        _BRANCHES,
        list(all_branches(store).items()),
        {"branch_name": lambda each: each[0], "create_time": lambda each: each[1]},
        instants=["create_time"],
    )


_CONSUMERS = schema_of({"consumer_id": "STRING NOT NULL", "next_snapshot_id": "BIGINT NOT NULL"})


def _consumers(store: TableStore, _: Snapshot | None) -> Columns:
    return listed(
        _CONSUMERS,
        list(all_consumers(store).items()),
        {"consumer_id": lambda each: each[0], "next_snapshot_id": lambda each: each[1]},
    )


VERSION_KINDS = {
    "snapshots": SystemKind(_SNAPSHOTS, _snapshots),
    "tags": SystemKind(_TAGS, _tags),
    "branches": SystemKind(_BRANCHES, _branches),
    "consumers": SystemKind(_CONSUMERS, _consumers),
}
