from __future__ import annotations

import sys
from typing import Any

import pytest

from workbench.base.errors import CatalogError, InvalidSchema, Unsupported
from workbench.catalog.descriptions import Database
from workbench.catalog.hive.client import thrift_types
from workbench.catalog.hive.partitions import new_partition
from workbench.catalog.hive.settings import HiveSettings, read_settings
from workbench.catalog.hive.tables import (
    altered_database,
    altered_table,
    new_database,
    new_table,
    read_database,
    stored_location,
    table_location,
    wants_external,
)
from workbench.catalog.identifier import Identifier
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, parse_type

T = Identifier("shop", "orders")
SETTINGS = read_settings({"uri": "thrift://a"})
IN_PROPERTIES = read_settings({"uri": "thrift://a", "location-in-properties": "true"})
FEW = read_settings({"uri": "thrift://a", "sync-all-properties": "false"})


def schema(*columns: tuple[str, str], **more: Any) -> TableSchema:
    fields = tuple(DataField(index, name, parse_type(kind)) for index, (name, kind) in enumerate(columns))
    return TableSchema(more.pop("id", 0), fields, len(fields), **more)


def made(of: TableSchema, settings: HiveSettings = SETTINGS, external: bool = False) -> Any:
    return new_table(T, of, "/wh/shop.db/orders", external, settings, "me", 7)


def test_a_table_without_all_properties() -> None:
    options = {"hive.foo": "bar", "bucket": "2", "partition.expiration-time": "3 d"}
    table = made(schema(("k", "INT NOT NULL"), primary_keys=("k",), options=options), FEW)
    assert table.parameters == {
        "foo": "bar",
        "partition.expiration-time": "3 d",
        "table_type": "PAIMON",
        "storage_handler": "org.apache.paimon.hive.PaimonStorageHandler",
    }


def test_locations() -> None:
    assert made(schema(("k", "INT"))).sd.location == "file:/wh/shop.db/orders"
    table = made(schema(("k", "INT")), IN_PROPERTIES)
    assert (table.sd.location, table.parameters["paimon_location"]) == (None, "file:/wh/shop.db/orders")
    assert table_location(table) == "/wh/shop.db/orders"
    assert stored_location("s3://lake/wh") == "s3://lake/wh"
    assert stored_location("/a b") == "file:/a b"


def test_comments_fit_the_column_of_the_metastore() -> None:
    long = DataField(0, "k", parse_type("INT"), "a\nb" + "c" * 300)
    key = DataField(1, "dt", parse_type("STRING"), "d" * 300)
    options = {"metastore.partitioned-table": "true"}
    table = made(TableSchema(0, (long, key), 1, partition_keys=("dt",), options=options))
    comment = table.sd.cols[0].comment
    assert (len(comment), comment[:3], comment[-3:]) == (255, "a b", "...")
    assert table.partitionKeys[0].comment == "d" * 300


def test_names_that_are_the_same_in_lower_case_are_refused() -> None:
    with pytest.raises(InvalidSchema, match="'id'"):
        made(schema(("id", "INT"), ("ID", "INT")))


def test_an_altered_table_keeps_what_the_schema_does_not_decide() -> None:
    table = made(schema(("k", "INT"), options={"a": "1", "b": "2"}, comment="old"))
    table.parameters["theirs"] = "kept"
    table.privileges, table.owner = "p", "someone"
    new = schema(("k", "BIGINT"), ("v", "STRING"), options={"b": "3"}, id=1)
    changed = altered_table(table, new, {"a"}, SETTINGS)
    assert changed.parameters == {
        "b": "3",
        "theirs": "kept",
        "table_type": "PAIMON",
        "storage_handler": "org.apache.paimon.hive.PaimonStorageHandler",
    }
    assert [(each.name, each.type) for each in changed.sd.cols] == [("k", "bigint"), ("v", "string")]
    assert (changed.owner, changed.privileges, changed.sd.location) == ("someone", "p", table.sd.location)
    # The value that was read is not changed.
    assert table.parameters["a"] == "1"


