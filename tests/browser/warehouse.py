"""A warehouse with everything the browser tests look at, made in seconds by the Python library."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

import workbench as wb
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot_properties import STATEMENT_PROPERTY

CATALOG = "lake"
HOSTILE = "<img src=x onerror=alert(1)>"
HOSTILE_COLUMN = "<b onclick=alert(2)>v</b>"
HOSTILE_COMMENT = "<script>alert(3)</script> & &lt;b&gt;"
HOSTILE_OPTION = "<i onmouseover=alert(4)>"
HOSTILE_KEY = "<svg onload=alert(5)>"
HOSTILE_TAG = "<img src=x onerror=alert(6)>"
HOSTILE_PARTITION = "<u>p&amp;</u>"

PARTITIONS = ("2026-11-01", "2026-11-02", "2026-11-03")
LAST_LEVEL = 5
MANY_TABLES = 1000
MANY_FILES = 1000

_ORDERS = {"dt": "STRING", "id": "BIGINT", "customer": "STRING", "amount": "DECIMAL(10, 2)", "note": "STRING"}


@dataclass(frozen=True)
class Warehouse:
    """A directory of databases, and the catalog that made them."""

    path: Path
    catalog: Any

    def table_path(self, name: str) -> Path:
        """The directory of ``database.table``."""
        database, table = name.split(".", 1)
        return self.path / f"{database}.db" / table

    def small_table(self, name: str) -> Any:
        """A new primary-key table of one bucket with three rows in one snapshot, for a test to write to."""
        table = self.catalog.create_table(
            f"live.{name}", {"id": "BIGINT", "word": "STRING"}, primary_key="id", options={"bucket": "1"}
        )
        table.write(pa.table({"id": [1, 2, 3], "word": ["one", "two", "three"]}))
        return table


def build(path: Path) -> Warehouse:
    """Make the warehouse in a new directory."""
    path.mkdir()
    catalog = wb.connect(path)
    for database in ("shop", "live", "many", "odd", "wide"):
        catalog.create_database(database)
    _orders(catalog)
    _events(catalog)
    catalog.create_table("odd.never_written", {"id": "BIGINT", "v": "INT"}, primary_key="id", options={"bucket": "2"})
    _hostile(path, catalog)
    _broken(path, catalog)
    _evolved(path, catalog)
    _thousand_files(catalog)
    _thousand_tables(path, catalog)
    return Warehouse(path, catalog)


def _orders(catalog: Any) -> None:
    """Three partitions of two buckets with runs on level 0, in the middle and on the last level, deletes and tags."""
    options = {"bucket": "2"}
    table = catalog.create_table(
        "shop.orders", _ORDERS, primary_key=["dt", "id"], partition_by="dt", options=options, comment="All orders"
    )
    with table.writer() as writer:
        messages = []
        for first in range(0, 6000, 1500):
            writer.write(_order_rows(range(first, first + 1500)))
            messages += [_on_last_level(message) for message in writer.prepare()]
    table.commit(messages)
    table.write(_order_rows(range(60)))
    _tag(table, "month-start", 2)
    for day, first in ((0, 0), (0, 500), (0, 900), (0, 100), (0, 1300), (1, 200)):
        table.write(_order_rows(range(first, first + 120), PARTITIONS[day : day + 1]))
    for day, first in ((0, 300), (1, 700), (0, 1000)):
        deleted = _order_rows(range(first, first + 40), PARTITIONS[day : day + 1])
        kinds = pa.array(["-D" if row % 4 == 0 else "+U" for row in range(40)])
        properties = {STATEMENT_PROPERTY: "DELETE FROM orders WHERE id % 4 = 0"}
        table.write(deleted.append_column("kind", kinds), row_kind="kind", properties=properties)
    newest = table.snapshot().id
    _tag(table, "audited", newest)
    _tag(table, "before-expiry", 1)
    _expire_first(table)


def _on_last_level(message: bytes) -> CommitMessage:
    """The written files after a compaction: files whose keys do not overlap, on the last level."""
    written = CommitMessage.from_bytes(message)
    return replace(written, new_files=tuple(file.upgrade(LAST_LEVEL) for file in written.new_files))


def _order_rows(ids: range, partitions: Sequence[str] = PARTITIONS) -> pa.Table:
    days = [partitions[each % len(partitions)] for each in ids]
    return pa.table(
        {
            "dt": days,
            "id": pa.array(ids, pa.int64()),
            "customer": [f"customer {each * 7919 % 1000:04d}" for each in ids],
            "amount": [Decimal(each * 104729 % 100_000) / 100 for each in ids],
            "note": [f"{each * 2654435761 % 2**32:08x}" * 4 for each in ids],
        }
    )


def _events(catalog: Any) -> None:
    table = catalog.create_table("shop.events", {"at": "TIMESTAMP(3)", "what": "STRING"}, comment="Page views")
    for size in (400, 30, 5, 120):
        at = pa.array([1_790_000_000_000 + each for each in range(size)], pa.timestamp("ms"))
        table.write(pa.table({"at": at, "what": [f"view {each % 9}" for each in range(size)]}))
    table.write(
        pa.table({"at": pa.array([0], pa.timestamp("ms")), "what": ["the only one"]}).slice(0, 1), mode="overwrite"
    )
    table.write(pa.table({"at": pa.array([1, 2], pa.timestamp("ms")), "what": ["a", "b"]}))


def _evolved(path: Path, catalog: Any) -> None:
    """Three versions of a schema, as another engine would have written them."""
    table = catalog.create_table(
        "shop.customers", {"id": "BIGINT", "name": "STRING", "age": "INT"}, primary_key="id", options={"bucket": "1"}
    )
    table.write(pa.table({"id": [1, 2], "name": ["Ann", "Bo"], "age": pa.array([30, 40], pa.int32())}))
    schemas = path / "shop.db" / "customers" / "schema"
    schema = json.loads((schemas / "schema-0").read_text())
    schema["fields"].append({"id": 3, "name": "city", "type": "STRING", "description": "The destination"})
    schema.update(id=1, highestFieldId=3, timeMillis=schema["timeMillis"] + 1000)
    (schemas / "schema-1").write_text(json.dumps(schema))
    schema["fields"][1]["name"] = "full_name"
    schema["options"]["num-sorted-run.compaction-trigger"] = "3"
    schema.update(id=2, timeMillis=schema["timeMillis"] + 1000)
    (schemas / "schema-2").write_text(json.dumps(schema))
    again = catalog.get_table("shop.customers")
    again.write(
        pa.table(
            {"id": [2, 3], "full_name": ["Bob", "Cy"], "age": pa.array([41, 50], pa.int32()), "city": ["Ulm", None]}
        )
    )


def _hostile(path: Path, catalog: Any) -> None:
    """Markup in every text of a table."""
    name = f"odd.{HOSTILE}"
    fields = {"part": "STRING", "k": "STRING", HOSTILE_COLUMN: "STRING"}
    table = catalog.create_table(
        name,
        fields,
        primary_key=["part", "k"],
        partition_by="part",
        options={"bucket": "1"},
        comment=HOSTILE_COMMENT,
    )
    schema_file = path / "odd.db" / HOSTILE / "schema" / "schema-0"
    schema = json.loads(schema_file.read_text())
    schema["options"][HOSTILE_OPTION] = HOSTILE_OPTION
    schema["fields"][2]["description"] = HOSTILE_COMMENT
    schema_file.write_text(json.dumps(schema))
    table = catalog.get_table(name)
    rows = {"part": [HOSTILE_PARTITION] * 2, "k": ["<a>", HOSTILE_KEY], HOSTILE_COLUMN: [HOSTILE, HOSTILE_COMMENT]}
    table.write(pa.table(rows), properties={STATEMENT_PROPERTY: f"INSERT INTO t VALUES ('{HOSTILE}')"})
    _tag(table, HOSTILE_TAG, 1)


def _broken(path: Path, catalog: Any) -> None:
    """A schema that is not JSON, and a version whose manifest list is truncated."""
    for name in ("broken_schema", "broken_manifest"):
        table = catalog.create_table(f"odd.{name}", {"id": "BIGINT"}, primary_key="id", options={"bucket": "1"})
        table.write(pa.table({"id": [1]}))
        table.write(pa.table({"id": [2]}))
    directory = path / "odd.db"
    (directory / "broken_schema" / "schema" / "schema-0").write_text("{ not a schema")
    snapshot = json.loads((directory / "broken_manifest" / "snapshot" / "snapshot-2").read_text())
    cut = directory / "broken_manifest" / "manifest" / snapshot["deltaManifestList"]
    cut.write_bytes(cut.read_bytes()[:40])


def _thousand_files(catalog: Any) -> None:
    """One bucket with a thousand level-0 files, in one commit."""
    options = {"bucket": "1", "write-only": "true", "file.compression": "none"}
    table = catalog.create_table("wide.thousand_files", {"id": "BIGINT"}, primary_key="id", options=options)
    messages: list[bytes] = []
    with table.writer() as writer:
        for number in range(MANY_FILES):
            first = number * 37 % MANY_FILES * 10
            writer.write(pa.table({"id": range(first, first + 15)}))
            messages += writer.prepare()
    table.commit(messages)


def _thousand_tables(path: Path, catalog: Any) -> None:
    table = catalog.create_table("many.table_0000", {"id": "BIGINT"}, primary_key="id", options={"bucket": "1"})
    table.write(pa.table({"id": [1]}))
    database = path / "many.db"
    for number in range(1, MANY_TABLES):
        shutil.copytree(database / "table_0000" / "schema", database / f"table_{number:04d}" / "schema")


def _tag(table: Any, name: str, snapshot: int) -> None:
    """A tag file is a copy of its snapshot's (format §23)."""
    directory = Path(table.location)
    (directory / "tag").mkdir(exist_ok=True)
    shutil.copy(directory / "snapshot" / f"snapshot-{snapshot}", directory / "tag" / f"tag-{name}")


def _expire_first(table: Any) -> None:
    directory = Path(table.location) / "snapshot"
    (directory / "EARLIEST").write_text("2")
    (directory / "snapshot-1").unlink()
