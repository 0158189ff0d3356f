"""Another commit during a rescale of a table with deletion vectors: no delete is undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from tests.support.concurrent_changes import LARGE, VECTORS, content, key_table, prepared, rows, upserts
from workbench.base.errors import CommitConflict
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.commit import publish
from workbench.commit.commit import TableCommit
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.manifests import ManifestFiles
from workbench.table.compaction import rescale as rescaling
from workbench.table.schema_changes.changes import SetOption
from workbench.table.table import Table


def rescale_while(table: Table, change: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Rescale to two buckets, with a commit between reading and committing."""
    replace_files = publish.replace_files

    def replace_late(*arguments: Any, **named: Any) -> Any:
        change()
        return replace_files(*arguments, **named)

    with monkeypatch.context() as late:
        late.setattr(rescaling.publish, "replace_files", replace_late)
        table.rescale(bucket=2)


def test_rows_deleted_by_vector_while_a_rescale_runs(
    catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = key_table(catalog, **VECTORS)
    table.write(upserts(range(LARGE), 0), row_kind="kind")
    messages = prepared(table, rows(("-D", 5, 0)))

    def only_vectors() -> None:
        table.commit(messages)
        state = known_buckets(ManifestFiles(table.store).live_files(table.snapshot())).buckets
        assert [file.level > 0 for each in state.values() for file in each.files] == [True]

    with pytest.raises(CommitConflict, match="changed the partitions"):
        rescale_while(table, only_vectors, monkeypatch)
    assert set(content(table)) == {*range(LARGE)} - {5}
    table.rescale(bucket=2)
    assert set(content(table)) == {*range(LARGE)} - {5}


@pytest.mark.parametrize("earlier", [True, False])
def test_rows_of_append_tables_deleted_while_a_rescale_runs(
    catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch, earlier: bool
) -> None:
    options = {"bucket": "1", "bucket-key": "id", **VECTORS}
    table = catalog.create_table("db.a", {"id": "BIGINT", "v": "BIGINT"}, options=options)
    table.write(pa.table({"id": list(range(100)), "v": [0] * 100}))
    if earlier:
        table.delete("id = 3")
    with pytest.raises(CommitConflict, match="changed the partitions"):
        rescale_while(table, lambda: table.delete("id = 5"), monkeypatch)
    removed = {3, 5} if earlier else {5}
    assert set(content(table)) == {*range(100)} - removed
    table.rescale(bucket=2)
    assert set(content(table)) == {*range(100)} - removed


def test_a_commit_between_the_snapshots_of_a_rescale(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, **VECTORS)
    table.write(upserts(range(LARGE), 0), row_kind="kind")
    replace_method = TableCommit.replace

    def replace_and_be_written(self: TableCommit, *arguments: Any) -> Any:
        commit = replace_method(self, *arguments)
        catalog.alter_table("db.t", SetOption("bucket", "2"))
        catalog.get_table("db.t").write(rows(("-D", 1, 0), ("+I", -200, 0)), row_kind="kind")
        return commit

    with pytest.MonkeyPatch.context() as meanwhile:
        meanwhile.setattr(TableCommit, "replace", replace_and_be_written)
        table.rescale(bucket=2)
    result = catalog.get_table("db.t")
    assert set(content(result)) == {0, *range(2, LARGE), -200}
    result.compact(full=True)
    assert set(content(result)) == {0, *range(2, LARGE), -200}
