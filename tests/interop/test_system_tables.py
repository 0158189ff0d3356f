"""System tables, compared with those of Java for the same table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.cases import CASES, Case
from tests.interop.known_failures import partition_types
from tests.interop.lives import TABLE, create_ours, our_table, our_write
from tests.interop.referees import Engine, JavaPaimon
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from tests.interop.tiers import tiered
from tests.support.sampling import sampled
from workbench.base.session import session_options
from workbench.table.system.registry import METADATA_KINDS

# Java has the system table file_indexes only since 2.1.
KNOWN_TO_JAVA = [name for name in METADATA_KINDS if name != "file_indexes"]

pytestmark = pytest.mark.java

# Java prints the address of an array where a value is bytes.
ADDRESS = re.compile(r"\[B@[0-9a-f]+|0x[0-9a-f]*")
JSON = ("fields", "options", "colstat")
LISTS = ("function", "function_options")


@pytest.fixture(autouse=True)
def _the_zone_of_the_referees() -> Iterator[None]:
    before = session_options.timezone
    session_options.timezone = "UTC"
    yield
    session_options.timezone = before


@pytest.fixture
def java(referee: Callable[[str], Engine]) -> JavaPaimon:
    result = referee("java-2.0.0")
    assert isinstance(result, JavaPaimon)
    return result


def comparable(rows: Rows) -> Rows:
    """Rows without the values that differ between runs of Java: orders inside texts, addresses, schemes of paths."""

    def value(name: str, text: Any) -> Any:
        if not isinstance(text, str):
            return text
        if name in JSON:
            return json.dumps(json.loads(text), sort_keys=True)
        if name in LISTS:
            return "".join(sorted(text))
        if name == "create_time":
            return text[:-6]  # Java returns nanoseconds in a column of milliseconds
        return ADDRESS.sub("bytes", text.removeprefix("file:"))

    return Rows(
        rows.columns,
        tuple(tuple(value(*each) for each in zip(rows.columns, row, strict=True)) for row in rows.rows),
    )


@contextmanager
def collected() -> Iterator[Callable[[str], Any]]:
    """Collect differences, and show all of them at the end, not only the first."""
    wrong: list[str] = []

    @contextmanager
    def looking_at(what: str) -> Iterator[None]:
        try:
            yield
        except Exception as difference:  # noqa: BLE001 - shown below
            wrong.append(f"{what}: {type(difference).__name__} {difference}")

    yield looking_at
    assert not wrong, "\n".join(wrong)


def assert_alike(java: JavaPaimon, warehouse: Path, name: str, options: dict[str, str] | None = None) -> None:
    """Assert that a system table has the same columns and rows as in Java; ``options`` are Java's for a version."""
    catalog = wb.connect(str(warehouse))
    table: Any = catalog.open(name)
    if options:
        table = table.at(**_version(options))
    expected = [(column, text.replace("`", "")) for column, text in java.columns(warehouse, name)]
    assert [(field.name, str(field.type)) for field in table.schema.fields] == expected
    rows = table.to_arrow()
    rows.validate(full=True)
    assert_same_rows(comparable(from_arrow(rows)), comparable(java.read(warehouse, name, options=options)))


def _version(options: dict[str, str]) -> dict[str, Any]:
    ((key, value),) = options.items()
    return {"tag": value} if key == "scan.tag-name" else {"snapshot": int(value)}


@pytest.mark.parametrize("maker", ["ours", "java"])
@pytest.mark.parametrize("case", tiered(CASES))
def test_every_system_table(
    maker: str,
    case: Case,
    java: JavaPaimon,
    our_life: Callable[[Case], Any],
    their_life: Callable[[str, Case], Any],
) -> None:
    life = our_life(case) if maker == "ours" else their_life("java-2.0.0", case)
    with collected() as looking_at:
        for name in KNOWN_TO_JAVA:
            if name == "partitions" and any(text.startswith("TIMESTAMP") for text in partition_types(case)):
                continue  # Java cannot read the names that it gives to partitions of timestamps
            with looking_at(name):
                assert_alike(java, life.warehouse, f"{TABLE}${name}")


PLACES = Case(
    "places",
    {"dt": "DATE NOT NULL", "id": "BIGINT NOT NULL", "qty": "INT", "note": "STRING"},
    (),
    ("dt", "id"),
    ("dt",),
    {"bucket": "2", "fields.qty.aggregate-function": "sum", "fields.qty.ignore-retract": "true"},
)