def test_the_name_of_zoned_timestamps_that_a_table_uses_is_kept() -> None:
    table = made(schema(("z", "TIMESTAMP(6) WITH LOCAL TIME ZONE")))
    assert table.sd.cols[0].type == "timestamp"
    table.sd.cols[0].type = "timestamp with local time zone"
    more = schema(("z", "TIMESTAMP(6) WITH LOCAL TIME ZONE"), ("y", "TIMESTAMP(6) WITH LOCAL TIME ZONE"))
    assert {each.type for each in altered_table(table, more, (), SETTINGS).sd.cols} == {
        "timestamp with local time zone"
    }


def test_external_tables() -> None:
    assert not wants_external({}, SETTINGS)
    assert wants_external({"path": "/x"}, SETTINGS)
    assert wants_external({"external": "True"}, SETTINGS)
    assert wants_external({}, read_settings({"uri": "thrift://a", "table.type": "EXTERNAL"}))
    table = made(schema(("k", "INT")), external=True)
    assert (table.tableType, table.parameters["EXTERNAL"]) == ("EXTERNAL_TABLE", "TRUE")


def partitioned(**options: str) -> Any:
    columns = (("k", "INT"), ("hh", "INT"), ("dt", "STRING"))
    given = {"metastore.partitioned-table": "true", **options}
    return made(schema(*columns, partition_keys=("dt", "hh"), options=given))


def test_values_of_partitions_have_the_order_of_the_keys() -> None:
    # Java registers ['3', '2026-11-09'] for this.
    partition = new_partition(partitioned(), {"hh": "3", "dt": "2026-11-09"}, SETTINGS, 5)
    assert partition.values == ["2026-11-09", "3"]
    assert partition.sd.location == "file:/wh/shop.db/orders/dt=2026-11-09/hh=3"
    assert (partition.createTime, partition.dbName, partition.tableName) == (5, "shop", "orders")


def test_locations_of_partitions() -> None:
    table = partitioned(**{"data-file.path-directory": "data"})
    spec = {"dt": "a/b", "hh": "__DEFAULT_PARTITION__"}
    partition = new_partition(table, spec, SETTINGS, 5)
    assert partition.values == ["a/b", "__DEFAULT_PARTITION__"]
    assert partition.sd.location == "file:/wh/shop.db/orders/data/dt=a%2Fb/hh=__DEFAULT_PARTITION__"
    kept = new_partition(table, spec, IN_PROPERTIES, 5)
    assert kept.parameters["paimon_location"] == partition.sd.location
    assert table.sd.location == "file:/wh/shop.db/orders"


def test_databases() -> None:
    database = Database("shop", None, "c", {"owner": "me", "k": "v"})
    stored = new_database(database, "/wh/shop.db", SETTINGS)
    assert (stored.description, stored.ownerName, stored.parameters) == ("c", "me", {"k": "v"})
    assert read_database(stored) == Database("shop", "/wh/shop.db", "c", {"owner": "me", "k": "v"})
    changed = altered_database(stored, {"comment": None, "owner": "you", "k": None, "n": "1"})
    assert (changed.description, changed.ownerName, changed.parameters) == (None, "you", {"n": "1"})
    assert stored.parameters == {"k": "v"}
    assert new_database(database, "/wh/shop.db", IN_PROPERTIES).locationUri is None


def test_a_missing_package_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymetastore.hive_metastore", None)
    with pytest.raises(CatalogError, match=r"pip install 'paimon-workbench\[hive\]'"):
        thrift_types()


def test_tags_are_partitions_only_of_tables_without_partitions_and_from_the_beginning() -> None:
    from workbench.catalog.hive.tables import check_tags

    option = {"metastore.tag-to-partition": "dt"}
    plain, tagged = schema(("k", "INT")), schema(("k", "INT"), options=option)
    (column,) = made(tagged).partitionKeys
    assert (column.name, column.type) == ("dt", "string")
    assert [each.name for each in made(tagged).sd.cols] == ["k"]
    check_tags("db.t", plain)
    check_tags("db.t", tagged)
    check_tags("db.t", tagged, option)
    with pytest.raises(Unsupported, match=r"metastore\.tag-to-partition.*db\.t was not changed"):
        check_tags("db.t", tagged, {})
    with pytest.raises(InvalidSchema, match=r"db\.t has partitions"):
        check_tags("db.t", schema(("k", "INT"), partition_keys=("k",), options=option))
