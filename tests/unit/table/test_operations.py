"""The statement of a commit is recorded in its snapshot, as the Java engines record it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import InvalidRequest
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.spec.snapshot import Operation
from workbench.table.table import Table

COLUMNS = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL", "v": "STRING"}
KINDS: dict[str, dict[str, Any]] = {
    "append": {},
    "vectors": {"options": {"deletion-vectors.enabled": "true"}},
    "key": {"primary_key": ["p", "id"], "options": {"bucket": "1"}},
}
CLAUSES = [wb.WhenMatched(update={"v": "s.v"}), wb.WhenNotMatched("*")]
STATEMENTS: dict[str, tuple[str | None, Callable[[Table], Any]]] = {
    "write": ("WRITE", lambda t: t.write(rows(7))),
    "overwrite": ("OVERWRITE", lambda t: t.write(rows(7), mode="overwrite")),
    "overwrite a partition": ("OVERWRITE", lambda t: t.write(rows(2), mode="overwrite", partition={"p": 0})),
    "delete": ("DELETE", lambda t: t.delete("id = 1")),
    "delete partitions": ("TRUNCATE", lambda t: t.delete("p = 1")),
    "delete all": ("TRUNCATE", lambda t: t.delete("TRUE")),
    "update": ("UPDATE", lambda t: t.update({"v": "'x'"}, where="id = 1")),
    "merge": ("MERGE", lambda t: t.merge(rows(1, 9), ["p", "id"], CLAUSES)),
    "truncate": ("TRUNCATE", lambda t: t.truncate()),
    "truncate a partition": ("TRUNCATE", lambda t: t.truncate({"p": 1})),
    "drop partitions": ("TRUNCATE", lambda t: t.drop_partitions({"p": 0})),
    "compact": (None, lambda t: t.compact(full=True)),
    "compact manifests": (None, lambda t: t.compact_manifest()),
    "analyze": (None, lambda t: t.analyze()),
    "expire partitions": (None, lambda t: t.expire_partitions("0 s", strategy="update-time")),
    "two phases": (None, lambda t: t.commit(messages(t))),
    "two phases of a merge": ("MERGE", lambda t: t.commit(messages(t), operation="MERGE")),
    "overwrite in two phases": (None, lambda t: t.overwrite(messages(t))),
    "overwrite in two phases, named": ("OVERWRITE", lambda t: t.overwrite(messages(t), operation="OVERWRITE")),
}


def rows(*ids: int) -> pa.Table:
    partitions = pa.array([each % 2 for each in ids], pa.int32())
    return pa.table({"p": partitions, "id": pa.array(ids, pa.int64()), "v": [str(each) for each in ids]})


def messages(table: Table) -> list[bytes]:
    with table.writer() as writer:
        writer.write(rows(11))
        return writer.prepare()


def made(catalog: FileSystemCatalog, kind: str) -> Table:
    table = catalog.create_table("db.t", COLUMNS, partition_by=["p"], **KINDS[kind])
    table.commit(messages(table))
    for each in ((1, 2, 3), (3, 4), (5, 6)):
        table.write(rows(*each))
    return table


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_operation_of_a_statement(catalog: FileSystemCatalog, kind: str, statement: str) -> None:
    table = made(catalog, kind)
    before = table.snapshot().id
    expected, run = STATEMENTS[statement]
    run(table)
    new = [each for each in table.snapshots() if each.id > before]
    assert new
    assert {each.operation for each in new} == {expected}
    for each in new:
        stored = json.loads(Path(table.location, "snapshot", f"snapshot-{each.id}").read_text())
        assert stored.get("operation", "none") == (expected or "none")
    shown = catalog.open("db.t$snapshots").to_arrow(["snapshot_id", "operation"]).to_pylist()
    assert [each["operation"] for each in shown if each["snapshot_id"] > before] == [expected] * len(new)


def test_a_compaction_during_a_write_has_the_same_operation(catalog: FileSystemCatalog) -> None:
    options = {"bucket": "1", "full-compaction.delta-commits": "1"}
    table = catalog.create_table("db.t", COLUMNS, primary_key=["p", "id"], partition_by=["p"], options=options)
    snapshots = table.write(rows(1)).snapshots
    assert [(str(each.commit_kind), each.operation) for each in snapshots] == [
        ("APPEND", "WRITE"),
        ("COMPACT", "WRITE"),
    ]


def test_an_unknown_operation(catalog: FileSystemCatalog) -> None:
    table = made(catalog, "append")
    before = table.snapshot()
    for act in (table.commit, table.overwrite):
        with pytest.raises(InvalidRequest, match=r"'MERG' is not a commit operation\. Did you mean 'MERGE'\?"):
            act(messages(table), operation="MERG")
    assert table.snapshot() == before
    assert table.commit(messages(table), operation=Operation.MERGE).snapshots[0].operation == "MERGE"
