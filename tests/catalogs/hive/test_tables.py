"""Tables of ours and of Java in one metastore: the same entries, and each opens what the other made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.hive.metastores import RunningMetastore
from tests.catalogs.referee import JavaCatalog
from tests.interop.referees import RefereeError
from workbench.catalog.hive.client import thrift_types
from workbench.sql.execute import execute

pytestmark = pytest.mark.java

COLUMNS = [
    ["id", "BIGINT NOT NULL"],
    ["name", "STRING", "the name"],
    ["price", "DECIMAL(10, 2)"],
    ["ts", "TIMESTAMP(6)"],
    ["zoned", "TIMESTAMP(6) WITH LOCAL TIME ZONE"],
    ["code", "CHAR(3)"],
    ["short", "VARCHAR(20)"],
    ["raw", "BYTES"],
    ["day", "DATE"],
    ["moment", "TIME(0)"],
    ["tags", {"type": "ARRAY", "element": "STRING"}],
    ["m", {"type": "MAP", "key": "STRING", "value": "INT"}],
]
DEFINITIONS: dict[str, dict[str, Any]] = {
    "keys": {
        "columns": COLUMNS,
        "primary_key": ["id"],
        "options": {"bucket": "2", "deletion-vectors.enabled": "true"},
        "comment": "orders of the shop",
    },
    "append": {"columns": [["k", "INT"], ["v", "STRING", "a comment"]]},
    "partitioned": {
        "columns": [["k", "INT"], ["v", "STRING"], ["dt", "STRING", "the day"], ["hh", "INT"]],
        "partition_by": ["dt", "hh"],
        "options": {"metastore.partitioned-table": "true", "hive.foo": "bar", "partition.expiration-time": "3650 d"},
    },
    "partitioned in files": {
        "columns": [["k", "INT"], ["dt", "STRING"]],
        "primary_key": ["k", "dt"],
        "partition_by": ["dt"],
        "options": {"bucket": "1"},
    },
    "external": {"columns": [["k", "INT"]], "options": {"EXTERNAL": "true"}},
}


def arrow_free(columns: list[list[Any]]) -> dict[str, str]:
    """Columns as this library takes them; comments are added by `create`."""
    nested = {"ARRAY": "ARRAY<STRING>", "MAP": "MAP<STRING, INT>"}
    return {each[0]: each[1] if isinstance(each[1], str) else nested[each[1]["type"]] for each in columns}


def create(catalog: wb.Catalog, name: str, definition: dict[str, Any]) -> wb.Table:
    """Create a table of `DEFINITIONS` with this library."""
    from workbench.format.types import DataField, parse_type

    fields = [
        DataField(index, each[0], parse_type(arrow_free([each])[each[0]]), each[2] if len(each) > 2 else None)
        for index, each in enumerate(definition["columns"])
    ]
    return catalog.create_table(
        name,
        tuple(fields),
        definition.get("primary_key", ()),
        definition.get("partition_by", ()),
        definition.get("options"),
        definition.get("comment"),
    )


def entry(metastore: RunningMetastore, database: str, table: str) -> dict[str, Any]:
    """Every field of the entry of a table, without what differs from one table to the next."""
    found = metastore.get(database, table)
    location = found.sd.location
    assert location == f"file:{metastore.warehouse}/{database}.db/{table}"
    for times in ("createTime", "lastAccessTime"):
        assert found.__dict__[times] > 1_700_000_000
        setattr(found, times, 0)
    found.tableName, found.sd.location = "", ""
    for changing in ("transient_lastDdlTime", "numFiles", "totalSize"):
        found.parameters.pop(changing, None)
    return {**found.__dict__, "sd": {**found.sd.__dict__}, "cols": list(map(str, found.sd.cols))}


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_every_field_of_an_entry_is_that_of_java(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str, kind: str
) -> None:
    definition = DEFINITIONS[kind]
    create(catalog, f"{database}.ours", definition)
    java.run("createTable", table=f"{database}.theirs", **definition)
    assert entry(metastore, database, "ours") == entry(metastore, database, "theirs")


def test_each_opens_and_writes_what_the_other_made(catalog: wb.Catalog, java: JavaCatalog, database: str) -> None:
    ours = create(catalog, f"{database}.ours", DEFINITIONS["append"])
    java.run("createTable", table=f"{database}.theirs", **DEFINITIONS["append"])
    ours.write([{"k": 1, "v": "a"}])
    java.run("write", table=f"{database}.ours", rows=[[2, "b"]])
    java.run("write", table=f"{database}.theirs", rows=[[1, "a"]])
    catalog.get_table(f"{database}.theirs").write([{"k": 2, "v": "b"}])
    assert java.run("listTables", database=database) == catalog.list_tables(database) == ["ours", "theirs"]
    for name in ("ours", "theirs"):
        rows = catalog.get_table(f"{database}.{name}").to_arrow().sort_by("k").to_pylist()
        assert rows == [{"k": 1, "v": "a"}, {"k": 2, "v": "b"}]
        assert sorted(java.run("read", table=f"{database}.{name}")) == [["1", "a"], ["2", "b"]]
        facts = java.run("getTable", table=f"{database}.{name}")
        assert facts["columns"] == [["k", "INT", None], ["v", "STRING", "a comment"]]


def test_altered_from_both_sides(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    create(catalog, f"{database}.ours", DEFINITIONS["append"])
    java.run("createTable", table=f"{database}.theirs", **DEFINITIONS["append"])
    catalog.alter_table(
        f"{database}.ours", wb.AddColumn("w", "DOUBLE", comment="new"), wb.SetOption("snapshot.num-retained.max", "50")
    )
    java.run(
        "alterTable",
        table=f"{database}.theirs",
        changes=[["add", "w", "DOUBLE", "new"], ["set", "snapshot.num-retained.max", "50"]],
    )
    assert entry(metastore, database, "ours") == entry(metastore, database, "theirs")
    # Each now continues where the other was.
    changes = [["rename", "w", "x"], ["remove", "snapshot.num-retained.max"], ["comment", "altered"]]
    java.run("alterTable", table=f"{database}.ours", changes=changes)
    catalog.alter_table(
        f"{database}.theirs",
        wb.RenameColumn("w", "x"),
        wb.RemoveOption("snapshot.num-retained.max"),
        wb.UpdateComment("altered"),
    )
    assert entry(metastore, database, "ours") == entry(metastore, database, "theirs")
    assert catalog.get_table(f"{database}.ours").schema.comment == "altered"
    assert java.run("getTable", table=f"{database}.theirs")["columns"][2] == ["x", "DOUBLE", "new"]


def test_what_others_keep_in_an_entry_survives_an_alteration(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str
) -> None:
    create(catalog, f"{database}.t", DEFINITIONS["append"])
    table = metastore.get(database, "t")
    table.parameters["their.property"] = "kept"
    metastore.client.call("alter_table", database, "t", table)
    catalog.alter_table(f"{database}.t", wb.AddColumn("w", "INT"))
    assert metastore.get(database, "t").parameters["their.property"] == "kept"


def test_a_change_that_the_metastore_refuses_is_undone(catalog: wb.Catalog, java: JavaCatalog, database: str) -> None:
    table = create(catalog, f"{database}.t", DEFINITIONS["append"])
    with pytest.raises(wb.CatalogError, match=r"hive\.metastore\.disallow\.incompatible\.col\.type\.changes"):
        catalog.alter_table(f"{database}.t", wb.AddColumn("w", "DOUBLE", first=True))
    assert not Path(table.location, "schema", "schema-1").exists()
    assert catalog.get_table(f"{database}.t").schema.id == 0
    assert java.run("getTable", table=f"{database}.t")["schema_id"] == 0
    catalog.alter_table(f"{database}.t", wb.AddColumn("w", "DOUBLE"))
    assert java.run("getTable", table=f"{database}.t")["columns"][2][0] == "w"


def test_renamed_from_both_sides(catalog: wb.Catalog, java: JavaCatalog, database: str) -> None:
    table = create(catalog, f"{database}.a", DEFINITIONS["append"])
    table.write([{"k": 1, "v": "a"}])
    catalog.rename_table(f"{database}.a", f"{database}.b")
    assert java.run("read", table=f"{database}.b") == [["1", "a"]]
    java.run("renameTable", table=f"{database}.b", to=f"{database}.c")
    found = catalog.get_table(f"{database}.c")
    assert found.to_arrow().num_rows == 1
    assert found.location == table.location.removesuffix("/a") + "/c"
    assert not Path(table.location).exists()


def test_dropping_deletes_the_files_of_a_managed_table_only(catalog: wb.Catalog, database: str, tmp_path: Path) -> None:
    managed = create(catalog, f"{database}.managed", DEFINITIONS["append"])
    external = catalog.create_table(f"{database}.external", {"k": "INT"}, options={"path": str(tmp_path / "here")})
    external.write([{"k": 1}])
    for name in ("managed", "external"):
        catalog.drop_table(f"{database}.{name}")
    assert not Path(managed.location).exists()
    assert catalog.list_tables(database) == []
    # The files can be registered again, under another name, if the definition fits.
    with pytest.raises(wb.InvalidSchema, match="columns or keys"):
        catalog.create_table(f"{database}.again", {"k": "STRING"}, options={"path": str(tmp_path / "here")})
    again = catalog.create_table(f"{database}.again", {"k": "INT"}, options={"path": str(tmp_path / "here")})
    assert again.to_arrow().to_pylist() == [{"k": 1}]


def test_java_drops_and_renames_tables_of_ours_as_its_own(
    catalog: wb.Catalog, java: JavaCatalog, database: str, tmp_path: Path
) -> None:
    ours = create(catalog, f"{database}.ours", DEFINITIONS["append"])
    external = catalog.create_table(f"{database}.external", {"k": "INT"}, options={"path": str(tmp_path / "here")})
    java.run("dropTable", table=f"{database}.ours")
    java.run("dropTable", table=f"{database}.external")
    assert not Path(ours.location).exists()
    assert Path(external.location, "schema", "schema-0").exists()
    with pytest.raises(wb.TableNotFound):
        catalog.get_table(f"{database}.ours")


def test_a_table_that_the_metastore_refuses_leaves_no_files(catalog: wb.Catalog, database: str, tmp_path: Path) -> None:
    with pytest.raises(wb.CatalogError, match="Hive Metastore refuses 'create_table'"):
        catalog.create_table(f"{database}.a-b", {"k": "INT"})
    location = Path(catalog.get_database(database).location or "")
    assert list(location.iterdir()) == []
    # A directory that the user chose is kept, with what was in it before.
    (tmp_path / "note").touch()
    with pytest.raises(wb.CatalogError, match="Hive Metastore refuses 'create_table'"):
        catalog.create_table(f"{database}.a-b", {"k": "INT"}, options={"path": str(tmp_path)})
    assert [each.name for each in tmp_path.iterdir()] == ["note"]


def test_columns_that_the_metastore_cannot_have_are_refused_first(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str
) -> None:
    with pytest.raises(wb.InvalidSchema, match="lower case"):
        catalog.create_table(f"{database}.t", {"k": "INT", "K": "INT"})
    table = create(catalog, f"{database}.t", DEFINITIONS["append"])
    with pytest.raises(wb.InvalidSchema, match="lower case"):
        catalog.alter_table(f"{database}.t", wb.AddColumn("V", "INT"))
    assert [each.name for each in Path(table.location, "schema").iterdir()] == ["schema-0"]
    assert [each.name for each in metastore.get(database, "t").sd.cols] == ["k", "v"]
    with pytest.raises(wb.CatalogError, match="lower case"):
        catalog.create_table(f"{database}.Upper", {"k": "INT"})


def test_tables_of_other_formats_are_listed_apart_and_never_changed(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str
) -> None:
    types = thrift_types()
    descriptor = types.StorageDescriptor(
        cols=[types.FieldSchema("a", "int")],
        location=f"file:{metastore.warehouse}/{database}.db/other",
        inputFormat="org.apache.hadoop.mapred.TextInputFormat",
        outputFormat="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        serdeInfo=types.SerDeInfo(serializationLib="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"),
    )
    other = types.Table("other", database, "me", 1, 1, 0, descriptor, [], {}, None, None, "MANAGED_TABLE")
    metastore.client.call("create_table", other)
    before = metastore.get(database, "other")
    create(catalog, f"{database}.t", DEFINITIONS["append"])
    assert catalog.list_tables(database) == ["t"]
    assert catalog.list_other_tables(database) == ["other"]
    with pytest.raises(wb.Unsupported, match=r"is not a Paimon table: .* format TextInputFormat"):
        catalog.get_table(f"{database}.other")
    with pytest.raises(wb.AlreadyExists, match="already exists"):
        catalog.create_table(f"{database}.other", {"a": "INT"})
    with pytest.raises(wb.Unsupported, match="is not a Paimon table"):
        catalog.create_table(f"{database}.other", {"a": "INT"}, exist_ok=True)
    with pytest.raises(wb.AlreadyExists):
        catalog.rename_table(f"{database}.t", f"{database}.other")
    with pytest.raises(wb.Unsupported, match="is not a Paimon table"):
        catalog.drop_table(f"{database}.other")
    with pytest.raises(wb.CatalogError, match="of other formats: other"):
        catalog.drop_database(database, cascade=True)
    assert metastore.get(database, "other") == before
    assert catalog.get_table(f"{database}.t").name == f"{database}.t"


def test_java_refuses_what_exists(catalog: wb.Catalog, java: JavaCatalog, database: str) -> None:
    create(catalog, f"{database}.t", DEFINITIONS["append"])
    with pytest.raises(RefereeError, match="already exists"):
        java.run("createTable", table=f"{database}.t", columns=[["k", "INT"]])
    with pytest.raises(wb.AlreadyExists):
        create(catalog, f"{database}.t", DEFINITIONS["append"])


def test_views_of_other_engines_keep_their_database(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    """Java drops them with the database."""
    types = thrift_types()

    def create(name: str, serde: str | None, properties: dict[str, str]) -> None:
        descriptor = types.StorageDescriptor(
            cols=[types.FieldSchema("k", "int")],
            inputFormat="org.apache.hadoop.mapred.SequenceFileInputFormat",
            outputFormat="org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat",
            serdeInfo=types.SerDeInfo(serializationLib=serde, parameters={}),
        )
        view = types.Table(
            tableName=name,
            dbName=database,
            owner="hive",
            sd=descriptor,
            partitionKeys=[],
            parameters=properties,
            tableType="VIRTUAL_VIEW",
            viewOriginalText="SELECT 1 AS k",
            viewExpandedText="SELECT 1 AS k",
        )
        metastore.client.call("create_table", view)

    table = catalog.create_table(f"{database}.t", {"k": "INT"})
    catalog.create_view(f"{database}.ours", "SELECT 1 AS k", {"k": "INT"})
    java.run("createView", table=f"{database}.theirs", columns=[["k", "INT"]], query="SELECT 1 AS k")
    create("of_hive", None, {})
    create("of_spark", "org.apache.hadoop.hive.serde2.MetadataTypedColumnsetSerDe", {"spark.sql.create.version": "4.1"})
    assert catalog.list_views(database) == ["of_hive", "of_spark", "ours", "theirs"]
    for cascade in (True, False):
        with pytest.raises(wb.CatalogError, match="contains 2 views of other engines: of_hive, of_spark"):
            catalog.drop_database(database, cascade=cascade)
    with pytest.raises(wb.CatalogError, match="2 views of other engines"):
        execute(f"DROP DATABASE {database} CASCADE", catalog)
    assert catalog.list_views(database) == ["of_hive", "of_spark", "ours", "theirs"]
    assert catalog.get_table(f"{database}.t").schema == table.schema
    for name in ("of_hive", "of_spark"):
        metastore.client.call("drop_table", database, name, False)
    catalog.drop_database(database, cascade=True)
    assert database not in catalog.list_databases()
