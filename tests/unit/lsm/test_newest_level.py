"""If compaction merges with the levels below, the newest level above 0 decides, even against sequence fields."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from workbench.lsm.deduplicate import DeduplicateMergeFunction
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_engine import merge_function_for
from workbench.lsm.merge_function import RowKind
from workbench.metadata.definition.new_schema import new_table_schema

LOOKUP = {"force-lookup": "true"}


class Levelled:
    """Rows of which only the levels count."""

    def column(self, name: str) -> pa.ChunkedArray:
        raise AssertionError(f"{name} need not be read")

    def levels(self) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
        return np.array([4, 5, 5, 0, 0, 4, 3, 5], np.int8)


def test_level_0_and_the_newest_level_are_merged() -> None:
    """Sequence fields order the rows of a key, but decide only between level 0 and the newest level."""
    groups = KeyGroups(np.arange(8), np.array([0, 2, 4, 6]))
    merged = DeduplicateMergeFunction(merged_below=True).merge(groups, None, Levelled())
    assert merged.rows.tolist() == [0, 3, 5, 6]
    assert DeduplicateMergeFunction().merge(groups, None, Levelled()).rows.tolist() == [1, 3, 5, 7]


def test_deletes_are_ignored_on_the_newest_level() -> None:
    groups = KeyGroups(np.arange(8), np.array([0, 3]))
    kinds = np.array([RowKind.INSERT, RowKind.INSERT, RowKind.DELETE, *[RowKind.DELETE] * 2, *[RowKind.INSERT] * 3])
    merged = DeduplicateMergeFunction(ignores_deletes=True, merged_below=True).merge(
        groups, kinds.astype(np.int8), Levelled()
    )
    assert merged.rows.tolist() == [0, 6]


@pytest.mark.parametrize(
    ("options", "below"),
    [({}, False), (LOOKUP, False), ({"sequence.field": "v"}, False), ({"sequence.field": "v", **LOOKUP}, True)],
)
def test_tables_with_both_have_it(options: dict[str, str], below: bool) -> None:
    columns = {"id": "INT NOT NULL", "v": "INT"}
    schema = new_table_schema(columns, primary_key=["id"], options={"bucket": "1", **options}, time_millis=0)
    assert merge_function_for(schema, ["v"]) == DeduplicateMergeFunction(merged_below=below)
