from __future__ import annotations

import pytest

from workbench.base.errors import Unsupported
from workbench.catalog.hive.types import ZONED_TIMESTAMP, hive_type, paimon_type
from workbench.format.types import parse_type

# As Java's HiveTypeUtils of 2.0 names them.
NAMES = {
    "BOOLEAN": "boolean",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INT NOT NULL": "int",
    "BIGINT": "bigint",
    "FLOAT": "float",
    "DOUBLE": "double",
    "DECIMAL(12, 3)": "decimal(12,3)",
    "CHAR(255)": "char(255)",
    "CHAR(256)": "string",
    "VARCHAR(65535)": "varchar(65535)",
    "VARCHAR(65536)": "string",
    "STRING": "string",
    "BINARY(3)": "binary",
    "VARBINARY(3)": "binary",
    "BYTES": "binary",
    "BLOB": "binary",
    "DATE": "date",
    "TIME(3)": "string",
    "TIMESTAMP(3)": "timestamp",
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": "timestamp",
    "ARRAY<MAP<STRING, DECIMAL(5, 0)>>": "array<map<string,decimal(5,0)>>",
    "MULTISET<STRING>": "map<string,int>",
    "ROW<a INT, b ROW<c CHAR(2)>>": "struct<a:int,b:struct<c:char(2)>>",
    "VECTOR<FLOAT, 4>": "array<float>",
    "VARIANT": "struct<value:binary,metadata:binary>",
}
BACK = {
    "tinyint": "TINYINT",
    "decimal": "DECIMAL(10, 0)",
    "decimal(12,3)": "DECIMAL(12, 3)",
    "char(3)": "CHAR(3)",
    "varchar(7)": "VARCHAR(7)",
    "string": "STRING",
    "binary": "BYTES",
    "timestamp": "TIMESTAMP(6)",
    "timestamp with local time zone": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "array<map<string,int>>": "ARRAY<MAP<STRING, INT>>",
    "struct<a:int,b:struct<c:array<date>>>": "ROW<`a` INT, `b` ROW<`c` ARRAY<DATE>>>",
}


@pytest.mark.parametrize("paimon", NAMES)
def test_names_in_hive(paimon: str) -> None:
    assert hive_type(parse_type(paimon)) == NAMES[paimon]


def test_hive_3_has_a_name_for_zoned_timestamps() -> None:
    zoned = parse_type("ARRAY<TIMESTAMP(3) WITH LOCAL TIME ZONE>")
    assert hive_type(zoned, ZONED_TIMESTAMP) == "array<timestamp with local time zone>"


def test_a_type_that_hive_lacks_is_refused() -> None:
    with pytest.raises(Unsupported, match="no type for GEOMETRY"):
        hive_type(parse_type("ARRAY<GEOMETRY>"))


@pytest.mark.parametrize("name", BACK)
def test_types_of_names(name: str) -> None:
    assert str(paimon_type(name)) == str(parse_type(BACK[name]))


@pytest.mark.parametrize("name", ["uniontype<int>", "array<int", "array<int>>", "struct<a>", "interval_day_time", ""])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(Unsupported, match="is not a type of Hive"):
        paimon_type(name)
