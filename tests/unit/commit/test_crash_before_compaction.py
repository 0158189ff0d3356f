"""A process that ends after it committed rows, and before it committed their compaction, on tables whose reads skip
level 0 (docs/damage.md)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.base.errors import Cancelled
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.commit.commit import TableCommit
from workbench.table.table import Table

OPTIONS = {
    "vectors": {"bucket": "1", "deletion-vectors.enabled": "true"},
    "first-row": {"bucket": "1", "merge-engine": "first-row"},
}


def ids(table: Table) -> list[int]:
    return sorted(table.to_arrow()["id"].to_pylist())


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize(
    ("repair", "expected"),
    [
        (lambda table: table.compact(), [1, 2]),
        (lambda table: table.write([{"id": 3}]), [1, 2, 3]),
    ],
    ids=["compact", "write"],
)
def test_rows_are_hidden_until_their_bucket_is_compacted(
    kind: str,
    repair: Callable[[Table], object],
    expected: list[int],
    catalog: FileSystemCatalog,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = catalog.create_table("db.t", {"id": "INT NOT NULL"}, "id", options=OPTIONS[kind])
    table.write([{"id": 1}])

    def crash(*_: object) -> None:
        raise Cancelled

    with monkeypatch.context() as patched:
        patched.setattr(TableCommit, "compact", crash)
        with pytest.raises(Cancelled):
            table.write([{"id": 2}])
    assert ids(table) == [1]
    hidden = [each.rule for each in table.scan().explain().pruned]
    assert hidden == ["level 0"]
    repair(table)
    assert ids(table) == expected
    assert not table.scan().explain().pruned
