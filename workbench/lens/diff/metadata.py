"""What else differs between two versions: columns, options, tags and branches. Reads metadata only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField
from workbench.lens.diff.ends import End
from workbench.lens.diff.value import RefValue
from workbench.lens.schema import SchemaChangeValue, describe_changes
from workbench.metadata.refs.branches import all_branches, open_branch
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore


def schema_changes(before: End, after: End, *, by_id: bool) -> tuple[SchemaChangeValue, ...]:
    """Return the changes between the schemas that both versions were written with. Columns are matched by id within a
    table, and by name between two tables."""
    one, other = (_written_with(end) for end in (before, after))
    if one is None or other is None:
        return ()
    if by_id:
        return describe_changes(one, other)
    ids: dict[str, int] = {}
    return describe_changes(*(replace(each, fields=_numbered(each.fields, ids)) for each in (one, other)))


def _written_with(end: End) -> TableSchema | None:
    return None if end.snapshot is None else end.store.schemas.get(end.snapshot.schema_id)


def _numbered(fields: Sequence[DataField], ids: dict[str, int]) -> tuple[DataField, ...]:
    """Return the columns with ids that depend only on their names, so that columns of equal names get equal ids."""
    return tuple(replace(each, id=ids.setdefault(each.name, len(ids))) for each in fields)


def refs_between(before: End, after: End) -> tuple[RefValue, ...]:
    """Return the tags and the branches whose snapshot is after the older version, up to and including the newer one."""
    store = after.store
    low, high = sorted((before.number, after.number))
    tags = [RefValue("tag", name, tag.snapshot.id) for name, tag in Tags(store).all().items()]
    branches = [RefValue("branch", name, first) for name in all_branches(store) if (first := _first(store, name))]
    return tuple(each for each in (*tags, *branches) if low < each.snapshot <= high)


def _first(store: TableStore, branch: str) -> int:
    """Return the earliest snapshot of a branch, 0 if it has none."""
    return Snapshots(open_branch(store, branch)).earliest_id() or 0
