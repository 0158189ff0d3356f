"""Tables for tests of commits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.wrappers import DelegatingFileIO, Operation
from workbench.table.table import Table

BUSY = {"bucket": "1", "num-sorted-run.compaction-trigger": "2"}


def rows(*ids: int) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "v": [f"v{number}" for number in ids]})


def append_table(catalog: FileSystemCatalog, **options: str) -> Table:
    return catalog.create_table("db.a", {"id": "BIGINT", "v": "STRING"}, options=options)


def keyed_table(catalog: FileSystemCatalog, **options: str) -> Table:
    columns = {"id": "BIGINT", "v": "STRING"}
    return catalog.create_table("db.k", columns, primary_key="id", options={"bucket": "1", **options})


def messages_of(table: Table, *batches: pa.Table) -> list[bytes]:
    with table.writer() as writer:
        for batch in batches:
            writer.write(batch)
        return writer.prepare()


def ids_of(table: Table) -> list[int]:
    actual_rows: list[int] = sorted(table.to_arrow(["id"]).column(0).to_pylist())
    return actual_rows


def commit_when(table: Table, operation: str, act: Callable[[], Any]) -> Table:
    """The same table, on which ``act`` runs once, at the first ``operation``: before a put, after any other."""

    class Racing(DelegatingFileIO):
        raced = False

        def _run(self, done: Operation, call: Callable[[], Any]) -> Any:
            hit = done.name == operation and not self.raced
            result = call() if not hit or operation != "put_if_absent" else None
            if hit:
                self.raced = True
                act()
            return call() if hit and operation == "put_if_absent" else result

    return Table(table.store.with_file_io(Racing(table.store.file_io)))
