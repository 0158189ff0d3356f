"""Sentences of a biography: the rule of each column, why a version won it, and what commits did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.base.counting import counted
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.table_kind import AppendOnlyKind, DataEvolutionKind, KeyValueKind, TableKind
from workbench.lens.biography.merging import Merge
from workbench.lsm.merge_function import RowKind
from workbench.lsm.provenance import Effect, Origin

# Why an aggregate function takes the value of a version, as the end of a sentence that begins with the version.
_PICKS = {
    "last_non_null_value": "is the newest with a value",
    "last_value": "is the newest",
    "first_value": "is the oldest",
    "first_non_null_value": "is the oldest with a value",
    "first_not_null_value": "is the oldest with a value",
    "max": "has the largest value",
    "min": "has the smallest value",
}


def version_name(number: int) -> str:
    """Return ``version 3``."""
    return f"version {number}"


def versions_text(numbers: Sequence[int]) -> str:
    """Return ``version 3``, or ``versions 1, 2 and 5``."""
    if len(numbers) == 1:
        return version_name(numbers[0])
    return f"versions {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


@dataclass(frozen=True)
class ColumnRules:
    """The rules by which the merge engine of a table determines its columns."""

    schema: TableSchema

    def rule(self, name: str) -> str:
        """Return the name of a column's rule."""
        core = self.schema.core
        if name in self.schema.primary_keys:
            return "primary key"
        if core.engine.keeps_first:
            return "first row"
        group = self.group(name)
        if core.engine.updates_partially and group:
            function = core.aggregate_function(name)
            how = "sequence of its group" if name in group else function or "newest of its group"
            return f"{how}, ordered by {', '.join(group)}"
        if core.engine.combines_rows:
            if name in core.sequence_field and not core.engine.updates_partially:
                return "last_value"
            return core.aggregate_function(name) or "last_non_null_value"
        return f"newest row by {', '.join(core.sequence_field)}" if core.sequence_field else "newest row"

    def group(self, name: str) -> tuple[str, ...]:
        """Return the sequence columns of the group of a column; none if it is in no group."""
        for sequence, protected in self.schema.core.sequence_groups.items():
            if name in sequence or name in protected:
                return sequence
        return ()

    def why(
        self, name: str, origin: Origin | None, merge: Merge, written: Sequence[int], unordered: Sequence[int] = ()
    ) -> str:
        """Return why a read takes the value of a column from where it does, the versions that wrote it before
        compactions, and the ``unordered`` versions, in which the sequence columns of its group are NULL."""
        if name in self.schema.primary_keys:
            return "All versions of the row have it."
        why = self._why_read(name, origin, merge)
        if unordered:
            why = f"{why} {_unordered_text(unordered, self.group(name))}".strip()
        is_older = origin is not None and not origin.computed and written not in ((), (origin.row,))
        return f"{why} {sentence(versions_text(written))} wrote it before compactions." if is_older else why

    def _why_read(self, name: str, origin: Origin | None, merge: Merge) -> str:
        if origin is None:
            return ""
        return _why_lone(merge) if len(merge.considered) == 1 else self._why_taken(name, origin, merge)

    def _why_taken(self, name: str, origin: Origin, merge: Merge) -> str:
        if origin.uses:
            return self._why_aggregated(name, origin)
        if origin.row is None:
            return self._why_null(name)
        return f"{sentence(version_name(origin.row))} {self._won(name, origin.row, merge)}"

    def _won(self, name: str, row: int, merge: Merge) -> str:
        core = self.schema.core
        skipped = len(merge.order) - len(merge.considered)
        skips = (
            f" {counted(skipped, 'versions')} of deeper levels were skipped, as newer levels contain them."
            if skipped
            else ""
        )
        if core.engine.keeps_first:
            return f"was the first, and later rows are ignored.{skips}"
        group = self.group(name)
        if core.engine.updates_partially and group:
            return (
                f"has the newest {', '.join(group)} of those that are not NULL, which updates its whole group.{skips}"
            )
        ignored = [number for number in merge.order if number > row] if core.ignore_delete else []
        by = (
            f"by {', '.join(core.sequence_field)}, then by sequence number"
            if core.sequence_field
            else "by sequence number"
        )
        note = " Newer deletes are ignored." if ignored and merge.order[-1] != row else ""
        return f"is the newest of {counted(len(merge.considered), 'versions')} {by}.{note}{skips}"

    def _why_aggregated(self, name: str, origin: Origin) -> str:
        function = self.schema.core.aggregate_function(name) or "last_non_null_value"
        if name in self.schema.core.sequence_field and not self.schema.core.engine.updates_partially:
            function = "last_value"
        if not origin.computed:
            counted_versions = sorted({use.row for use in origin.uses})
            if origin.row is None:
                return f"{function} finds no value in {versions_text(counted_versions)}."
            how = _PICKS.get(function, f"is what {function} takes")
            return f"{sentence(version_name(origin.row))} {how}, of {versions_text(counted_versions)}."
        used = _by_effect(origin)
        added = used.get(Effect.ADDED)
        parts = [f"{function} of {versions_text(added)}" if added else function]
        if used.get(Effect.REPLACED):
            parts.append(f"starting from {versions_text(used[Effect.REPLACED])}")
        if used.get(Effect.ADDED_AS_OLDER):
            parts.append(f"with {versions_text(used[Effect.ADDED_AS_OLDER])} added as older")
        if used.get(Effect.RETRACTED):
            parts.append(f"less {versions_text(used[Effect.RETRACTED])}")
        return f"{', '.join(parts)}."

    def _why_null(self, name: str) -> str:
        group = self.group(name)
        if group:
            return f"No version has a value of {', '.join(group)}, or the newest one retracts the group."
        return "No version has a value."


