"""Procedures for snapshots, tags, branches and consumers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workbench.base.errors import AlreadyExists, InvalidRequest
from workbench.sql.procedures.protocol import (
    BIGINT,
    FINAL,
    INT,
    OPTIONS,
    SUCCESS,
    TABLE,
    TEXT,
    Arguments,
    Parameter,
    Procedure,
    Values,
    names_of,
)

_Rows = Iterable[tuple[Any, ...]]
_TAG = Parameter("tag", required=True)
_BRANCH = Parameter("branch", required=True)
_SNAPSHOT = Parameter("snapshot", BIGINT)
_RETAINED = Parameter("time_retained")
_ROLLBACK = (("previous_snapshot_id", BIGINT), ("current_snapshot_id", BIGINT))


def _expire_snapshots(call: Arguments) -> _Rows:
    table = call.table()
    # Unlike `Table.expire_snapshots`, the procedure does not lower the minimum to a given maximum.
    least = call["retain_min"] or table.store.schema.core.snapshot_num_retained_min
    expiry = table.expire_snapshots(
        call["retain_max"],
        least,
        call["older_than"],
        progress=call.context.progress,
        max_deletes=call["max_deletes"],
    )
    return [(len(expiry.snapshots),)]


def _create_tag(call: Arguments) -> _Rows:
    table = call.table()
    if call["tag"] in table.tags():
        raise AlreadyExists(f"{table.name} already has a tag '{call['tag']}'.", "Call sys.replace_tag to replace it.")
    table.create_tag(call["tag"], call["snapshot"], call["time_retained"])
    return SUCCESS


def _replace_tag(call: Arguments) -> _Rows:
    call.table().replace_tag(call["tag"], call["snapshot"], call["time_retained"])
    return SUCCESS


def _rename_tag(call: Arguments) -> _Rows:
    call.table().rename_tag(call["tag"], call["target_tag"])
    return SUCCESS


def _delete_tag(call: Arguments) -> _Rows:
    table = call.table()
    known = table.tags()
    # As in Paimon's connector, a missing tag is not an error.
    for name in names_of(call["tag"]):
        if name in known:
            table.delete_tag(name)
    return SUCCESS


def _create_tag_from_timestamp(call: Arguments) -> _Rows:
    if call["timestamp"] is None:
        raise InvalidRequest("The argument timestamp is missing.", "Pass milliseconds since 1970.")
    table = call.table()
    table.create_tag_from_timestamp(call["tag"], call["timestamp"], call["time_retained"])
    snapshot = table.tags()[call["tag"]].snapshot
    watermark = "null" if snapshot.watermark is None else str(snapshot.watermark)
    return [(call["tag"], snapshot.id, snapshot.time_millis, watermark)]


def _expire_tags(call: Arguments) -> _Rows:
    expired = call.table().expire_tags(call["older_than"], progress=call.context.progress).tags
    return [(name,) for name in expired] or [("No expired tags.",)]


def _trigger_tags(call: Arguments) -> _Rows:
    table = call.table()
    if table.options.get("tag.automatic-creation", "none") != "none":
        table.trigger_tag_automatic_creation(progress=call.context.progress)
    return SUCCESS


def _rollback(call: Arguments) -> _Rows:
    given = {name: call[name] for name in ("version", "snapshot", "tag") if call[name] is not None}
    if len(given) != 1:
        raise InvalidRequest(
            "rollback requires exactly one of version, snapshot and tag.",
            "Write CALL sys.rollback('db.t', snapshot => 1).",
        )
    version = given.get("version")
    if version is None:
        return _rolled_back(call, **given)
    is_snapshot = version.isdecimal() and version not in call.table().tags()
    return _rolled_back(call, **({"snapshot": int(version)} if is_snapshot else {"tag": version}))


def _rolled_back(call: Arguments, **target: Any) -> _Rows:
    table = call.table()
    previous = table.snapshot().id
    rollback = table.rollback_to(**target)
    return [(previous, rollback.snapshot)]


def _repair_earliest(call: Arguments) -> _Rows:
    table = call.table()
    before = table.store.snapshots.earliest_id()
    table.repair_earliest_snapshot(call["snapshot_id"])
    return [(before, table.store.snapshots.earliest_id())]


def _create_branch(call: Arguments) -> _Rows:
    table = call.table()
    if str(call["ignoreIfExists"]).lower() == "true" and call["branch"] in table.branches():
        return SUCCESS
    table.create_branch(call["branch"], call["tag"])
    return SUCCESS


def _delete_branch(call: Arguments) -> _Rows:
    table = call.table()
    for name in names_of(call["branch"]):
        table.delete_branch(name)
    return SUCCESS


def _rename_branch(call: Arguments) -> _Rows:
    call.table().rename_branch(call["from_branch"], call["to_branch"])
    return SUCCESS


def _fast_forward(call: Arguments) -> _Rows:
    call.table().fast_forward(call["branch"])
    return SUCCESS


def _merge_branch(call: Arguments) -> _Rows:
    table = call.table()
    target = call["target_branch"]
    (table if target in (None, "main") else table.branch(target)).merge_branch(call["source_branch"])
    return SUCCESS


def _reset_consumer(call: Arguments) -> _Rows:
    table = call.table()
    if call["nextSnapshotId"] is not None:
        table.set_consumer(call["consumerId"], call["nextSnapshotId"])
    elif call["consumerId"] in table.consumers():
        table.delete_consumer(call["consumerId"])
    return SUCCESS


def _clear_consumers(call: Arguments) -> _Rows:
    call.table().clear_consumers(call["includingConsumers"] or None, call["excludingConsumers"] or None)
    return SUCCESS


def _rollback_loss(values: Values) -> str:
    return f"the snapshots and tags of {values['table']} that are newer than the target{FINAL}"


def _expiry_loss(values: Values) -> str:
    return f"the expired snapshots of {values['table']}, with the files that only they use{FINAL}"


def _tag_loss(values: Values) -> str:
    return f"tag {values['tag']} of {values['table']}{FINAL}"


def _tags_loss(values: Values) -> str:
    return f"the expired tags of {values['table']}{FINAL}"


def _branch_loss(values: Values) -> str:
    return f"branch {values['branch']} of {values['table']} with its snapshots{FINAL}"


def _forward_loss(values: Values) -> str:
    return f"the snapshots of {values['table']} since branch {values['branch']} was created{FINAL}"


def _consumer_loss(values: Values) -> str | None:
    # With a snapshot, the consumer continues there.
    is_deleted = values.get("nextSnapshotId") is None
    return f"consumer {values['consumerId']} of {values['table']}{FINAL}" if is_deleted else None


def _consumers_loss(values: Values) -> str:
    return f"consumers of {values['table']}{FINAL}"


PROCEDURES = (
    Procedure(
        "expire_snapshots",
        (
            TABLE,
            Parameter("retain_max", INT),
            Parameter("retain_min", INT),
            Parameter("older_than"),
            Parameter("max_deletes", INT),
            OPTIONS,
        ),
        _expire_snapshots,
        (("deleted_snapshots_count", INT),),
        _expiry_loss,
    ),
    Procedure("create_tag", (TABLE, _TAG, _SNAPSHOT, _RETAINED), _create_tag),
    Procedure("replace_tag", (TABLE, _TAG, _SNAPSHOT, _RETAINED), _replace_tag),
    Procedure("rename_tag", (TABLE, _TAG, Parameter("target_tag", required=True)), _rename_tag),
    Procedure("delete_tag", (TABLE, _TAG), _delete_tag, loss=_tag_loss),
    Procedure(
        "create_tag_from_timestamp",
        (TABLE, _TAG, Parameter("timestamp", BIGINT), _RETAINED),
        _create_tag_from_timestamp,
        (("tagName", TEXT), ("snapshot", BIGINT), ("commit_time", BIGINT), ("watermark", TEXT)),
    ),
    Procedure("expire_tags", (TABLE, Parameter("older_than")), _expire_tags, (("expired_tags", TEXT),), _tags_loss),
    Procedure("trigger_tag_automatic_creation", (TABLE,), _trigger_tags),
    Procedure(
        "rollback",
        (TABLE, Parameter("version"), _SNAPSHOT, Parameter("tag")),
        _rollback,
        _ROLLBACK,
        _rollback_loss,
    ),
    Procedure(
        "rollback_to_timestamp",
        (TABLE, Parameter("timestamp", BIGINT, required=True)),
        lambda call: _rolled_back(call, timestamp=call["timestamp"]),
        _ROLLBACK,
        _rollback_loss,
    ),
    Procedure(
        "rollback_to_watermark",
        (TABLE, Parameter("watermark", BIGINT, required=True)),
        lambda call: _rolled_back(call, watermark=call["watermark"]),
        _ROLLBACK,
        _rollback_loss,
    ),
    Procedure(
        "repair_earliest_snapshot",
        (TABLE, Parameter("snapshot_id", BIGINT, required=True)),
        _repair_earliest,
        (("previous_earliest_snapshot_id", BIGINT), ("current_earliest_snapshot_id", BIGINT)),
    ),
    Procedure("create_branch", (TABLE, _BRANCH, Parameter("tag"), Parameter("ignoreIfExists")), _create_branch),
    Procedure("delete_branch", (TABLE, _BRANCH), _delete_branch, loss=_branch_loss),
    Procedure(
        "rename_branch",
        (TABLE, Parameter("from_branch", required=True), Parameter("to_branch", required=True)),
        _rename_branch,
    ),
    Procedure("fast_forward", (TABLE, _BRANCH), _fast_forward, loss=_forward_loss),
    Procedure(
        "merge_branch",
        (TABLE, Parameter("source_branch", required=True), Parameter("target_branch")),
        _merge_branch,
    ),
    Procedure(
        "reset_consumer",
        (TABLE, Parameter("consumerId", required=True), Parameter("nextSnapshotId", BIGINT)),
        _reset_consumer,
        loss=_consumer_loss,
    ),
    Procedure(
        "clear_consumers",
        (TABLE, Parameter("includingConsumers"), Parameter("excludingConsumers")),
        _clear_consumers,
        loss=_consumers_loss,
    ),
)
