"""MERGE: updating, deleting and inserting rows by comparing the table with a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int16Array, Int64Array
from workbench.base.errors import InvalidExpression, MergeError, SchemaMismatch
from workbench.base.lazy import cached_property
from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Column, Comparison, Expr, Field, conjunction
from workbench.expr.parse import as_expr
from workbench.expr.tree import same, split_conjunction
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataType
from workbench.format.types.arrow_types import field_type, to_arrow
from workbench.table.dml.assignments import Assignments, assigned, bind_assignments, column_named
from workbench.table.dml.changes import Action, RowChange
from workbench.table.dml.clauses import Clause, WhenMatched, WhenNotMatched, WhenNotMatchedBySource
from workbench.table.dml.matching import Matching, columns_of, with_padded_keys
from workbench.table.dml.rules import fixed_columns
from workbench.table.dml.scope import SOURCE, TARGET, Scope, beside, renamed
from workbench.write.changes.decision import KEEP, Decision
from workbench.write.input import as_tables

_MAX_INSERTED = 1 << 19


@dataclass(frozen=True)
class _Step:
    """A clause bound to columns. ``number`` is its action for rows that satisfy ``condition``, or for all rows if that
    is None."""

    condition: Expr | None
    number: int = KEEP
    inserts: Assignments | None = None


class Merge(RowChange):
    """The clauses of a merge, bound to a table and to the rows of its source; the first clause that fits a row applies.

    ``on``: names of columns that must be equal, or a condition over ``t``, the table, and ``s``, the source.

    Raises:
        InvalidExpression: A condition or a value is not valid, or there are no clauses.
        SchemaMismatch: A column does not exist, or a value cannot be stored in it.
    """

    def __init__(
        self, schema: TableSchema, source: Any, on: str | Expr | Sequence[str], clauses: Sequence[Clause]
    ) -> None:
        self.schema = schema
        self._source, theirs = _source_rows(source, schema)
        mine = [(each.name, each.type) for each in schema.fields]
        self._both = Scope({TARGET: mine, SOURCE: theirs})
        self._mine, self._theirs = Scope({TARGET: mine}), Scope({SOURCE: theirs})
        given = _condition(on)
        matching = given if isinstance(on, str | Expr) else with_padded_keys(given, schema)
        self._matching = Matching(self._both.condition(matching), self._source)
        self._identities = _identities(given)
        if isinstance(clauses, Clause) or not clauses:
            problem = "clauses must be a list, not a single clause" if clauses else "a merge requires clauses"
            raise InvalidExpression(f"Cannot merge: {problem}.", "Pass clauses=[wb.WhenMatched(…), …].")
        self._actions: list[Action] = []
        self._matched: list[_Step] = []
        self._not_matched: list[_Step] = []
        self._by_source: list[_Step] = []
        for clause in clauses:
            self._add(clause)
        self.actions = tuple(self._actions)
        self.reads = self._matching.reads | self._read_by_conditions
        # Each call of decide() compares its rows with all rows of the source.
        self.rows_at_once = self._source.num_rows
        self.where = None if self._by_source else self._matching.where()
        self.begin()

    def begin(self) -> None:
        """See `RowChange.begin`: no row of the source has matched a row of the table yet."""
        self._seen_of_source = np.zeros(self._source.num_rows, bool)

    def decide(self, rows: pa.Table) -> Decision:
        """Return the action for each row, and the matching row of the source.

        Raises:
            MergeError: Several source rows match one row and could change it.
        """
        action = np.full(rows.num_rows, KEEP, np.int16)
        source = np.full(rows.num_rows, -1, np.int64)
        mine, theirs = self._matching.pairs(rows)
        self._check_single(mine)
        self._seen_of_source[theirs] = True
        source[mine] = theirs
        matched = np.flatnonzero(source >= 0)
        if self._matched and len(matched):
            seen = beside(renamed(rows, TARGET).take(pa.array(matched)), self._beside(source[matched]))
            action[matched] = _first_that_fits(self._matched, seen)
        others = np.flatnonzero(source < 0)
        if self._by_source and len(others):
            action[others] = _first_that_fits(self._by_source, renamed(rows, TARGET).take(pa.array(others)))
        return Decision(action, source)

    def seen(self, rows: pa.Table, decision: Decision) -> pa.Table:
        """Return the rows with columns ``t.x`` and, if all of them matched, the columns ``s.x`` of their source
        rows."""
        target = renamed(rows, TARGET)
        if decision.source is None or (decision.source < 0).any():
            return target
        return beside(target, self._beside(decision.source))

    def inserted(self) -> Iterator[pa.Table]:
        """Yield the rows that are inserted for unmatched rows of the source."""
        if not self._not_matched:
            return
        missing = np.flatnonzero(~self._seen_of_source)
        for start in range(0, len(missing), _MAX_INSERTED):
            seen = self._beside(missing[start : start + _MAX_INSERTED])
            chosen = _first_that_fits(self._not_matched, seen)
            for step in self._not_matched:
                position = np.flatnonzero(chosen == step.number)
                if step.inserts is not None and len(position):
                    rows = seen.take(pa.array(position))
                    yield assigned(rows.select([]), rows, step.inserts, self.schema)

    # --- clauses --------------------------------------------------------------------------------------------------

    def _add(self, clause: Clause) -> None:
        match clause:
            case WhenMatched():
                condition = _bound(clause.condition, self._both)
                assignments = None if clause.delete else self._updates(clause.update)
                self._matched.append(self._step(condition, assignments))
            case WhenNotMatchedBySource():
                condition = _bound(clause.condition, self._mine)
                update = clause.update or {}
                assignments = None if clause.delete else bind_assignments(update, self.schema, self._mine.value)
                self._check_keys(assignments or {})
                self._by_source.append(self._step(condition, assignments))
            case WhenNotMatched():
                inserts = bind_assignments(self._spelled_out(clause.insert), self.schema, self._theirs.value)
                number = len(self._not_matched)
                self._not_matched.append(_Step(_bound(clause.condition, self._theirs), number, inserts))
            case _:
                raise InvalidExpression(
                    f"{clause!r} is not a merge clause.",
                    "Use wb.WhenMatched, wb.WhenNotMatched and wb.WhenNotMatchedBySource.",
                )

    def _step(self, condition: Expr | None, assignments: Assignments | None) -> _Step:
        self._actions.append(Action(assignments))
        return _Step(condition, len(self._actions) - 1)

    def _updates(self, given: Mapping[str, Any] | str | None) -> Assignments:
        chosen = self._spelled_out(given or {})
        kept = {name: value for name, value in chosen.items() if not self._is_identity(name, value)}
        assignments = bind_assignments(kept, self.schema, self._both.value)
        self._check_keys(assignments)
        return assignments

    def _spelled_out(self, given: Mapping[str, Any] | str) -> Mapping[str, Any]:
        """Return assignments by column; ``*`` assigns to each column the source column of the same name."""
        if not isinstance(given, str):
            return given
        source_names = {name.lower(): name for name in reversed(self._source.column_names)}
        missing = [name for name in self.schema.field_names if name.lower() not in source_names]
        if missing:
            raise SchemaMismatch(
                f"The source has no column '{missing[0]}', which '*' requires.", "List the columns instead."
            )
        names = self._source.column_names
        return {
            name: Field(Column(SOURCE), name if name in names else source_names[name.lower()])
            for name in self.schema.field_names
        }

    def _is_identity(self, name: str, value: Any) -> bool:
        """Return whether a key column is set to a value that ``on`` makes equal to it, so that nothing changes."""
        column = column_named(self.schema, name).name
        if column not in self.schema.primary_keys:
            return False
        given = as_expr(value) if isinstance(value, str | Expr) else None
        known = self._identities.get(column.lower(), [])
        return given is not None and any(same(_folded(given), each) for each in known)

    def _check_keys(self, assignments: Assignments) -> None:
        check_keys_stay(self.schema, assignments)

    @cached_property
    def _read_by_conditions(self) -> frozenset[str]:
        steps = [*self._matched, *self._by_source]
        return frozenset().union(*(columns_of(step.condition, TARGET) for step in steps if step.condition is not None))

    # --- rows -----------------------------------------------------------------------------------------------------

    def _beside(self, positions: Int64Array) -> pa.Table:
        return renamed(self._source.take(pa.array(positions)), SOURCE)

    def _check_single(self, mine: Int64Array) -> None:
        """Raise MergeError where several source rows could change one row (Spark's rule); deleting is unambiguous."""
        only_one = len(self._matched) == 1 and self._matched[0].condition is None
        if not self._matched or (only_one and self.actions[self._matched[0].number].deletes):
            return
        if (mine[1:] == mine[:-1]).any():
            raise MergeError(
                "Several rows of the source match one row of the table.",
                "Remove duplicates from the source, or make 'on' stricter.",
            )


def check_keys_stay(schema: TableSchema, assigned_names: Iterable[str]) -> None:
    """Raise SchemaMismatch if the key or the partition of a primary-key row would change, leaving the old row
    behind."""
    fixed = fixed_columns(schema)
    moved = [name for name in assigned_names if name in fixed]
    if moved:
        part = "primary key" if moved[0] in schema.primary_keys else "partition"
        raise SchemaMismatch(f"Cannot update {part} column '{moved[0]}'.", "Delete the row and write a new one.")


def _condition(on: str | Expr | Sequence[str]) -> Expr:
    if isinstance(on, str | Expr):
        return as_expr(on)
    if not isinstance(on, Sequence) or not on or not all(isinstance(name, str) for name in on):
        raise InvalidExpression(f"A merge cannot match rows on {on!r}.", "Pass names of columns, or SQL over t and s.")
    return conjunction(Comparison("=", Field(Column(TARGET), name), Field(Column(SOURCE), name)) for name in on)


def _bound(condition: str | Expr | None, scope: Scope) -> Expr | None:
    return None if condition is None else scope.condition(as_expr(condition))


def _source_rows(source: Any, schema: TableSchema) -> tuple[pa.Table, list[tuple[str, DataType | None]]]:
    """Return the rows of a source, and the names and types of its columns."""
    tables = list(as_tables(source, schema))
    rows = pa.concat_tables(tables) if tables else pa.table({})
    if not rows.column_names:
        raise SchemaMismatch("The source has no columns.", "Pass rows with the columns that the clauses use.")
    twice = [name for name, count in Counter(rows.column_names).items() if count > 1]
    if twice:
        raise SchemaMismatch(f"Column '{twice[0]}' of the source is given twice.", "Rename one of them.")
    kinds = [(each.name, _type_of(each)) for each in rows.schema]
    fields = [pa.field(name, pa.null() if data_type is None else to_arrow(data_type)) for name, data_type in kinds]
    return rows.cast(pa.schema(fields)).combine_chunks(), kinds


def _type_of(field: pa.Field) -> DataType | None:
    return None if pa.types.is_null(field.type) else field_type(field)


def _first_that_fits(steps: Sequence[_Step], seen: pa.Table) -> Int16Array:
    """Return int16[rows]: the number of the first clause whose condition each row satisfies.

    A condition is not evaluated for rows that an earlier clause has already matched.
    """
    chosen = np.full(seen.num_rows, KEEP, np.int16)
    for step in steps:
        left = np.flatnonzero(chosen == KEEP)
        if step.condition is not None and len(left):
            left = left[np.asarray(filter_mask(step.condition, seen.take(pa.array(left))))]
        chosen[left] = step.number
    return chosen


def _identities(on: Expr) -> dict[str, list[Expr]]:
    """Return the expressions that the condition makes equal to each column of the table, by lower-case name."""
    identities: dict[str, list[Expr]] = {}
    for part in split_conjunction(on):
        if isinstance(part, Comparison) and part.operator == "=":
            for one, other in ((part.left, part.right), (part.right, part.left)):
                if isinstance(one, Field) and isinstance(one.operand, Column) and one.operand.name == TARGET:
                    identities.setdefault(one.name.lower(), []).append(_folded(other))
    return identities


def _folded(expr: Expr) -> Expr:
    """Return a field of one side with a lower-case name, to compare names ignoring case."""
    return Field(expr.operand, expr.name.lower()) if isinstance(expr, Field) else expr
