from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.contents import collect_contents
from workbench.lens.summary import collect_summary, describe_summary
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.table.table import Table


def test_a_table_never_written(table: Table) -> None:
    summary = collect_summary(table)
    assert (summary.snapshot, summary.time_millis, summary.commit_kind) == (None, None, None)
    assert (summary.latest_snapshot, summary.earliest_snapshot) == (None, None)
    contents = collect_contents(table.store, table.version)
    assert summary.contents == contents
    assert (contents.partitions, contents.buckets, contents.files, contents.stored_rows) == (0,) * 4
    assert (contents.size, contents.runs, contents.verdict) == (0, 0, None)


def test_a_table_at_a_glance(table: Table, write: Any) -> None:
    write("a", [1, 2, 3], "x")
    write("a", [4], "y")
    write("b", [5], "z")
    summary = collect_summary(table)
    assert (summary.table, summary.kind, summary.primary_key) == ("d.t", "primary-key", ("dt", "k"))
    contents = collect_contents(table.store, table.version)
    assert summary.contents == contents
    assert (contents.partitions, contents.buckets, contents.files, contents.stored_rows) == (2, 2, 3, 5)
    assert contents.runs == 2
    assert contents.size > 0
    assert (summary.snapshot, summary.latest_snapshot, summary.earliest_snapshot) == (3, 3, 1)
    assert summary.commit_kind == "APPEND"
    assert [field.role for field in summary.fields] == ["primary key, partition", "primary key", ""]


def test_an_older_version(table: Table, write: Any) -> None:
    write("a", [1, 2, 3], "x")
    write("a", [4], "y")
    summary = collect_summary(table.at(snapshot=1))
    assert (summary.snapshot, summary.latest_snapshot) == (1, 2)
    assert summary.contents is not None
    assert (summary.contents.files, summary.contents.stored_rows) == (1, 3)


def test_an_append_table_merges_nothing(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("d.a", {"n": "BIGINT"}, comment="<b>")
    created.write(pa.table({"n": [1]}))
    created.write(pa.table({"n": [2]}))
    summary = collect_summary(created)
    assert (summary.kind, summary.comment) == ("append", "<b>")
    assert summary.contents is not None
    assert (summary.contents.files, summary.contents.runs) == (2, 1)


def test_no_credentials() -> None:
    schema = new_table_schema({"n": "INT"}, options={"s3.secret-key": "hush", "bucket": "-1"}, time_millis=0)
    summary = describe_summary("d.t", "s3://user:hush@lake/d.db/t", schema, None, (None, None), None)
    assert summary.location == "s3://***@lake/d.db/t"
    assert "hush" not in repr(summary)


def test_metadata_of_an_unreadable_table_is_shown(table: Table) -> None:
    schema = replace(table.schema, options={**table.schema.options, "merge-engine": "first-row"})
    summary = collect_summary(Table(table.store.with_schema(schema)))
    assert [option.value for option in summary.options if option.key == "merge-engine"] == ["first-row"]


def test_a_damaged_manifest_leaves_the_rest(table: Table, write: Any) -> None:
    write("a", [1, 2, 3], "x")
    write("a", [4], "y")
    Path(table.location, "manifest", table.snapshot().delta_manifest_list).write_bytes(b"garbage")
    summary = collect_summary(connect(Path(table.location).parents[1]).get_table("d.t"))
    assert summary.contents is None
    assert summary.damage is not None
    assert summary.damage.code == "corrupt_file"
    assert table.snapshot().delta_manifest_list in summary.damage.message
    assert (summary.snapshot, summary.primary_key) == (2, ("dt", "k"))