def visits(days: list[int], first: int) -> pa.Table:
    """A row for each day of the epoch, with ids from ``first`` on."""
    count = len(days)
    return pa.table(
        {
            "dt": pa.array(days, pa.int32()).cast(pa.date32()),
            "id": pa.array(range(first, first + count), pa.int64()),
            "qty": pa.array([None if number % 3 == 0 else number for number in range(count)], pa.int32()),
            "note": [f"a note of more than sixteen characters {number}" for number in range(count)],
        }
    )


def alter_file(path: Path, **members: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


@pytest.fixture
def lived(tmp_path: Path, java: JavaPaimon) -> Path:
    """A warehouse with a table of several schemas, tags, branches, consumers, watermarks and statistics."""
    table = create_ours(PLACES, tmp_path)
    our_write(table, visits([20_000, 20_000, 20_001, 20_001], 0))
    java.write(tmp_path, TABLE, visits([20_000, 20_001], 2))
    java.ask("tag", tmp_path, TABLE, tag="plain", snapshot=1)
    java.ask("tag", tmp_path, TABLE, tag="2", snapshot=1)
    java.ask("tag", tmp_path, TABLE, tag="kept", snapshot=2, retained="PT36H1M1.5S")
    java.ask("branch", tmp_path, TABLE, branch="dev", tag="kept")
    java.ask("branch", tmp_path, TABLE, branch="empty")
    java.alter(
        tmp_path,
        TABLE,
        ["rename", "note", "words"],
        ["add", "price", "DECIMAL(10, 2)"],
        ["type", "qty", "BIGINT"],
        ["set", "fields.qty.list-agg-delimiter", ";"],
    )
    wider = visits([20_000, 20_002, 20_002], 10).rename_columns(["dt", "id", "qty", "words"])
    wider = wider.set_column(2, "qty", wider["qty"].cast(pa.int64()))
    prices = pa.array([None, Decimal("1.5"), Decimal(2)], pa.decimal128(10, 2))
    our_write(our_table(tmp_path), wider.append_column("price", prices))
    location = tmp_path / "db.db" / "t"
    (location / "consumer").mkdir()
    for name, number in (("job", 2), ("other job", 3)):
        (location / "consumer" / f"consumer-{name}").write_text(json.dumps({"nextSnapshot": number}))
    (location / "statistics").mkdir(exist_ok=True)
    statistics = {"qty": {"colId": 2, "distinctCount": 3, "min": "1", "max": "9", "nullCount": 1}}
    numbers = {"snapshotId": 2, "schemaId": 1, "mergedRecordCount": 7, "mergedRecordSize": 900}
    (location / "statistics" / "stat-1").write_text(json.dumps({**numbers, "colStats": statistics}))
    newest = int((location / "snapshot" / "LATEST").read_text())
    alter_file(location / "snapshot" / f"snapshot-{newest}", statistics="stat-1", watermark=2000)
    alter_file(location / "snapshot" / "snapshot-2", watermark=1000)
    return tmp_path


def test_tags_branches_consumers_schemas_and_statistics(lived: Path, java: JavaPaimon) -> None:
    with collected() as looking_at:
        for name in KNOWN_TO_JAVA:
            with looking_at(name):
                assert_alike(java, lived, f"{TABLE}${name}")
            for branch in ("dev", "empty"):
                with looking_at(f"{name} of branch {branch}"):
                    assert_alike(java, lived, f"{TABLE}$branch_{branch}${name}")
            if name == "buckets":
                continue  # Java's always shows the newest version
            for options in ({"scan.snapshot-id": "1"}, {"scan.tag-name": "kept"}):
                with looking_at(f"{name} at {options}"):
                    assert_alike(java, lived, f"{TABLE}${name}", options)


def test_tables_of_the_whole_catalog(lived: Path, java: JavaPaimon) -> None:
    java.create(lived, "other.plain", {"id": "INT"}, options={"file.compression": "lz4"})
    with collected() as looking_at:
        for name in wb.connect(str(lived)).list_tables("sys"):
            with looking_at(name):
                assert_alike(java, lived, f"sys.{name}")


def test_branches_have_separate_rows(lived: Path, java: JavaPaimon) -> None:
    branch = f"{TABLE}$branch_dev"
    catalog = wb.connect(str(lived))
    assert catalog.get_table(TABLE).branches() == ["dev", "empty"]
    assert_same_rows(from_arrow(catalog.get_table(branch).to_arrow()), java.read(lived, branch))
    assert catalog.get_table(f"{TABLE}$branch_empty").to_arrow().num_rows == 0
    java.write(lived, branch, visits([20_005, 20_006], 50))
    our_write(catalog.get_table(branch), visits([20_006, 20_007], 60))
    rows = from_arrow(catalog.get_table(TABLE).branch("dev").to_arrow())
    assert_same_rows(rows, java.read(lived, branch))
    assert len(rows) == 9
    assert_same_rows(from_arrow(catalog.get_table(TABLE).to_arrow()), java.read(lived, TABLE))
    for name in ("snapshots", "files", "partitions", "schemas"):
        assert_alike(java, lived, f"{branch}${name}")


@pytest.mark.parametrize("version", ["plain", "2", "3", "watermark-1", "watermark-1000", "watermark-1001"])
def test_a_version_by_text_is_java_s(version: str, lived: Path, java: JavaPaimon) -> None:
    rows = from_arrow(our_table(lived).at(version=version).to_arrow())
    assert_same_rows(rows, java.read(lived, TABLE, options={"scan.version": version}))


@pytest.mark.parametrize("watermark", [-5, 1, 1000, 1001, 2000])
def test_a_watermark_is_java_s(watermark: int, lived: Path, java: JavaPaimon) -> None:
    rows = from_arrow(our_table(lived).at(watermark=watermark).to_arrow())
    assert_same_rows(rows, java.read(lived, TABLE, options={"scan.watermark": str(watermark)}))


@pytest.mark.parametrize("name", ["ro", "audit_log", "binlog"])
@pytest.mark.parametrize("keyed", [False, True])
def test_tables_of_rows(name: str, keyed: bool, tmp_path: Path, java: JavaPaimon) -> None:
    case = Case("rows", dict(PLACES.columns), (), PLACES.primary_key if keyed else (), ("dt",), {"bucket": "1"})
    if not keyed:
        case = Case("rows", dict(PLACES.columns), (), (), ("dt",), {})
    table = create_ours(case, tmp_path)
    our_write(table, visits([20_000, 20_001], 0))
    our_write(table, visits([20_000, 20_001], 0))
    if keyed:
        table.compact(full=True)
    our_write(table, visits([20_001, 20_002], 1))
    assert_alike(java, tmp_path, f"{TABLE}${name}")


KINDS = {
    "vectors": ({"bucket": "1", "deletion-vectors.enabled": "true"}, True),
    "vectors-append": ({"deletion-vectors.enabled": "true"}, False),
    "postpone": ({"bucket": "-2"}, True),
    "changelog": ({"bucket": "1", "changelog-producer": "input"}, True),
    "lookup": ({"bucket": "1", "changelog-producer": "lookup", "merge-engine": "first-row"}, True),
    "aggregation": (
        {"bucket": "1", "merge-engine": "aggregation", "fields.qty.aggregate-function": "sum", "num-levels": "3"},
        True,
    ),
    "tracked": ({"row-tracking.enabled": "true", "data-evolution.enabled": "true"}, False),
    "old-names": ({"bucket": "1", "partition.legacy-name": "false", "partition.default-name": "none"}, True),
    "orc": ({"bucket": "1", "file.format": "orc"}, True),
    "external": ({"bucket": "1"}, True),
}


@pytest.mark.parametrize("kind", sampled(KINDS, 3))
def test_tables_of_every_kind(kind: str, tmp_path: Path, java: JavaPaimon) -> None:
    """Metadata can be read for any table, even if its rows cannot be read."""
    options, keyed = KINDS[kind]
    if kind == "external":
        outside = f"file://{tmp_path}/outside"
        options = {
            **options,
            "data-file.external-paths": outside,
            "data-file.external-paths.strategy": "round-robin",
        }
    java.create(tmp_path, TABLE, PLACES.json_columns, PLACES.primary_key if keyed else (), ("dt",), options)
    for first in (0, 2, 3):
        java.write(tmp_path, TABLE, visits([20_000, 20_001, 20_000, 20_002], first))
    if kind == "vectors-append":
        java.erase(tmp_path, TABLE, 0, 2)
    with collected() as looking_at:
        for name in KNOWN_TO_JAVA:
            with looking_at(name):
                assert_alike(java, tmp_path, f"{TABLE}${name}")
    if kind == "vectors-append":
        assert wb.connect(str(tmp_path)).open(f"{TABLE}$table_indexes").to_arrow().num_rows
