from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from workbench.base.errors import InvalidExpression, InvalidRequest
from workbench.spark.copying.file_format import format_to_load, format_to_write
from workbench.spark.copying.history import LoadHistory, SourceFile
from workbench.sql.commands.copy_into import CopyFiles, CopyRows
from workbench.sql.parse import parse
from workbench.sql.session.routes import route_of


def test_the_clauses_of_a_load() -> None:
    text = (
        "COPY INTO shop.t (a, `b`) FROM '/files' FILE_FORMAT = (TYPE = csv, SKIP_HEADER = 1, FIELD_DELIMITER = '|', "
        "NULL_IF = ('NULL', '\\\\N'), EMPTY_FIELD_AS_NULL = TRUE) PATTERN = '[.]csv' FORCE = TRUE ON_ERROR = SKIP_FILE"
    )
    parsed: Any = parse(text)
    assert isinstance(parsed, CopyFiles)
    assert (parsed.table.parts, parsed.columns, parsed.path) == (("shop", "t"), ("a", "b"), "/files")
    assert (parsed.pattern, parsed.force, parsed.on_error) == ("[.]csv", True, "SKIP_FILE")
    form = format_to_load(parsed.options)
    assert (form.name, form.options, form.nulls) == ("CSV", {"header": "true", "sep": "|"}, ("NULL", "\\N", ""))


def test_the_clauses_of_an_export() -> None:
    parsed: Any = parse("COPY INTO '/out' FROM (SELECT (1 + 2) AS a) FILE_FORMAT = (TYPE = JSON) OVERWRITE = TRUE")
    assert isinstance(parsed, CopyRows)
    assert (parsed.path, parsed.query.text, parsed.overwrite) == ("/out", "SELECT (1 + 2) AS a", True)
    assert route_of("COPY INTO lake.shop.t FROM '/x' FILE_FORMAT = (TYPE = CSV)").catalog == "lake"  # type: ignore[union-attr]
    assert route_of(parsed.text).catalog is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [
        "COPY INTO t FROM '/x'",
        "COPY INTO t FROM '/x' FILE_FORMAT = (TYPE = CSV) ON_ERROR = SKIP_FILE_3",
        "COPY INTO '/x' FROM t FILE_FORMAT = (TYPE = CSV) PATTERN = 'x'",
        "COPY INTO '/x' FROM (DELETE FROM t) FILE_FORMAT = (TYPE = CSV)",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidExpression):
        parse(text)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"QUOTE": "'"}, "TYPE"),
        ({"TYPE": "ORC"}, "ORC"),
        ({"TYPE": "CSV", "SKIP_HEADER": "2"}, "SKIP_HEADER"),
        ({"TYPE": "CSV", "HEADER": "TRUE"}, "HEADER"),
        ({"TYPE": "PARQUET", "NULL_IF": ("x",)}, "NULL_IF"),
    ],
)
def test_options_that_a_load_does_not_have(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRequest, match=message):
        format_to_load(given)


def test_options_of_written_files() -> None:
    assert format_to_write({"TYPE": "CSV", "HEADER": "TRUE", "COMPRESSION": "GZIP"}).options == {
        "compression": "GZIP",
        "header": "TRUE",
    }
    with pytest.raises(InvalidRequest, match="SINGLE"):
        format_to_write({"TYPE": "CSV", "SINGLE": "TRUE"})


def test_a_file_is_loaded_again_after_it_changed(catalog: Any) -> None:
    table = catalog.create_table("shop.t", {"a": "INT"})
    file = SourceFile("file:/tmp/a.csv", 3, 5)
    assert not LoadHistory(table.store).has(file)
    LoadHistory(table.store).add(file, 1, 1)
    assert LoadHistory(table.store).has(file)
    assert not LoadHistory(table.store).has(replace(file, size=4))
    assert not LoadHistory(table.store).has(replace(file, path="file:/tmp/b.csv"))
    table.write([{"a": 1}])
    table.remove_orphan_files(datetime.now(UTC), dry_run=False)
    assert LoadHistory(table.store).has(file)
