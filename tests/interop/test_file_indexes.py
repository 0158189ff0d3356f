"""File indexes of every kind and type, written by Java: they find exactly the matching rows, and prune files, but
never one with a matching row."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.cases import SAMPLES
from tests.interop.lives import TABLE, condition_of, our_table
from tests.interop.referees import Filter
from tests.interop.rows import assert_same_rows, from_arrow
from tests.support.sampling import sampled
from workbench.datafile.open import open_data_file
from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Column, Comparison, Expr, In, IsNull, Literal, Not
from workbench.expr.file_index import rows_that_may_match
from workbench.expr.kinds import to_internal
from workbench.expr.resolve import resolve_predicate
from workbench.format.index.file_index.container import read_file_index
from workbench.format.index.file_index.indexes import open_index
from workbench.format.index.file_index.keys import key_kind

pytestmark = pytest.mark.java

NUMBERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
TIMES = ("DATE", "TIME", "TIMESTAMP")
WITH_ZONE = "WITH LOCAL TIME ZONE"
# Index -> types for which Java creates it; range-bitmap supports no timestamps finer than microseconds.
ROOTS = {
    "bloom-filter": (*NUMBERS, *TIMES, "FLOAT", "DOUBLE", "CHAR", "VARCHAR", "STRING", "BINARY", "VARBINARY", "BYTES"),
    "bitmap": (*NUMBERS, *TIMES, "FLOAT", "DOUBLE", "CHAR", "VARCHAR", "STRING", "BOOLEAN"),
    "range-bitmap": (*NUMBERS, *TIMES, "FLOAT", "DOUBLE", "CHAR", "VARCHAR", "STRING", "BOOLEAN", "DECIMAL"),
    "bsi": (*NUMBERS, *TIMES, "DECIMAL"),
}
LEFT_OUT = {"range-bitmap": ("TIMESTAMP(9)", "DECIMAL(38, 10)"), "bsi": ("DECIMAL(38, 10)",)}
SETTINGS: dict[str, dict[str, str]] = {
    "bloom-filter": {"items": "50", "fpp": "0.01"},
    "bitmap": {"index-block-size": "256b"},
    "range-bitmap": {"chunk-size": "48b"},
    "bsi": {},
}
KINDS = [*ROOTS, "bitmap-1"]
ROWS = 300


def types_of(kind: str) -> list[str]:
    left_out = LEFT_OUT.get(kind, ())
    return [text for text in SAMPLES if text.split("(")[0].split(" ")[0] in ROOTS[kind] and text not in left_out]


def values_of(text: str, kind: str) -> list[Any]:
    values = SAMPLES[text][1]
    if kind == "bsi" and text == "BIGINT":
        values = values[1:]  # Java cannot negate the smallest number
    if "FLOAT" in text or "DOUBLE" in text:
        return [*values, 0.0, -0.0]
    return values


def columns_of(kind: str) -> dict[str, str]:
    return {"id": "BIGINT", **{f"c{position}": text for position, text in enumerate(types_of(kind))}}


def data_of(kind: str, shift: int, rows: int = ROWS) -> pa.Table:
    """Return rows whose columns each have only some of the values of their type, and nulls."""
    result: dict[str, Any] = {"id": pa.array(range(shift, shift + rows), pa.int64())}
    for position, text in enumerate(types_of(kind)):
        values = values_of(text, kind)
        chosen = values[shift % 2 :: 2] if len(values) > 2 else values
        column = [
            None if (row + position) % 7 == 3 else chosen[(row * row + position) % len(chosen)] for row in range(rows)
        ]
        result[f"c{position}"] = pa.array(column, SAMPLES[text][0])
    return pa.table(result)


def options_of(index: str, names: Sequence[str], embedded: bool) -> dict[str, str]:
    kind = index.removesuffix("-1")
    settings = {**SETTINGS[kind], **({"version": "1"} if index != kind else {})}
    each = {f"file-index.{kind}.{name}.{key}": text for name in names for key, text in settings.items()}
    return {
        f"file-index.{kind}.columns": ",".join(names),
        "file-index.in-manifest-threshold": "10 mb" if embedded else "1 b",
        "bucket": "-1",
        **each,
    }


def conditions(column: str, kind: Any, values: Sequence[Any]) -> Iterator[Expr]:
    """Yield every kind of condition on an indexed column, for values that exist and for others."""
    literals = [Literal(to_internal(pa.scalar(value, pa_type)), kind) for value, pa_type in values]
    this = Column(column, kind)
    yield IsNull(this)
    yield Not(IsNull(this))
    for literal, sign in itertools.product(literals, ("=", "<>", "<", "<=", ">", ">=", "<=>")):
        yield Comparison(sign, this, literal)
        yield Not(Comparison(sign, this, literal))
    for some in (literals[::2], literals[1::2], [*literals[:1], Literal(None, kind)]):
        yield In(this, tuple(some))
        yield Not(In(this, tuple(some)))


@pytest.mark.parametrize("case", sampled(itertools.product(KINDS, (True, False)), 5), ids=str)
def test_rows_that_indexes_find(case: tuple[str, bool], tmp_path: Path, referee: Any) -> None:
    index, embedded = case
    kind = index.removesuffix("-1")
    columns = columns_of(kind)
    names = list(columns)[1:]
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, columns, options=options_of(index, names, embedded))
    for shift in (0, 1):
        java.write(tmp_path, TABLE, data_of(kind, shift))
    table = our_table(tmp_path)
    files = [(split.path(file), file) for split in table.scan().plan() for file in split.files]
    assert len(files) == 2
    reported = our_table(tmp_path, f"{TABLE}$file_indexes").to_arrow().to_pylist()
    assert len(reported) == len(files) * len(names)
    for path, file in files:
        data = file.embedded_index if embedded else Path(f"{path}.index").read_bytes()
        bodies = read_file_index(data or b"")
        assert bodies is not None
        for row in (each for each in reported if each["file_path"] == path):
            assert row["storage_type"] == ("EMBEDDED" if embedded else "FILE")
            assert row["index_file_path"] == (None if embedded else f"{path}.index")
            assert row["index_container_size_in_bytes"] == len(data or b"")
            assert row["index_size_in_bytes"] == len(bodies[row["column_name"]][row["index_type"]] or b"")
        assert set(bodies) == set(names)
        first = open_data_file(table.store, path, file, table.schema).read(["id"]).column("id")[0].as_py()
        for field in table.schema.fields[1:]:
            rows = data_of(kind, first).select([field.name])
            keys = key_kind(field.type)
            assert keys is not None
            opened = open_index(kind, bodies[field.name][kind], keys, file.row_count)
            assert opened is not None
            values = [(value, SAMPLES[columns[field.name]][0]) for value in values_of(columns[field.name], kind)]
            answers = [(each, *_answer(each, (keys, [opened]), rows)) for each in conditions(*_named(field), values)]
            assert any(result is not None for _, result, _ in answers)
            for condition, result, true in answers:
                if result is not None and getattr(field.type, "precision", None) == 9:
                    assert set(true) <= set(result), str(condition)
                elif result is not None:
                    assert result == true, str(condition)


def _named(field: Any) -> tuple[str, Any]:
    return field.name, field.type


def _answer(condition: Expr, indexes: Any, rows: pa.Table) -> tuple[list[int] | None, list[int]]:
    """Return the positions of the rows that an index selects, and of those that match."""
    result = rows_that_may_match(condition, lambda _: indexes, rows.num_rows)
    true = [position for position, flag in enumerate(filter_mask(condition, rows).to_pylist()) if flag]
    return None if result is None else result.positions(), true


# --- files that are left out ------------------------------------------------------------------------------------------

MAP = {"type": "MAP", "key": "STRING", "value": "STRING"}
COLUMNS: dict[str, Any] = {
    "id": "BIGINT NOT NULL",
    "n": "INT",
    "s": "STRING",
    "d": "DOUBLE",
    "t": "TIMESTAMP(6)",
    "m": MAP,
}
INDEXED = {
    "bloom-filter": "n,s,d,t,m[a]",
    "bitmap": "n,s,d,t,m[a]",
    "range-bitmap": "n,s,d,t",
    "bsi": "n,t",
}
PER_FILE = 60
NO_NULLS = 3


def interleaved(file: int, first_id: int) -> pa.Table:
    """Rows whose values are within the bounds of the other files, so that bounds cannot prune."""
    steps = [7 * step + file for step in range(PER_FILE)]
    nulls = [file != NO_NULLS and step % 11 == 5 for step in range(PER_FILE)]

    def column(kind: pa.DataType, of: Any) -> pa.Array:
        return pa.array([None if null else of(step) for step, null in zip(steps, nulls, strict=True)], kind)

    return pa.table(
        {
            "id": pa.array(range(first_id, first_id + PER_FILE), pa.int64()),
            "n": column(pa.int32(), int),
            "s": column(pa.string(), lambda step: f"word {step:04}"),
            "d": column(pa.float64(), lambda step: step / 4),
            "t": column(pa.timestamp("us"), lambda step: step * 1_000_001),
            "m": column(pa.map_(pa.string(), pa.string()), lambda step: [("a", f"x{step}"), ("b", "y")]),
        }
    )


def filters(names: Sequence[str]) -> Iterator[Filter]:
    """Conditions on values of one file, of several, and of none."""
    data = pa.concat_tables([interleaved(file, 0) for file in range(4)])
    for name in names:
        values = data.column(name).combine_chunks().drop_null()
        for file in (0, 3):
            value = values[file * 55 + 3]
            yield Filter(name, "equal", pa.array([value.as_py()], values.type))
            yield Filter(name, "in", pa.array([value.as_py(), values[3].as_py()], values.type))
        for operation in ("is_null", "is_not_null"):
            yield Filter(name, operation)
        low = values[100].as_py()
        yield Filter(name, "between", pa.array([low, low], values.type))
        yield Filter(name, "greater_or_equal", pa.array([low], values.type))


def all_agree(java: Any, warehouse: Path, names: Mapping[str, str]) -> Counter[str]:
    """Each filter selects the same rows as in Java and without pruning; return the rules that pruned files. ``names``
    maps names in `COLUMNS` to current names."""
    table = our_table(warehouse)
    everything = table.to_arrow()
    rules: Counter[str] = Counter()
    for old in filters([name for name in names if name not in ("id", "m")]):
        condition = replace(old, column=names[old.column])
        where = condition_of(condition)
        scan = table.scan(where=where)
        rows = from_arrow(scan.to_arrow())
        whole = everything.filter(filter_mask(resolve_predicate(where, table.schema.fields), everything))
        assert_same_rows(rows, from_arrow(whole))
        assert_same_rows(rows, java.read(warehouse, TABLE, filters=[condition]))
        rules.update(scan.explain().files_pruned)
        assert table.scan([], where=where).count() == len(rows)
    return rules


@pytest.mark.parametrize("case", sampled(itertools.product(INDEXED, (True, False)), 9), ids=str)
def test_files_left_out(case: tuple[str, bool], tmp_path: Path, referee: Any) -> None:
    """Indexes prune files, also those of an older schema: renamed and widened columns keep their index, but a column
    that was dropped and added again with another type has none."""
    kind, embedded = case
    java = referee("java-2.0.0")
    # Columns that will be renamed have no index settings, because Java does not rename settings.
    names = ["n", "t"] if kind == "bloom-filter" else INDEXED[kind].split(",")
    options = options_of(kind, ["t"], embedded) | {f"file-index.{kind}.columns": ",".join(names)}
    java.create(tmp_path, TABLE, COLUMNS, options=options)
    for file in (0, 1):
        java.write(tmp_path, TABLE, interleaved(file, file * PER_FILE))
    rules = all_agree(java, tmp_path, {name: name for name in COLUMNS})
    assert rules["file index"] > 5, rules
    java.alter(tmp_path, TABLE, *[("set", f"file-index.{kind}.columns", "t")])
    java.alter(tmp_path, TABLE, ("rename", "n", "number"), ("drop", "d"), ("rename", "s", "d"), ("add", "x", "INT"))
    java.alter(tmp_path, TABLE, ("type", "number", "BIGINT"))
    java.alter(tmp_path, TABLE, ("add", "s", "INT"))
    for file in (2, NO_NULLS):
        rows = interleaved(file, file * PER_FILE)
        columns = {
            "id": rows["id"],
            "number": rows["n"].cast(pa.int64()),
            "d": rows["s"],
            "t": rows["t"],
            "m": rows["m"],
            "x": rows["n"],
            "s": rows["n"],
        }
        java.write(tmp_path, TABLE, pa.table(columns))
    later = all_agree(java, tmp_path, {"id": "id", "n": "number", "s": "d", "t": "t"})
    assert later["file index"] > 5, later
    table = our_table(tmp_path)
    assert table.scan(where="s = 8").count() == 0
    assert table.scan(where="s IS NULL").count() == 2 * PER_FILE + 5


@pytest.mark.parametrize("case", sampled(itertools.product(INDEXED, (True, False)), 5), ids=str)
def test_files_of_a_primary_key(case: tuple[str, bool], tmp_path: Path, referee: Any) -> None:
    """If runs overlap, a section is pruned completely or not at all: an older row never reappears."""
    kind, vectors = case
    java = referee("java-2.0.0")
    options = options_of(kind, INDEXED[kind].split(","), embedded=True)
    options |= {"bucket": "1", "num-sorted-run.compaction-trigger": "9", "num-levels": "6"}
    options["deletion-vectors.enabled"] = str(vectors).lower()
    java.create(tmp_path, TABLE, COLUMNS, primary_key=["id"], options=options)
    # With vectors the fifth write would make Java compact everything into one file.
    for number, file in enumerate((0, 1, 2, 3) if vectors else (0, 1, 2, 3, 1)):
        java.write(tmp_path, TABLE, interleaved(file, (0, 30, 500, 30, 1000)[number]))
        if number == 2:
            java.compact(tmp_path, TABLE)
    rules = all_agree(java, tmp_path, {name: name for name in COLUMNS})
    assert rules["file index"] > 0, rules


def test_indexes_that_are_garbled(tmp_path: Path, referee: Any) -> None:
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, COLUMNS, options=options_of("bitmap", ["n"], False))
    java.write(tmp_path, TABLE, interleaved(0, 0))
    table = our_table(tmp_path)
    (path,) = (f"{path}.index" for split in table.scan().plan() for path in split.paths)
    whole = Path(path).read_bytes()
    for size in range(0, len(whole), 1 + len(whole) // 12):
        Path(path).write_bytes(whole[:size])
        with pytest.raises(wb.CorruptFile) as caught:
            our_table(tmp_path).to_arrow(where="n = 8")
        assert caught.value.path == path
    Path(path).unlink()
    with pytest.raises(wb.CorruptFile, match="missing"):
        our_table(tmp_path).to_arrow(where="n = 8")
    assert our_table(tmp_path).to_arrow().num_rows == PER_FILE
