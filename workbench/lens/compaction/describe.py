"""One compaction as a value: its reason, recorded or computed from the files, and what it read and wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.texts import duration_text, size_text
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.snapshot_properties import COMPACTION_PROPERTY, WRITER_PROPERTY
from workbench.lens.buckets import BucketKey, bucket_id
from workbench.lens.compaction.deltas import BucketDelta
from workbench.lens.compaction.explain import Explanation
from workbench.lens.compaction.value import CompactionValue, NumberValue, Origin
from workbench.lens.texts import partition_label

UNEXPLAINED = "Not explained by this table's options."
# Entries of a record that other fields of the value contain, or that are not numbers.
_ELSEWHERE = frozenset({"partition", "bucket", "reason", "why", "output_level", "files", "bytes", "millis"})
_PLAN = ("files_", "bytes_", "rows_")


@dataclass(frozen=True)
class Reason:
    """Why a compaction ran. ``millis`` is how long it took, None if not recorded."""

    rule: str
    origin: Origin
    text: str
    rounds: int = 1
    numbers: tuple[NumberValue, ...] = ()
    alternatives: tuple[str, ...] = ()
    millis: int | None = None


NOT_EXPLAINED = Reason("", "unexplained", UNEXPLAINED)


def recorded_reasons(snapshot: Snapshot) -> dict[tuple[str, int], Reason]:
    """Return the reasons that the writer of this library recorded in a snapshot, by partition directory and bucket."""
    try:
        records = json.loads(snapshot.properties.get(COMPACTION_PROPERTY, "[]"))
    except (ValueError, RecursionError):
        return {}
    found: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for record in records if isinstance(records, list) else ():
        if isinstance(record, dict) and isinstance(record.get("bucket"), int) and record.get("reason"):
            found.setdefault((str(record.get("partition", "")), record["bucket"]), []).append(record)
    return {key: _recorded(alike) for key, alike in found.items()}


def _recorded(records: Sequence[Mapping[str, Any]]) -> Reason:
    """Return the reason of a bucket. A partition without buckets may have several records, as several tasks may have
    compacted files in it."""
    last = records[-1]
    texts = dict.fromkeys(str(each.get("why") or each["reason"]) for each in records)
    numbers = {
        name: value
        for name, value in last.items()
        if name not in _ELSEWHERE and not name.startswith(_PLAN) and isinstance(value, int | float)
    }
    millis = [each.get("millis") for each in records]
    total = sum(millis) if all(isinstance(each, int) for each in millis) else None  # type: ignore[arg-type]
    rules = list(dict.fromkeys(str(each["reason"]) for each in records))
    return Reason(rules[-1], "recorded", " ".join(texts), len(records), _numbers(numbers), tuple(rules[:-1]), total)


def recomputed_reason(explanation: Explanation | None) -> Reason:
    """Return the reason that was computed from the files."""
    if explanation is None:
        return NOT_EXPLAINED
    return Reason(
        explanation.rule,
        "recomputed",
        explanation.text,
        len(explanation.picks),
        _numbers(explanation.numbers),
        explanation.alternatives,
    )


def _numbers(numbers: Mapping[str, int | float]) -> tuple[NumberValue, ...]:
    return tuple(NumberValue(name, _number_text(name, value)) for name, value in numbers.items())


def _number_text(name: str, value: int | float) -> str:
    if name.endswith(("_bytes", "_size")) and isinstance(value, int):
        return size_text(value)
    if name.endswith("percent"):
        return f"{value:,}%"
    if name.endswith("_millis"):
        return duration_text(round(value))
    return f"{value:,}"


def describe_compaction(
    schema: TableSchema, snapshot: Snapshot, key: BucketKey, delta: BucketDelta, reason: Reason
) -> CompactionValue:
    """Return the compaction of a bucket by the commit of a snapshot."""
    read, written = delta.read, delta.written
    moved = [file for file in delta.removed if file.file_name in delta.moved]
    name = bucket_id(schema, key)
    return CompactionValue(
        id=f"{snapshot.id}@{name}",
        snapshot=snapshot.id,
        time_millis=snapshot.time_millis,
        bucket_id=name,
        partition=partition_label(key[0], schema.partition_fields),
        bucket=key[1],
        rule=reason.rule,
        origin=reason.origin,
        text=reason.text,
        rounds=reason.rounds,
        numbers=reason.numbers,
        alternatives=reason.alternatives,
        input_levels=tuple(sorted({file.level for file in delta.removed})),
        output_level=max((file.level for file in delta.added), default=max(f.level for f in delta.removed)),
        files_read=len(read),
        files_written=len(written),
        files_moved=len(moved),
        bytes_read=_bytes(read),
        bytes_written=_bytes(written),
        bytes_moved=_bytes(moved),
        rows_read=_rows(read),
        rows_written=_rows(written),
        rows_moved=_rows(moved),
        rows_dropped=max(0, _rows(read) - _rows(written)),
        millis=reason.millis,
        user=snapshot.commit_user,
        writer=snapshot.writer_version or snapshot.properties.get(WRITER_PROPERTY, ""),
    )


def _bytes(files: Sequence[DataFileMeta]) -> int:
    return sum(file.file_size for file in files)


def _rows(files: Sequence[DataFileMeta]) -> int:
    return sum(file.row_count for file in files)
