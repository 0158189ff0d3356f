"""A table at a glance: keys, options, size, files, newest version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.format.types import DataField

if TYPE_CHECKING:
    from workbench.table.table import Table


@dataclass(frozen=True)
class SummaryView:
    """``rows`` are stored rows before any merge, ``size`` bytes of data files; ``snapshot`` None: never written."""

    table: str
    location: str
    comment: str | None
    fields: tuple[DataField, ...]
    primary_key: tuple[str, ...]
    partition_keys: tuple[str, ...]
    options: Mapping[str, str]
    schema_id: int
    snapshot: int | None
    time_millis: int | None
    buckets: int
    files: int
    rows: int
    size: int

    def role(self, column: str) -> str:
        """'primary key', 'partition', both, or ''."""
        roles = (("primary key", self.primary_key), ("partition", self.partition_keys))
        return ", ".join(role for role, names in roles if column in names)


def gather_summary(table: Table) -> SummaryView:
    """The summary of the version that ``table`` stands at; reads metadata only."""
    scan = table.scan()
    snapshot, splits = scan.snapshot, scan.plan()
    schema = table.schema
    return SummaryView(
        table=table.name,
        location=table.location,
        comment=schema.comment,
        fields=schema.fields,
        primary_key=tuple(schema.primary_keys),
        partition_keys=tuple(schema.partition_keys),
        options=dict(schema.options),
        schema_id=schema.id,
        snapshot=None if snapshot is None else snapshot.id,
        time_millis=None if snapshot is None else snapshot.time_millis,
        buckets=len({(split.partition, split.bucket) for split in splits}),
        files=sum(len(split.files) for split in splits),
        rows=sum(split.row_count for split in splits),
        size=sum(split.size for split in splits),
    )
