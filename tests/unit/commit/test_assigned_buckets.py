"""Rows that were assigned to buckets by a hash index that another commit replaces before they are committed."""

from __future__ import annotations

import pytest

from workbench.base.errors import CommitConflict
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

OPTIONS = {"bucket": "-1", "dynamic-bucket.target-row-num": "2", "write-only": "true"}
COLUMNS = {"id": "INT NOT NULL", "v": "INT"}


def row(key: int, value: int) -> dict[str, int]:
    return {"id": key, "v": value}


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    """Keys 1 and 2 in bucket 0, and 3 in bucket 1, which has room for another."""
    table = catalog.create_table("db.t", COLUMNS, primary_key=["id"], options=OPTIONS)
    table.write([row(key, 0) for key in (1, 2, 3)])
    return table


def prepared(table: Table, *rows: dict[str, int]) -> list[bytes]:
    with table.writer() as writer:
        writer.write(list(rows))
        return writer.prepare()


def values(table: Table) -> dict[int, int]:
    rows = table.to_arrow().to_pylist()
    assert len({each["id"] for each in rows}) == len(rows), "a key is in two buckets"
    return {each["id"]: each["v"] for each in rows}


def test_an_update_beside_new_keys(table: Table) -> None:
    update = prepared(table, row(3, 1))
    table.write([row(5, 0), row(6, 0)])
    table.commit(update)
    table.write([row(key, 2) for key in range(1, 8)])
    assert values(table) == dict.fromkeys(range(1, 8), 2)


@pytest.mark.parametrize("kept", [(), (1,), (3, 4)])
@pytest.mark.parametrize("rows", [(3,), (3, 5)])
def test_an_overwrite_removes_the_keys(table: Table, kept: tuple[int, ...], rows: tuple[int, ...]) -> None:
    """Rows conflict with an overwrite that removes their keys: later writers would not find the keys in the bucket and
    would assign them to another."""
    messages = prepared(table, *(row(key, 1) for key in rows))
    table.write([row(key, 0) for key in kept], mode="overwrite")
    if kept == (3, 4):
        table.write([row(1, 0)])
    with pytest.raises(CommitConflict):
        table.commit(messages)
    assert set(values(table)) >= set(kept)
    table.write([row(key, 2) for key in range(1, 6)])
    assert values(table) == dict.fromkeys(range(1, 6), 2)


def test_messages_of_one_writer(table: Table) -> None:
    """A message that updates a key conflicts, unless the message that adds the key is committed with it."""
    with table.writer() as writer:
        writer.write([row(5, 0)])
        first = writer.prepare()
        writer.write([row(5, 1)])
        second = writer.prepare()
    with pytest.raises(CommitConflict):
        table.commit(second, 2, "alone")
    table.commit([*first, *second], 3, "together")
    table.write([row(5, 2)])
    assert values(table)[5] == 2


def test_the_replaced_index_has_expired(table: Table) -> None:
    """Rows conflict if the index has expired, because the keys of the bucket can no longer be checked."""
    messages = prepared(table, row(3, 1))
    table.write([row(5, 0)])
    table.expire_snapshots(retain_max=1, retain_min=1)
    with pytest.raises(CommitConflict, match="removed keys of bucket 1"):
        table.commit(messages)
