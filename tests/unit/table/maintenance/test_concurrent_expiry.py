"""Two processes that expire the snapshots of one table at the same time."""

from __future__ import annotations

import pytest

from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.snapshots import Snapshots


def test_another_process_expires_more(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """An expiry changes nothing if another process expires more snapshots after this one has listed them and before it
    reads the first snapshot to keep."""
    table = catalog.create_table("db.t", {"id": "INT"}, ["id"], options={"bucket": "1"})
    for number in range(6):
        table.write([{"id": number}])
    listed = Snapshots.ids

    def ids(self: Snapshots) -> list[int]:
        found = listed(self)
        with monkeypatch.context() as patch:
            patch.setattr(Snapshots, "ids", listed)
            connect(catalog.warehouse).get_table("db.t").expire_snapshots(1, 1, older_than="2999-01-01 00:00:00")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Snapshots, "ids", ids)
        expiry = table.expire_snapshots(3, 3, older_than="2999-01-01 00:00:00")
    assert (expiry.snapshots, expiry.deleted_files) == ((), ())
    assert [each.id for each in table.snapshots()] == [table.snapshot().id]
    assert sorted(table.to_arrow()["id"].to_pylist()) == [0, 1, 2, 3, 4, 5]
