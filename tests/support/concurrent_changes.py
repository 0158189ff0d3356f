"""Key tables of two columns that two writers change, their rows as changes, and what they contain."""

from __future__ import annotations

import pyarrow as pa

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

LARGE = 20_000
VECTORS = {"deletion-vectors.enabled": "true"}
Change = tuple[str, int, int]


def key_table(catalog: FileSystemCatalog, name: str = "db.t", **options: str) -> Table:
    columns = {"id": "BIGINT NOT NULL", "v": "BIGINT"}
    return catalog.create_table(name, columns, primary_key=["id"], options={"bucket": "1", **options})


def rows(*changes: Change) -> pa.Table:
    kinds, ids, values = zip(*changes, strict=True)
    return pa.table({"id": pa.array(ids, pa.int64()), "v": pa.array(values, pa.int64()), "kind": pa.array(kinds)})


def upserts(ids: range, value: int) -> pa.Table:
    return rows(*(("+I", key, value) for key in ids))


def prepared(table: Table, data: pa.Table, user: str | None = None) -> list[bytes]:
    with table.writer(user) as writer:
        writer.write(data, "kind")
        return writer.prepare()


def content(table: Table) -> dict[int, int]:
    actual_rows = table.to_arrow()
    keys = actual_rows["id"].to_pylist()
    assert len(set(keys)) == len(keys), "a key is there twice"
    return dict(zip(keys, actual_rows["v"].to_pylist(), strict=True))
