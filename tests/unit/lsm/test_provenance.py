"""The rows that the columns of a merged row come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.lsm.key_slices import Run, SliceInput, slices_to_merge
from workbench.lsm.merge_engine import merge_function_for
from workbench.lsm.provenance import Provenance, provenance
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.scan.table_chunk import Layout, TableChunk

COLUMNS = {"k": "INT", "a": "INT", "b": "INT"}


def schema_of(options: Mapping[str, str]) -> Any:
    given = {"bucket": "1", **options}
    return new_table_schema(COLUMNS, primary_key=["k"], options=given, time_millis=0)


def input_of(rows: Sequence[tuple[int | None, int | None, int]], keys: int = 1) -> SliceInput:
    """One run for each row: values of a and b, and its kind."""
    runs = []
    for sequence, (a, b, kind) in enumerate(rows):
        columns = {
            "k": pa.array([sequence % keys], pa.int32()),
            "a": pa.array([a], pa.int32()),
            "b": pa.array([b], pa.int32()),
            SEQUENCE_NUMBER: pa.array([sequence], pa.int64()),
            VALUE_KIND: pa.array([kind], pa.int8()),
        }
        layout = Layout(("k",), True, True, ("a", "b"))
        runs.append(Run(1, iter([TableChunk(pa.table(columns), layout)])))
    (result,) = slices_to_merge(runs)
    return result


def explained(options: Mapping[str, str], *rows: tuple[int | None, int | None, int]) -> Provenance:
    function = merge_function_for(schema_of(options), ["k", "a", "b"])
    given = input_of(rows)
    found = provenance(function, given, ["k", "a", "b"])
    merged = function.merge(given.groups, given.kinds, given.source)
    assert merged.rows.tolist() == found.merged.rows.tolist()
    assert {name: each.to_pylist() for name, each in merged.columns.items()} == {
        name: each.to_pylist() for name, each in found.merged.columns.items()
    }
    return found


def rows_of(found: Provenance) -> tuple[int | None, int | None]:
    return found.origins["a"].row, found.origins["b"].row


def test_the_newest_row_wins() -> None:
    assert rows_of(explained({}, (1, 1, 0), (None, 2, 0))) == (1, 1)


def test_the_first_row_wins() -> None:
    assert rows_of(explained({"merge-engine": "first-row"}, (1, 1, 0), (None, 2, 0))) == (0, 0)


def test_each_column_has_its_own_winner() -> None:
    found = explained({"merge-engine": "partial-update"}, (1, 1, 0), (None, 2, 0), (None, None, 0))
    assert rows_of(found) == (0, 1)
    assert found.order == (0, 1, 2)


def test_a_group_wins_by_its_sequence() -> None:
    options = {"merge-engine": "partial-update", "fields.a.sequence-group": "b"}
    assert rows_of(explained(options, (5, 1, 0), (3, 2, 0), (None, 9, 0))) == (0, 0)


def test_a_computed_value_lists_what_was_added_and_retracted() -> None:
    options = {
        "merge-engine": "aggregation",
        "fields.a.aggregate-function": "sum",
        "fields.b.aggregate-function": "max",
    }
    found = explained(options, (5, 1, 0), (3, 9, 0), (2, 4, 0))
    assert found.origins["a"].computed
    assert [(use.row, use.effect.value) for use in found.origins["a"].uses] == [
        (0, "added"), (1, "added"), (2, "added"),
    ]  # fmt: skip
    assert found.origins["b"].row == 1
    only_sum = {"merge-engine": "aggregation", "fields.a.aggregate-function": "sum"}
    retracted = explained(only_sum, (5, 1, 0), (3, 1, 3))
    assert [use.effect.value for use in retracted.origins["a"].uses] == ["added", "retracted"]


def test_a_delete_that_removes_the_row_starts_anew() -> None:
    options = {
        "merge-engine": "aggregation",
        "fields.a.aggregate-function": "sum",
        "aggregation.remove-record-on-delete": "true",
    }
    found = explained(options, (5, 1, 0), (7, 1, 3), (2, 4, 0))
    assert [(use.row, use.effect.value) for use in found.origins["a"].uses] == [(1, "replaced"), (2, "added")]


def test_many_rows_of_a_key_are_all_recorded() -> None:
    options = {"merge-engine": "aggregation", "fields.a.aggregate-function": "sum"}
    rows = [(number, number if number % 3 else None, 0) for number in range(40)]
    found = explained(options, *rows)
    assert [use.row for use in found.origins["a"].uses] == list(range(40))
    assert found.origins["b"].row == 38


def test_a_lone_row_is_the_origin_of_everything() -> None:
    assert rows_of(explained({"merge-engine": "partial-update"}, (1, None, 0))) == (0, 0)


def test_only_one_key_has_a_provenance() -> None:
    function = merge_function_for(schema_of({}), ["k", "a", "b"])
    with pytest.raises(ValueError, match="a single key"):
        provenance(function, input_of([(1, 1, 0), (2, 2, 0)], keys=2), ["a"])
