"""Every number of an explanation equals one counted from the files without the package."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.golden.stored import MAKERS, archive
from tests.support.counted_files import Stored, chunk_bytes, stored_files
from tests.support.sampling import sampled
from workbench.base.errors import WorkbenchError
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.explain.collect import collect_explain, funnel_of
from workbench.lens.explain.value import ExplainValue
from workbench.table.table import Table


@pytest.fixture(scope="module", params=MAKERS)
def golden(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    with tarfile.open(archive(request.param)) as packed:
        packed.extractall(folder, filter="data")
    return folder


def check(table: Any, where: str | None) -> ExplainValue:
    """Compare an explanation with the files, and its rows with those of a full read."""
    value = collect_explain(table, where, footers=None)
    snapshot = table.version
    files = {} if snapshot is None else stored_files(table.location, snapshot.id)
    scan = table.scan(where=where)
    funnel = funnel_of(scan, None)
    excluded = {each.file.file_name: each.fact.rule for each in funnel.excluded}
    kept = {file.file_name for file in funnel.kept}
    assert excluded.keys() | kept == files.keys()
    assert not excluded.keys() & kept
    left = set(files)
    for step in value.steps:
        gone = {name for name, rule in excluded.items() if rule == step.name}
        if step.name in ("row group", "column", "deletion vector", "returned"):
            break
        left -= gone
        _equals(step, [files[name] for name in left], [files[name] for name in gone])
        assert sum(fact.files for fact in step.facts) in (0, len(gone))
        assert {each.name for each in step.listed} <= gone
    assert sum(split.files for split in value.splits.splits) == len(kept)
    assert sum(split.size for split in value.splits.splits) == sum(files[name].size for name in kept)
    _check_inside(value, [files[name] for name in kept])
    return value


def _equals(step: Any, left: list[Stored], gone: list[Stored]) -> None:
    assert (step.files, step.size, step.rows) == _amount(left)
    assert (step.excluded_files, step.excluded_size, step.excluded_rows) == _amount(gone)
    assert step.certainty == "exact"


def _amount(files: list[Stored]) -> tuple[int, int, int]:
    return len(files), sum(file.size for file in files), sum(file.rows for file in files)


def _check_inside(value: ExplainValue, kept: list[Stored]) -> None:
    """Check the sizes of columns, without the row groups that are skipped."""
    parquet = [file for file in kept if file.path.suffix == ".parquet"]
    use = value.column_use
    assert (use.described, use.files) == (len(parquet), len(kept))
    skipped = next((step.excluded_size for step in value.steps if step.name == "row group"), 0)
    stored = sum(sum(chunk_bytes(file.path).values()) for file in parquet)
    assert use.all_size == stored - skipped
    column = next((step for step in value.steps if step.name == "column"), None)
    if column is not None:
        assert column.excluded_size == use.all_size - use.read_size


def _no_row_lost(table: Any, where: str) -> int:
    """Check that the explained read returns as many rows as match the condition; return their number."""
    from workbench.expr.evaluate import filter_mask
    from workbench.expr.parse import parse
    from workbench.expr.resolve import resolve_predicate

    everything = table.to_arrow()
    wanted = everything.filter(filter_mask(resolve_predicate(parse(where), table.schema.fields), everything))
    value = collect_explain(table, where, run=True)
    assert value.run is not None
    assert value.run.rows == wanted.num_rows
    assert value.steps[-1].rows in (wanted.num_rows, None if value.splits.total else 0)
    return wanted.num_rows


def _conditions(table: Any) -> Iterator[str]:
    """Yield conditions on each simple column, with values that occur."""
    rows = table.to_arrow()
    for name in table.schema.field_names:
        column = rows.column(name)
        if pa.types.is_integer(column.type) or pa.types.is_string(column.type) or pa.types.is_date(column.type):
            values = sorted(set(column.drop_null().to_pylist()))
            yield f"`{name}` IS NULL"
            if values:
                middle = values[len(values) // 2]
                text = f"DATE '{middle}'" if pa.types.is_date(column.type) else repr(middle)
                if "\\" in text or '"' in text:
                    continue
                yield f"`{name}` = {text}"
                yield f"`{name}` > {text}"


def test_some_tables_of_java(golden: Path) -> None:
    check_tables(golden, every=3)


@pytest.mark.long
def test_tables_of_java(golden: Path) -> None:
    check_tables(golden, every=1)


def check_tables(golden: Path, every: int) -> None:
    checked = 0
    for folder in sorted(golden.iterdir())[::every]:
        if not folder.is_dir():
            continue
        try:
            table = connect(folder).get_table("db.t")
            conditions = list(_conditions(table))
            check(table, None)
        except WorkbenchError:
            # What the package refuses to read is covered by the tests of golden tables.
            continue
        for where in conditions[1::4][:3]:
            check(table, where)
            _no_row_lost(table, where)
            checked += 1
    assert checked > 40 // every


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    opened = connect(tmp_path / "warehouse")
    opened.create_database("d")
    return opened


def rows_of(start: int, count: int, day: str = "2026-11-01") -> pa.Table:
    ids = list(range(start, start + count))
    return pa.table(
        {
            "dt": pa.array([day] * count),
            "id": pa.array(ids, pa.int64()),
            "name": pa.array([f"n{each % 50}" for each in ids]),
            "v": pa.array([each / 2 for each in ids], pa.float64()),
        }
    )


COLUMNS = {"dt": "STRING", "id": "BIGINT", "name": "STRING", "v": "DOUBLE"}


@pytest.mark.parametrize("file_format", sampled(["parquet", "orc", "avro"], 2))
@pytest.mark.parametrize("keyed", [True, False], ids=["keyed", "append"])
def test_own_tables(catalog: FileSystemCatalog, file_format: str, keyed: bool) -> None:
    options = {"file.format": file_format, "file-index.bloom-filter.columns": "name"}
    if keyed:
        options["bucket"] = "3"
    table = catalog.create_table("d.t", COLUMNS, ["dt", "id"] if keyed else [], ["dt"], options)
    for day in ("2026-11-01", "2026-11-02", "2026-11-03"):
        for start in (0, 100, 50):
            table.write(rows_of(start, 100, day))
    table.delete("id BETWEEN 10 AND 20 AND dt = '2026-11-01'")
    for where in (
        "dt = '2026-11-02'",
        "dt > '2026-11-01' AND id = 50",
        "id > 180",
        "name = 'n7' AND v < 20",
        "name = 'unknown'",
        "dt IN ('2026-11-01', '2027-01-01') AND id IN (3, 4, 5) OR id = 70",
    ):
        check(table, where)
        _no_row_lost(table, where)
    if keyed:
        table.compact(full=True)
        check(table, "id = 50")
        _no_row_lost(table, "id = 50")


def test_row_groups_and_deletion_vectors(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.datafile.data_file_writer._ROW_GROUP_ROWS", 2000)
    options = {"bucket": "-1", "deletion-vectors.enabled": "true"}
    table = catalog.create_table("d.t", COLUMNS, options=options)
    table.write(rows_of(0, 20_000))
    table.delete("id < 7")
    value = check(table, "id < 100")
    steps = {step.name: step for step in value.steps}
    assert value.row_groups > value.chosen_groups >= 1
    assert steps["deletion vector"].excluded_rows == 7
    stored = next(iter(stored_files(table.location, table.snapshot().id).values()))
    skipped = list(range(value.chosen_groups, value.row_groups))
    assert steps["row group"].excluded_size == sum(chunk_bytes(stored.path, skipped).values())
    assert check(table, "id > 19990").steps[-2].excluded_rows == 0
    _no_row_lost(table, "id < 100")


def test_read_columns(catalog: FileSystemCatalog) -> None:
    table: Table = catalog.create_table("d.t", COLUMNS)
    table.write(rows_of(0, 500))
    value = collect_explain(table, "v > 3", ["id"])
    stored = next(iter(stored_files(table.location, 1).values()))
    sizes = chunk_bytes(stored.path)
    assert {each.name: (each.read, each.reason, each.size) for each in value.column_use.columns} == {
        "id": (True, "selected", sizes["id"]),
        "v": (True, "condition", sizes["v"]),
        "dt": (False, "", sizes["dt"]),
        "name": (False, "", sizes["name"]),
    }
    assert value.steps[-2].excluded_size == sizes["dt"] + sizes["name"]
