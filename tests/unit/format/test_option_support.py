"""Options whose values are not supported."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import InvalidSchema, Unsupported
from workbench.format.spec.schema import TableSchema
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.metadata.definition.option_checks import check_supported


def table(key: bool, options: dict[str, Any]) -> TableSchema:
    base = {"bucket": "2"} if key else {}
    return new_table_schema(
        {"a": "INT", "b": "INT"}, primary_key="a" if key else (), options=base | options, time_millis=0
    )


def refused(schema: TableSchema, for_write: bool) -> str | None:
    try:
        check_supported(schema, for_write=for_write)
    except Unsupported as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("name", "value", "read", "write"),
    [
        ("merge-engine", "aggregation", True, True),
        ("merge-engine", "partial-update", True, True),
        ("merge-engine", "first-row", True, True),
        ("changelog-producer", "lookup", True, True),
        ("changelog-producer", "input", True, True),
        ("sequence.field", "b", True, True),
        ("sequence.snapshot-ordering", "true", True, True),
        ("rowkind.field", "b", True, True),
        ("ignore-delete", "true", True, True),
        ("partial-update.ignore-delete", "true", True, True),
        ("ignore-update-before", "true", True, True),
        ("record-level.expire-time", "1 d", True, True),
        ("data-file.thin-mode", "true", True, True),
        ("pk-clustering-override", "true", False, False),
        ("write.sequence-number-init-mode", "snapshot", True, True),
        ("bucket", "-1", True, True),
        ("bucket", "-2", True, True),
    ],
)
def test_unsupported_values_of_primary_key_tables(name: str, value: str, read: bool, write: bool) -> None:
    schema = table(True, {name: value})
    for for_write, expected in ((False, read), (True, write)):
        message = refused(schema, for_write)
        assert (message is None) is expected
        if message is not None:
            assert f"'{name}' = '{value}'" in message
            assert message.startswith("Writing" if for_write else "Reading")


@pytest.mark.parametrize(
    ("name", "value", "read", "write"),
    [
        ("file.format", "orc", True, True),
        ("file.format", "avro", True, True),
        ("file.format", "row", False, False),
        ("file.format.per.level", "0:avro", True, True),
        ("file.format.per.level", "0:avro,1:lance", False, False),
        ("deletion-vectors.enabled", "true", True, True),
        ("bucket-function.type", "mod", True, True),
        ("branch", "dev", False, False),
        ("scan.fallback-branch", "dev", False, True),
        ("query-auth.enabled", "true", False, False),
        ("fields.b.map.storage-layout", "shared-shredding", True, False),
        ("data-file.external-paths.strategy", "round-robin", True, True),
        ("data-file.external-paths.strategy", "entropy-inject", True, False),
        ("type", "format-table", False, False),
        ("scan.snapshot-id", "3", False, True),
        ("manifest.format", "orc", False, False),
        ("scan.mode", "latest", True, True),
        ("scan.mode", "compacted-full", False, True),
        ("metadata.iceberg.storage", "table-location", True, False),
    ],
)
@pytest.mark.parametrize("key", [True, False])
def test_unsupported_values_of_all_tables(key: bool, name: str, value: str, read: bool, write: bool) -> None:
    schema = table(key, {name: value})
    assert (refused(schema, False) is None) is read
    assert (refused(schema, True) is None) is write


@pytest.mark.parametrize("name", ["row-tracking.enabled", "data-evolution.enabled"])
def test_only_tables_without_a_key_track_their_rows(name: str) -> None:
    assert refused(table(False, {name: "true"}), False) is None
    assert refused(table(False, {name: "true"}), True) is None
    assert f"'{name}' = 'true'" in str(refused(table(True, {name: "true"}), False))


@pytest.mark.parametrize("key", [True, False])
def test_large_objects_are_only_read(key: bool) -> None:
    columns = {"a": "INT", "b": "ARRAY<BLOB>"}
    schema = new_table_schema(columns, primary_key="a" if key else (), options={"bucket": "-1"}, time_millis=0)
    assert refused(schema, False) is None
    assert refused(schema, True) is not None


@pytest.mark.parametrize("for_write", [True, False])
def test_supported_tables(for_write: bool) -> None:
    fine = {
        "file.format": "PARQUET",
        "file.format.per.level": "0:parquet",
        "deletion-vectors.enabled": "False",
        "scan.fallback-branch": "",
        "my-own-option": "x",
    }
    assert (
        refused(table(True, {"merge-engine": "DEDUPLICATE", "changelog-producer": "none", **fine}), for_write) is None
    )
    assert refused(table(False, fine), for_write) is None
    assert refused(table(False, {"bucket": "3", "bucket-key": "a"}), for_write) is None


@pytest.mark.parametrize("for_write", [True, False])
def test_options_of_primary_keys_mean_nothing_to_append_tables(for_write: bool) -> None:
    assert refused(table(False, {"merge-engine": "aggregation", "sequence.field": "b"}), for_write) is None


def test_a_value_that_cannot_be_understood_is_refused() -> None:
    with pytest.raises(InvalidSchema, match=r"'deletion-vectors\.enabled' cannot be 'maybe'"):
        check_supported(table(False, {"deletion-vectors.enabled": "maybe"}), for_write=False)
