"""Statistics of files with an older schema, applied to the columns of a newer one, never lose a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.column_stats import collect_value_stats
from tests.support.table_values import DOMAINS, column
from workbench.datafile.casts.values import CastError
from workbench.datafile.readers.schema_evolution import evolved
from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Column, Comparison, Expr, In, IsNull, Literal, Not, conjunction, disjunction
from workbench.expr.kinds import to_internal
from workbench.expr.pruning import may_match
from workbench.expr.widening import keeps_keys, keeps_values
from workbench.format.spec.data_file import EMPTY_ROW, EMPTY_STATS, DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.stats import parse_stats_mode
from workbench.format.types import DataField, to_arrow
from workbench.format.types.type_parser import parse_type
from workbench.metadata.file_stats import FileStats
from workbench.metadata.runtime import TableRuntime
from workbench.metadata.store import TableStore
from workbench.storage.open import file_io_for

# Written type and read type, and whether the conversion preserves all values.
CHANGES = {
    ("INT", "INT"): True,
    ("INT", "BIGINT"): True,
    ("BIGINT", "INT"): False,
    ("SMALLINT", "DECIMAL(12, 2)"): True,
    ("INT", "DECIMAL(10, 2)"): False,
    ("INT", "STRING"): False,
    ("FLOAT", "DOUBLE"): True,
    ("DOUBLE", "FLOAT"): False,
    ("VARCHAR(20)", "STRING"): True,
    ("VARCHAR(20)", "VARCHAR(1)"): False,
    ("BYTES", "BYTES"): True,
    ("DATE", "TIMESTAMP(6)"): True,
    ("TIMESTAMP(3)", "TIMESTAMP(6)"): True,
    ("TIMESTAMP(6)", "TIMESTAMP(3)"): False,
    ("DECIMAL(10, 2)", "DECIMAL(30, 5)"): True,
    ("DECIMAL(30, 5)", "DECIMAL(10, 2)"): False,
}
MODES = ("full", "truncate(1)", "truncate(16)", "counts", "none")
SIGNS = ("=", "<>", "<", "<=", ">", ">=", "<=>")
FEW = {"DATE": [-1, 0, 1, 20_000]}


@pytest.mark.parametrize(("change", "kept"), CHANGES.items())
def test_changes_that_keep_the_values(change: tuple[str, str], kept: bool) -> None:
    written, read = map(parse_type, change)
    assert keeps_values(written, read) == kept
    assert not keeps_keys(written, read) or kept


@dataclass(frozen=True)
class OldFile:
    """A file of two columns of an older schema, with its statistics in the manifest, and its rows as they are read."""

    meta: DataFileMeta
    rows: pa.Table


def values_of(text: str) -> st.SearchStrategy[Any]:
    return st.none() | st.sampled_from(FEW.get(text, DOMAINS[text]))


@st.composite
def old_files(draw: st.DrawFn) -> tuple[tuple[str, str], list[OldFile], Expr]:
    change = draw(st.sampled_from(sorted(CHANGES)))
    written, read = map(parse_type, change)
    values = draw(st.lists(st.lists(values_of(change[0]), min_size=1, max_size=4), min_size=1, max_size=3))
    files = []
    for position, some in enumerate(values):
        stored = pa.chunked_array([column(some, change[0])])
        try:
            shown = evolved(stored, written, read)
        except CastError:
            shown = None
        if shown is not None:
            files.append(OldFile(_meta(draw, f"f{position}", stored, change[0]), _shown(shown)))
    return change, files, draw(predicates(change[1], files))


def _meta(draw: st.DrawFn, name: str, stored: pa.ChunkedArray, text: str) -> DataFileMeta:
    """Draw metadata with statistics of all columns of the schema, of those of the file, of some of them, or none."""
    fields = {each.name: each for each in written_fields(text)}
    shape = draw(st.sampled_from(["schema", "write cols", "dense", "none", "unknown column"]))
    data = {"a": stored, "gone": pa.nulls(len(stored), pa.int32()), "_ROW_ID": pa.array(range(len(stored)), pa.int64())}
    names = ["a", "gone"] if shape in ("schema", "none") else draw(st.permutations(["a", "gone", "_ROW_ID"]))
    table = pa.table({each: data[each] for each in names})
    known = [fields.get(each) or DataField(99, each, parse_type("BIGINT")) for each in names]
    mode = parse_stats_mode(draw(st.sampled_from(MODES)))
    stats, columns = collect_value_stats(table, known, lambda _: mode, dense=shape == "dense")
    if shape == "none":
        stats, columns = EMPTY_STATS, ()
    write_cols = None if shape in ("schema", "none") else tuple(names)
    if shape == "dense" and columns is None:
        columns = tuple(names)
    if shape == "unknown column" and columns is None:
        write_cols = tuple("other" if each == "gone" else each for each in names)
    return DataFileMeta(
        name, 1, len(stored), EMPTY_ROW, EMPTY_ROW, EMPTY_STATS, stats, 0, 0, 0, 0, (), None, 0,
        value_stats_cols=columns, write_cols=write_cols,
    )  # fmt: skip


def _shown(values: pa.ChunkedArray) -> pa.Table:
    return pa.table({"b": values, "a": pa.nulls(len(values), pa.int32())})


def written_fields(text: str) -> tuple[DataField, ...]:
    return DataField(0, "a", parse_type(text)), DataField(1, "gone", parse_type("INT"))


def read_fields(text: str) -> tuple[DataField, ...]:
    """Return the columns of the newer schema: the column is renamed, the other one is dropped, and one is added with
    the old name of the first."""
    return DataField(0, "b", parse_type(text)), DataField(2, "a", parse_type("INT"))


def predicates(text: str, files: Sequence[OldFile]) -> st.SearchStrategy[Expr]:
    kind = parse_type(text)
    there = [value for file in files for value in file.rows.column("b") if value.is_valid]
    literals = [Literal(to_internal(value), kind) for value in there] or [Literal(None, kind)]
    this, fresh, one = Column("b", kind), Column("a", parse_type("INT")), Literal(1, parse_type("INT"))
    value = st.sampled_from(literals)
    leaves = st.one_of(
        st.builds(Comparison, st.sampled_from(SIGNS), st.just(this), value),
        st.builds(lambda some: In(this, tuple(some)), st.lists(value, min_size=1, max_size=3)),
        st.just(IsNull(this)),
        st.just(IsNull(fresh)),
        st.just(Comparison("<>", fresh, one)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.lists(inner, min_size=2, max_size=3).map(conjunction),
            st.lists(inner, min_size=2, max_size=3).map(disjunction),
        ),
        max_leaves=4,
    )


def store_of(directory: str, written: str, read: str) -> TableStore:
    file_io = file_io_for(directory)
    older = TableSchema(0, written_fields(written), 2, options={})
    newer = replace(older, id=1, fields=read_fields(read))
    store = TableStore("db.t", directory, newer, TableRuntime(file_io))
    store.schemas.publish(older)
    return store


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(old_files())
def test_no_row_is_lost(stores: Mapping[tuple[str, str], TableStore], case: Any) -> None:
    change, files, predicate = case
    if not files:
        return
    store = stores[change]
    stats = FileStats(store, store.schema).of_values([file.meta for file in files])
    for file, kept in zip(files, may_match(predicate, stats).tolist(), strict=True):
        assert kept or not any(filter_mask(predicate, file.rows).to_pylist()), str(predicate)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], TableStore]:
    return {change: store_of(str(tmp_path_factory.mktemp("table")), *change) for change in CHANGES}


def test_a_column_that_files_do_not_have_is_null(stores: Mapping[tuple[str, str], TableStore]) -> None:
    store = stores["INT", "BIGINT"]
    rows = pa.chunked_array([column([1, 2], "INT")])
    stats, columns = collect_value_stats(
        pa.table({"a": rows, "gone": rows}), written_fields("INT"), lambda _: parse_stats_mode("full"), dense=True
    )
    meta = DataFileMeta("f", 1, 2, EMPTY_ROW, EMPTY_ROW, EMPTY_STATS, stats, 0, 0, 0, 0, value_stats_cols=columns)
    values = FileStats(store, store.schema).of_values([meta])
    fresh = Comparison("=", Column("a", parse_type("INT")), Literal(1, parse_type("INT")))
    renamed = Comparison(">", Column("b", parse_type("BIGINT")), Literal(2, parse_type("BIGINT")))
    assert may_match(fresh, values).tolist() == [False]
    assert may_match(renamed, values).tolist() == [False]
    assert values.columns["b"].minimum.type == to_arrow(parse_type("BIGINT"))


def test_bounds_of_padded_texts(stores: Mapping[tuple[str, str], TableStore], tmp_path: Any) -> None:
    """ORC's statistics of CHAR columns are those of strings padded with blanks, which reads remove."""
    store = store_of(str(tmp_path), "CHAR(3)", "STRING")
    rows = pa.table({"a": ["a  ", "b  "], "gone": pa.nulls(2, pa.int32())})
    stats, columns = collect_value_stats(rows, written_fields("CHAR(3)"), lambda _: parse_stats_mode("full"), True)
    meta = DataFileMeta("f", 1, 2, EMPTY_ROW, EMPTY_ROW, EMPTY_STATS, stats, 0, 0, 0, 0, value_stats_cols=columns)
    values = FileStats(store, store.schema).of_values([meta])
    kind = parse_type("STRING")
    requested = {text: Comparison("=", Column("b", kind), Literal(text, kind)) for text in ("a", "b", "A", "c")}
    assert {text: may_match(each, values).tolist() for text, each in requested.items()} == {
        "a": [True],
        "b": [True],
        "A": [False],
        "c": [False],
    }
    assert stores
