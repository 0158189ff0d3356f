"""What is sent to a REST service: paths, options, changes."""

from __future__ import annotations

import dataclasses

import pytest

import workbench as wb
from workbench.base.errors import CatalogError, Unsupported
from workbench.catalog.descriptions import View
from workbench.catalog.rest import api
from workbench.catalog.rest.auth import BearerTokens
from workbench.catalog.rest.changes import change_to_json, view_changes
from workbench.catalog.rest.client import RestClient
from workbench.catalog.rest.paths import ResourcePaths, encoded
from workbench.catalog.rest.table import RestTable

BEARER = {"uri": "host:1", "token.provider": "bear", "token": "t"}


def test_paths_are_encoded_as_in_java() -> None:
    paths = ResourcePaths("a b~c")
    expected = "/v1/a+b%7Ec/databases/sh+op/tables/or%7Eders%24branch_b*1"
    assert paths.table("sh op", "or~ders$branch_b*1") == expected
    assert ResourcePaths(None).databases() == "/v1/databases"
    assert encoded("ä/+%") == "%C3%A4%2F%2B%25"


@pytest.mark.parametrize(
    ("change", "document"),
    [
        (
            wb.AddColumn("w", "DOUBLE", comment="new", first=True),
            {
                "action": "addColumn",
                "fieldNames": ["w"],
                "dataType": "DOUBLE",
                "comment": "new",
                "move": {"fieldName": "w", "referenceFieldName": None, "type": "FIRST"},
            },
        ),
        (
            wb.AddColumn("a.b", "ARRAY<INT>"),
            {
                "action": "addColumn",
                "fieldNames": ["a", "b"],
                "dataType": {"type": "ARRAY", "element": "INT"},
                "comment": None,
                "move": None,
            },
        ),
        (wb.DropColumn(("a.b", "c")), {"action": "dropColumn", "fieldNames": ["a.b", "c"]}),
        (wb.RenameColumn("a.b", "c"), {"action": "renameColumn", "fieldNames": ["a", "b"], "newName": "c"}),
        (
            wb.UpdateColumnType("k", "BIGINT NOT NULL"),
            {
                "action": "updateColumnType",
                "fieldNames": ["k"],
                "newDataType": "BIGINT NOT NULL",
                "keepNullability": False,
            },
        ),
        (
            wb.UpdateColumnNullability("k", nullable=True),
            {"action": "updateColumnNullability", "fieldNames": ["k"], "newNullability": True},
        ),
        (
            wb.UpdateColumnComment("k", None),
            {"action": "updateColumnComment", "fieldNames": ["k"], "newComment": None},
        ),
        (
            wb.UpdateColumnDefault("k", True),
            {"action": "updateColumnDefaultValue", "fieldNames": ["k"], "newDefaultValue": "true"},
        ),
        (
            wb.MoveColumn("k", after="w"),
            {
                "action": "updateColumnPosition",
                "move": {"fieldName": "k", "referenceFieldName": "w", "type": "AFTER"},
            },
        ),
        (wb.SetOption("a", 1), {"action": "setOption", "key": "a", "value": "1"}),
        (wb.RemoveOption("a"), {"action": "removeOption", "key": "a"}),
        (wb.UpdateComment(None), {"action": "updateComment", "comment": None}),
    ],
)
def test_changes_of_tables(change: object, document: object) -> None:
    assert change_to_json(change) == document


def test_an_unknown_change_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"does not support"):
        change_to_json("DROP")


def test_changes_of_views() -> None:
    old = View((), "SELECT 1", {"hive": "a", "spark": "b"}, "c", {"a": "1"})
    new = dataclasses.replace(old, dialects={"spark": "x", "flink": "y"}, comment=None, options={"b": "2"})
    assert view_changes(old, new) == [
        {"action": "addDialect", "dialect": "flink", "query": "y"},
        {"action": "dropDialect", "dialect": "hive"},
        {"action": "updateDialect", "dialect": "spark", "query": "x"},
        {"action": "removeOption", "key": "a"},
        {"action": "setOption", "key": "b", "value": "2"},
        {"action": "updateComment", "comment": None},
    ]
    assert view_changes(old, old) == []
    with pytest.raises(Unsupported):
        view_changes(old, dataclasses.replace(old, query="SELECT 2"))


def test_options_are_merged_as_in_java(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    answer = {
        "defaults": {"a": "default", "b": "default", "c": "default", "header.x": "default", "d": None},
        "overrides": {"c": "override", "header.y": "override"},
    }

    def get(self: RestClient, path: str, query: object) -> object:  # noqa: ARG001
        seen.append((path, query))
        return answer

    monkeypatch.setattr(RestClient, "get", get)
    given = {**BEARER, "warehouse": "w h", "b": "given", "c": "given", "header.x": "given"}
    assert api.merged_options(given) == {
        **given,
        "a": "default",
        "b": "given",
        "c": "override",
        "header.x": "given",
        "header.y": "override",
    }
    assert api.merged_options(BEARER)["a"] == "default"
    assert seen == [("/v1/config", {"warehouse": "w h"}), ("/v1/config", {})]


def test_nothing_secret_is_printed() -> None:
    client = RestClient("http://me:hush@host", {}, BearerTokens("hush"))
    table = RestTable({**BEARER, "token": "hush"}, "db", "t", "id")
    assert "hush" not in repr(client) + repr(table) + client.service


def test_required_options_are_named() -> None:
    with pytest.raises(CatalogError, match=r"requires option 'uri'"):
        wb.connect(metastore="rest", warehouse="w")
    with pytest.raises(CatalogError, match=r"requires option 'token.provider'"):
        wb.connect(metastore="rest", warehouse="w", uri="http://127.0.0.1:9")
    with pytest.raises(CatalogError, match=r"not a path"):
        wb.connect(metastore="rest", uri="pvfs://catalog/db/table")


def test_paths_of_the_virtual_file_system_are_refused() -> None:
    with pytest.raises(CatalogError, match=r"pvfs://catalog/db/t.*metastore='rest'"):
        wb.connect("pvfs://catalog/db/t")
