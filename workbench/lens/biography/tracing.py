"""Following the value of a column back through compactions, to the written versions that it comes from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.format.spec.schema import TableSchema
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind
from workbench.lens.biography.merging import Merge, compacted
from workbench.lens.biography.versions import Descent, Version
from workbench.lsm.provenance import Origin

Traced = Mapping[tuple[int, str], frozenset[int]]


@dataclass(frozen=True)
class Trace:
    """The origins of the values of versions. ``columns`` maps a version and a column to the versions in which the value
    was written. ``looked_up`` maps a version to the versions on deeper levels that the compaction read to make it,
    without removing them."""

    columns: Traced = field(default_factory=dict)
    looked_up: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def trace(versions: Sequence[Version], descent: Descent, schema: TableSchema, columns: Sequence[str]) -> Trace:
    """Follow the values of the versions that a table has now, and of the versions that they descend from, column by
    column.

    The merge of each compaction is repeated. If the result differs from the row that the compaction stored, its values
    are not followed any further.
    """
    by_id = {version.id: version for version in versions}
    merged = schema.kind.choose({KeyValueKind: _merge, AppendOnlyKind: _copy})
    found: dict[tuple[int, str], frozenset[int]] = {}
    looked_up: dict[int, tuple[int, ...]] = {}
    # A version is younger than what it descends from, so the ids of its inputs are smaller.
    for number in sorted(_ancestors(versions, descent)):
        inputs = descent.inputs.get(number, ())
        merge = None
        if inputs:
            merge, others = merged(versions, by_id[number], [by_id[each] for each in inputs], schema, columns)
            looked_up.update({number: others} if others else {})
        for name in columns:
            origin = None if merge is None else merge.origins.get(name)
            found[number, name] = frozenset((number,)) if merge is None else _of(origin, name, found)
    return Trace(found, looked_up)


def sources(origin: Origin | None, name: str, traced: Trace) -> tuple[int, ...]:
    """Return the versions in which the value of a column was originally written."""
    return tuple(sorted(_of(origin, name, traced.columns)))


def _of(origin: Origin | None, name: str, traced: Traced) -> frozenset[int]:
    if origin is None:
        return frozenset()
    rows = [origin.row] if origin.row is not None else [use.row for use in origin.uses if origin.computed]
    return frozenset().union(*(traced.get((row, name), frozenset((row,))) for row in rows))


def _ancestors(versions: Sequence[Version], descent: Descent) -> set[int]:
    found: set[int] = set()
    waiting = [version.id for version in versions if version.is_live]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += descent.inputs.get(number, ())
    return found


def _copy(
    _: Sequence[Version], __: Version, inputs: Sequence[Version], ___: TableSchema, columns: Sequence[str]
) -> tuple[Merge | None, tuple[int, ...]]:
    """Return the newest copy of a row that was rewritten unchanged, as a merge."""
    ids = tuple(version.id for version in inputs)
    return Merge(ids, frozenset(ids), None, None, {name: Origin(ids[-1]) for name in columns}), ()


def _merge(
    versions: Sequence[Version], output: Version, inputs: Sequence[Version], schema: TableSchema, columns: Sequence[str]
) -> tuple[Merge | None, tuple[int, ...]]:
    """Return the merge that made ``output`` from ``inputs``, and the versions that it looked up on deeper levels."""
    ids = tuple(version.id for version in inputs)
    stored = [version.stored for version in inputs]
    merge = compacted(stored, output.stored, schema, columns)
    if merge is not None or not schema.core.merges_with_lookup:
        return merge, ()
    deeper = [version for version in versions if _is_deeper(version, output, ids)]
    merge = compacted([*stored, *(version.stored for version in deeper)], output.stored, schema, columns)
    return merge, () if merge is None else tuple(version.id for version in deeper)


def _is_deeper(version: Version, output: Version, inputs: Collection[int]) -> bool:
    """Return whether a version was on a deeper level when a compaction wrote another one."""
    same_bucket = version.life.id[:2] == output.life.id[:2]
    commit, level = output.commit, output.life.stays[0].level
    return (
        same_bucket
        and commit is not None
        and version.id not in (*inputs, output.id)
        and any(stay.holds_at(commit) and stay.level > level for stay in version.life.stays)
    )
