"""Schema changes: the schemas that Java makes of the same changes, refusals where Java refuses, and tables that both
alter and write in turns."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.altering import for_java, newest_schema, random_changes
from tests.interop.lives import TABLE, our_table
from tests.interop.referees import RefereeError
from tests.interop.rows import assert_same_rows, from_arrow
from tests.support.sampling import sampled
from workbench.format.types import parse_type, type_to_json

pytestmark = pytest.mark.java

COLUMNS = {
    "k": "INT NOT NULL",
    "p": "STRING NOT NULL",
    "a": "INT",
    "b": "STRING",
    "r": "ROW<x INT, y ROW<z STRING, w INT>>",
    "l": "ARRAY<ROW<n INT, o STRING>>",
    "m": "MAP<STRING, INT>",
    "g": "ARRAY<MAP<STRING, ARRAY<INT>>>",
}
STEPS = 60


def made(warehouse: Path, *, keyed: bool, filled: bool) -> Any:
    catalog = wb.connect(str(warehouse))
    catalog.create_database("db")
    keys = {"primary_key": ["k", "p"]} if keyed else {}
    options = {"bucket": "2"} if keyed else {"bucket": "2", "bucket-key": "b"}
    table = catalog.create_table(TABLE, COLUMNS, partition_by=["p"], options=options, **keys)
    if filled:
        table.write([{"k": 1, "p": "x", "a": 2, "b": "b", "m": [("one", 1)]}])
    return catalog


def made_by_java(java: Any, warehouse: Path) -> None:
    """Create a table in Java with options that name columns; if a column is renamed, the options follow."""
    options = {"merge-engine": "aggregation", "sequence.field": "a", "fields.b.aggregate-function": "last_value"}
    columns = {name: type_to_json(parse_type(text)) for name, text in COLUMNS.items()}
    java.create(warehouse, TABLE, columns, ["k", "p"], ["p"], {**options, "bucket": "2"})


@pytest.mark.parametrize("seed", sampled(range(12), 6))
def test_random_changes_make_the_schema_that_java_makes(
    seed: int, referee: Callable[[str], Any], tmp_path: Path
) -> None:
    java, luck = referee("java-2.0.0"), random.Random(seed)
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    if seed % 6 == 4:
        made_by_java(java, ours)
    else:
        made(ours, keyed=seed % 2 == 0, filled=seed % 3 != 0)
    catalog = wb.connect(str(ours))
    shutil.copytree(ours, theirs)
    taken = refused = 0
    for _ in range(STEPS):
        changes = random_changes(luck, catalog.get_table(TABLE).schema)
        try:
            java.alter(theirs, TABLE, *map(for_java, changes))
            theirs_refused = None
        except RefereeError as error:
            theirs_refused = str(error)
        try:
            catalog.alter_table(TABLE, *changes)
            ours_refused = None
        except wb.WorkbenchError as error:
            ours_refused = str(error)
        assert (ours_refused is None) == (theirs_refused is None), f"{changes}: {ours_refused} / {theirs_refused}"
        assert newest_schema(ours) == newest_schema(theirs), changes
        taken, refused = taken + (ours_refused is None), refused + (ours_refused is not None)
    assert taken >= 10
    assert refused >= 5
    alike_or_refused(java, theirs)


@pytest.mark.parametrize("keyed", [True, pytest.param(False, marks=pytest.mark.long)])
def test_both_alter_and_write_in_turns(keyed: bool, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    catalog = made(tmp_path, keyed=keyed, filled=True)
    opened_before = our_table(tmp_path)
    catalog.alter_table(
        TABLE,
        wb.RenameColumn("a", "number"),
        wb.UpdateColumnType("number", "BIGINT"),
        wb.UpdateColumnDefault("number", "7"),
        wb.AddColumn("r.y.new", "DATE", after="z"),
        wb.AddColumn("l.element.deep", "ROW<i INT, j ROW<h STRING>>", first=True),
        wb.UpdateColumnType("m.value", "STRING"),
        wb.DropColumn("g"),
        wb.MoveColumn("l", first=True),
    )
    alike(java, tmp_path)
    row = {"k": 2, "p": "x", "b": "text", "m": [("two", "2")], "l": [{"deep": {"i": 1, "j": {"h": "h"}}, "n": 1}]}
    row["r"] = {"x": 1, "y": {"z": "z", "new": None, "w": 3}}
    written = pa.Table.from_pylist([row], schema=our_table(tmp_path).arrow_schema)
    java.write(tmp_path, TABLE, written)
    our_table(tmp_path).write([{**row, "k": 3}])
    alike(java, tmp_path)
    assert {each["number"] for each in our_table(tmp_path).to_arrow().to_pylist()} == {2, 7}
    java.alter(tmp_path, TABLE, ("rename", ["b"], "a"), ("type", ["number"], "STRING"), ("drop", ["l"]))
    catalog.alter_table(TABLE, wb.AddColumn("b", "INT"), wb.SetOption("snapshot.num-retained.min", 3))
    our_table(tmp_path).write([{"k": 4, "p": "y", "a": "new", "number": "n", "b": 4}])
    alike(java, tmp_path)
    assert sorted(opened_before.at(snapshot=1).to_arrow(columns=["a"])["a"].to_pylist()) == [2]
    opened_before.write([{"k": 5, "p": "x", "a": 55, "b": "old writer"}])
    alike(java, tmp_path)
    assert our_table(tmp_path).to_arrow(where="k = 5").to_pylist()[0] | {"r": None, "m": None} == {
        "k": 5,
        "p": "x",
        "number": "55",
        "a": "old writer",
        "b": None,
        "r": None,
        "m": None,
    }


@pytest.mark.parametrize(
    "kind", ["INT", "DOUBLE", "DECIMAL(9, 2)", "BOOLEAN", "DATE", "TIMESTAMP(3)", "STRING", "BYTES"]
)
def test_defaults_are_written_as_java_writes_them(kind: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    texts = {"BOOLEAN": "yes", "DATE": "2024-02-29", "TIMESTAMP(3)": "2024-02-29 01:02:03.5", "STRING": "'it''s'"}
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    catalog.create_table(TABLE, {"k": "INT NOT NULL", "v": kind}, primary_key="k", options={"bucket": "1"})
    catalog.alter_table(TABLE, wb.UpdateColumnDefault("v", texts.get(kind, "12")))
    our_table(tmp_path).write([{"k": 1}])
    java.write(tmp_path, TABLE, pa.Table.from_pylist([{"k": 2}], schema=our_table(tmp_path).arrow_schema))
    alike(java, tmp_path)
    ours, theirs = our_table(tmp_path).to_arrow().sort_by("k")["v"].to_pylist()
    assert ours == theirs
    assert ours is not None


def alike_or_refused(java: Any, warehouse: Path) -> None:
    """Check that both read the same rows, or refuse values that do not fit or types without a cast."""
    try:
        theirs = java.read(warehouse, TABLE)
    except RefereeError:
        with pytest.raises(wb.WorkbenchError, match=r"is not a valid|cannot be read as"):
            our_table(warehouse).to_arrow()
    else:
        assert_same_rows(from_arrow(our_table(warehouse).to_arrow()), theirs)


def alike(java: Any, warehouse: Path) -> None:
    """Check that Java reads the same rows as our library."""
    assert_same_rows(from_arrow(our_table(warehouse).to_arrow()), java.read(warehouse, TABLE))