class StoredColumns(ColumnRules):
    """The rules of an append table, whose rows are only copied."""

    def rule(self, _: str) -> str:
        """See `ColumnRules.rule`."""
        return "stored as written"

    def _why_taken(self, _: str, origin: Origin, __: Merge) -> str:
        return "" if origin.row is None else f"{sentence(version_name(origin.row))} is the newest with the column."


class EvolvedColumns(StoredColumns):
    """The rules of a table whose columns may be in several files."""

    def rule(self, _: str) -> str:
        """See `ColumnRules.rule`."""
        return "newest file with the column"


_RULES: Mapping[type[TableKind], type[ColumnRules]] = {
    KeyValueKind: ColumnRules,
    AppendOnlyKind: StoredColumns,
    DataEvolutionKind: EvolvedColumns,
}


def column_rules(schema: TableSchema) -> ColumnRules:
    """Return the rules for the kind of a table."""
    return schema.kind.choose(_RULES)(schema)


def _unordered_text(numbers: Sequence[int], group: Sequence[str]) -> str:
    one = len(numbers) == 1
    names = f"{', '.join(group)} {'is' if len(group) == 1 else 'are'} NULL"
    return f"{sentence(versions_text(numbers))} {'does' if one else 'do'} not update the group: {names}."


def _why_lone(merge: Merge) -> str:
    (only,) = merge.considered
    skipped = [number for number in merge.order if number != only]
    if skipped:
        held = f"what {versions_text(skipped)} of deeper levels contributed"
        return f"{sentence(version_name(only))} already contains {held}, so a read uses it alone."
    return f"{sentence(version_name(only))} is the only one that a read merges."


def _by_effect(origin: Origin) -> Mapping[Effect, list[int]]:
    result: dict[Effect, list[int]] = {}
    for use in origin.uses:
        result.setdefault(use.effect, []).append(use.row)
    return result


def sentence(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def kind_text(kind: RowKind) -> str:
    """Return what a stored row of a kind does: ``inserts``, ``retracts``, ``updates`` or ``deletes``."""
    return ("inserts", "retracts", "updates", "deletes")[kind]
