"""Tables of every merge engine and aggregate function, written by Java and read as Java itself reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from datasketches import compact_theta_sketch
from engine_cases import CASES, CHANGED_IN_2, THETA, WIDE_BITMAP, EngineCase
from lives import TABLE, our_table
from referees import RefereeError
from rows import Rows, assert_same_rows, from_arrow
from tiers import JAVA, sampled

import workbench as wb
from workbench.format.roaring64 import decode_bitmap64
from workbench.table import sections


def comparable(rows: Rows, case: EngineCase) -> Rows:
    """Maps, and the lists that Java takes out of hash tables, in one order; bytes of sets as what they hold."""
    maps = [name for name, kind in case.columns.items() if kind.arrow.id == pa.map_(pa.int8(), pa.int8()).id]
    places = {rows.columns.index(name) for name in (*maps, *case.unordered) if name in rows.columns}

    def plain(place: int, value: Any) -> Any:
        if value is not None and case.columns.get(rows.columns[place]) is WIDE_BITMAP:
            # Java's bytes tell in which order the containers came.
            return repr(sorted((key, low.tolist()) for key, low in decode_bitmap64(bytes.fromhex(value)).items()))
        if value is not None and case.columns.get(rows.columns[place]) is THETA:
            # Java sets flags that say nothing of the set.
            sketch = compact_theta_sketch.deserialize(bytes.fromhex(value))
            return repr((sketch.theta64, sorted(sketch)))
        return tuple(sorted(value, key=repr)) if place in places and value is not None else value

    return Rows(rows.columns, tuple(tuple(plain(*each) for each in enumerate(row)) for row in rows.rows))


@pytest.mark.parametrize("case", sampled(CASES, 4), ids=str)
@pytest.mark.parametrize("engine", JAVA)
def test_we_read_merged_rows_as_java_does(
    engine: str, case: EngineCase, referee: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine == "java-1.4.2" and case.name in CHANGED_IN_2:
        pytest.skip(CHANGED_IN_2[case.name])
    monkeypatch.setattr(sections, "_LEAST_BATCH_ROWS", 1)
    java = referee(engine)
    options = {"bucket": "1", "write-only": "true", **case.options}
    partitions = ["part"] if case.partitioned else []
    java.create(tmp_path, TABLE, case.json_columns, case.primary_key, partitions, options)
    seen = 0
    refusals = []
    for number in range(case.commits):
        try:
            java.write(tmp_path, TABLE, *case.commit(number))
            if number in case.compacts:
                java.compact(tmp_path, TABLE)
        except RefereeError as error:
            # Java merges when it compacts too, and refuses then what it refuses when it reads.
            refusals.append(str(error))
        rows = compared(java, tmp_path, case, monkeypatch)
        seen += rows or 0
        if rows is None:
            refusals.append("read")
    assert bool(refusals) == case.refused, refusals
    assert seen


def compared(java: Any, warehouse: Path, case: EngineCase, patch: pytest.MonkeyPatch) -> int | None:
    """Compare the latest version: whole, in slices of a row, and each column alone. How many rows it has, None where
    both refuse it."""
    table = our_table(warehouse)
    try:
        expected = comparable(java.read(warehouse, TABLE), case)
    except RefereeError:
        with pytest.raises(wb.MergeError):
            table.to_arrow()
        return None
    assert_same_rows(comparable(from_arrow(table.to_arrow()), case), expected)
    with patch.context() as small:
        small.setattr(sections, "_SLICE_ROWS", 1)
        assert_same_rows(comparable(from_arrow(table.to_batches().read_all()), case), expected)
    for place, name in enumerate(expected.columns):
        alone = comparable(from_arrow(table.to_arrow(columns=[name])), case)
        assert_same_rows(alone, Rows((name,), tuple((row[place],) for row in expected.rows)))
    return len(expected)
