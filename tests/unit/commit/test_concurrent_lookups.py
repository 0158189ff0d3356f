"""Two writers change a bucket from the same version, in tables whose compaction looks up older rows: no delete is lost,
no key is duplicated, and committed rows are visible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.concurrent_changes import LARGE, VECTORS, content, key_table, prepared, rows, upserts
from workbench.base.errors import CommitConflict
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.commit import publish
from workbench.commit.commit import TableCommit
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import EMPTY_ROW, CommitMessage
from workbench.format.spec.snapshot import CommitKind
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table
from workbench.write.deletion_vectors import BucketVectors


def data_files(table: Table) -> set[str]:
    return {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot())}


def table_files(table: Table) -> list[Path]:
    return list(Path(table.location).rglob("data-*"))


# --- deletion vectors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bitmap64", ["true", "false"])
@pytest.mark.parametrize("bucket", ["1", "-1"])
def test_both_keep_their_deletes(catalog: FileSystemCatalog, bucket: str, bitmap64: str) -> None:
    """The first file is too large to be merged with the small ones, so rows of it are marked as deleted."""
    table = key_table(catalog, bucket=bucket, **VECTORS, **{"deletion-vectors.bitmap64": bitmap64})
    table.write(upserts(range(LARGE), 0), row_kind="kind")
    one = prepared(table, rows(("+I", 1, 10), ("-D", 2, 0)))
    other = prepared(table, rows(("-D", 50, 0), ("+I", 51, 20)))
    table.commit(one)
    commit = table.commit(other)
    assert [each.commit_kind for each in commit.snapshots] == [CommitKind.APPEND, CommitKind.COMPACT]
    assert commit.abandoned is None
    assert sum(len(entry.vectors) for entry in index_entries(table.store, table.snapshot())) == 1
    after_one = {key: 0 for key in range(LARGE) if key != 2} | {1: 10}
    after_both = {key: value for key, value in after_one.items() if key != 50} | {51: 20}
    assert content(table) == after_both
    table.compact(full=True)
    assert content(table) == after_both
    at = {each.id: content(table.at(snapshot=each.id)) for each in table.snapshots()}
    assert [at[number] for number in (4, 5, 6, 7)] == [after_one, after_one, after_both, after_both]


def test_one_commit_of_two_writers(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, **VECTORS)
    table.write(upserts(range(LARGE), 0), row_kind="kind")
    messages = [*prepared(table, rows(("-D", 1, 0))), *prepared(table, rows(("-D", 2, 0), ("+I", 3, 5)))]
    assert table.commit(messages).abandoned is None
    expected = {key: 0 for key in range(LARGE) if key not in (1, 2)} | {3: 5}
    assert content(table) == expected
    table.compact(full=True)
    assert content(table) == expected


def test_one_commit_of_one_writer_that_prepared_twice(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, **VECTORS)
    table.write(upserts(range(LARGE), 0), row_kind="kind")
    with table.writer() as writer:
        writer.write(rows(("-D", 1, 0)), "kind")
        messages = writer.prepare()
        writer.write(rows(("-D", 2, 0)), "kind")
        messages += writer.prepare()
    commit = table.commit(messages)
    assert [each.commit_kind for each in commit.snapshots] == [CommitKind.APPEND, CommitKind.COMPACT]
    assert commit.snapshots[1].commit_user == commit.snapshots[0].commit_user, "its own compactions were committed"
    assert content(table) == {key: 0 for key in range(LARGE) if key not in (1, 2)}


def test_a_vector_may_be_of_a_partition(catalog: FileSystemCatalog) -> None:
    columns = {"id": "BIGINT NOT NULL", "p": "INT NOT NULL"}
    table = catalog.create_table(
        "db.p", columns, primary_key=["id", "p"], partition_by=["p"], options={"bucket": "2", **VECTORS}
    )
    table.write(pa.table({"id": list(range(40)), "p": pa.array([0, 1] * 20, pa.int32())}))

    def deletes(*ids: int) -> list[bytes]:
        with table.writer() as writer:
            kinds = pa.array(["-D"] * len(ids))
            writer.write(
                pa.table({"id": list(ids), "p": pa.array([each % 2 for each in ids], pa.int32()), "kind": kinds}),
                "kind",
            )
            return writer.prepare()

    one, other, third = deletes(*range(10)), deletes(*range(10, 20)), deletes(*range(21, 30, 2))
    for messages in (one, other, third):
        assert table.commit(messages).abandoned is None
    expected = {*range(20, 40)} - {*range(21, 30, 2)}
    for _ in range(2):
        assert sorted(table.to_arrow()["id"].to_pylist()) == sorted(expected)
        table.compact(full=True)


def test_a_commit_that_is_tried_again(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, **VECTORS)
    table.write(upserts(range(10), 0), row_kind="kind")
    one, other = prepared(table, rows(("-D", 1, 0)), "job"), prepared(table, rows(("-D", 2, 0)), "other job")
    table.commit(one, 1, "job")
    for _ in range(3):
        table.commit(other, 1, "other job")
        table.commit(one, 1, "job")
    assert sorted(content(table)) == [0, *range(3, 10)]
    assert len(table.snapshots()) == 6
    assert table.commit(prepared(table, rows(("-D", 3, 0))), 2, "other job").snapshots
    assert sorted(content(table)) == [0, *range(4, 10)]


def test_a_table_may_be_overwritten_concurrently(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, **VECTORS)
    table.write(upserts(range(10), 0), row_kind="kind")
    messages = prepared(table, rows(("-D", 1, 0), ("+I", 2, 5)))
    table.write(upserts(range(20), 1), mode="overwrite", row_kind="kind")
    table.commit(messages)
    expected = {key: 1 for key in range(20) if key != 1} | {2: 5}
    for _ in range(2):
        assert content(table) == expected
        table.compact(full=True)


def test_rows_deleted_while_a_compaction_runs(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    table = key_table(catalog, **VECTORS)
    table.write(upserts(range(LARGE), 0), row_kind="kind")
    table.write(upserts(range(LARGE, LARGE + 10), 0), row_kind="kind")
    commit = publish.compact

    def commit_late(*arguments: Any) -> Any:
        table.write(rows(("-D", 7, 0)), row_kind="kind")
        return commit(*arguments)

    with monkeypatch.context() as late:
        late.setattr(publish, "compact", commit_late)
        with pytest.raises(CommitConflict):
            table.compact(full=True)
    expected = {*range(LARGE + 10)} - {7}
    assert set(content(table)) == expected
    table.compact(full=True)
    assert set(content(table)) == expected


def test_vectors_written_concurrently(catalog: FileSystemCatalog) -> None:
    """Two commits that add the first vector of a file conflict; the vectors are created by hand, as by other
    libraries."""
    table = key_table(catalog, **VECTORS)
    table.write(upserts(range(10), 0), row_kind="kind")
    (file,) = (file for split in table.scan().plan() for file in split.files)
    messages = []
    for position in (3, 4):
        vectors = BucketVectors.of(table.store, table.version, EMPTY_ROW, 0)
        vectors.delete(file, DeletionVector.of([position]))
        change = vectors.persist()
        messages.append(CommitMessage(EMPTY_ROW, 0, 1, new_index_files=change.new, deleted_index_files=change.deleted))
    table.commit([messages[0]])
    with pytest.raises(CommitConflict, match="deleted rows of bucket 0"):
        table.commit([messages[1]])
    assert sorted(content(table)) == [0, 1, 2, *range(4, 10)]


# --- other tables that look up ----------------------------------------------------------------------------------------

LOOKING_UP = {
    "deduplicate": VECTORS,
    "first-row": {"merge-engine": "first-row"},
    "partial-update": {"merge-engine": "partial-update", **VECTORS},
    "sum": {"merge-engine": "aggregation", "fields.v.aggregate-function": "sum", **VECTORS},
    "sum with lookup": {
        "merge-engine": "aggregation",
        "fields.v.aggregate-function": "sum",
        "changelog-producer": "lookup",
    },
    "forced": {"merge-engine": "aggregation", "fields.v.aggregate-function": "sum", "force-lookup": "true"},
    "merge on read": {**VECTORS, "deletion-vectors.merge-on-read": "true"},
}


@pytest.mark.parametrize("first", [1, 400])
@pytest.mark.parametrize("kind", LOOKING_UP)
def test_one_key_on_two_levels(catalog: FileSystemCatalog, kind: str, first: int) -> None:
    """A large batch is merged with the lowest level, a small one remains above it: a key in both is visible once."""
    table = key_table(catalog, **LOOKING_UP[kind])
    table.write(upserts(range(200), 1), row_kind="kind")
    one = prepared(table, upserts(range(200, 200 + first), 1))
    other = prepared(table, upserts(range(200, 601 - first), 1))
    for messages in (one, other):
        commit = table.commit(messages)
        assert commit.abandoned is None or not table.schema.kind.hides_level_0
    both = 2 if kind in ("sum", "sum with lookup", "forced") else 1
    shared = range(200, min(200 + first, 601 - first))
    expected = {**dict.fromkeys(range(600), 1), **dict.fromkeys(shared, both)}
    expected = {key: value for key, value in expected.items() if key < max(200 + first, 601 - first)}
    for _ in range(2):
        assert content(table) == expected
        table.compact(full=True)


@settings(max_examples=6, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("kind", ["deduplicate", "merge on read", "sum with lookup"])
def test_histories(tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject) -> None:
    """Any number of writers from one version, with separate keys, committed in any order."""
    catalog = connect(tmp_path_factory.mktemp("warehouse"))
    catalog.create_database("db")
    table = key_table(catalog, **LOOKING_UP[kind], **{"num-sorted-run.compaction-trigger": "3"})
    expected: dict[int, int] = {}
    for step in range(data.draw(st.integers(1, 4))):
        batches = []
        for writer in range(data.draw(st.integers(1, 3))):
            own = st.integers(0, 60).map(lambda key, writer=writer: key * 3 + writer)
            batches.append(
                {key: data.draw(st.booleans()) or "sum" in kind for key in data.draw(st.sets(own, min_size=1))}
            )
        messages = [
            prepared(table, rows(*(("+I" if stays else "-D", key, step + 1) for key, stays in batch.items())))
            for batch in batches
        ]
        for position in data.draw(st.permutations(range(len(batches)))):
            table.commit(messages[position])
            for key, stays in batches[position].items():
                before = expected.pop(key, 0) if "sum" in kind else expected.pop(key, 0) * 0
                if stays:
                    expected[key] = before + step + 1
            assert content(table) == expected
        if data.draw(st.booleans()):
            table.compact(full=data.draw(st.booleans()))
            assert content(table) == expected
    table.compact(full=True)
    assert content(table) == expected


# --- rows are visible -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [VECTORS, {"merge-engine": "first-row"}])
def test_rows_are_compacted_again(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    table = key_table(catalog, **options)
    table.write(upserts(range(10), 0), row_kind="kind")
    one, other = prepared(table, upserts(range(10, 20), 0)), prepared(table, upserts(range(15, 30), 0))
    table.commit(one)
    commit = table.commit(other)
    assert [each.commit_kind for each in commit.snapshots] == [CommitKind.APPEND, CommitKind.COMPACT]
    assert (commit.abandoned, commit.rows, len(commit.compactions)) == (None, 15, 1)
    assert set(content(table)) == {*range(30)}
    assert data_files(table) <= {path.name for path in table_files(table)}


@pytest.mark.parametrize("options", [VECTORS, {"merge-engine": "first-row"}, {"changelog-producer": "lookup"}])
def test_a_stream_continues_after_a_lost_race(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    """After a compaction is abandoned, the next one does not look up rows in its files, which were deleted."""
    table = key_table(catalog, **options)
    table.write(upserts(range(20), 0), row_kind="kind")
    with table.writer("job") as one, table.writer("other job") as other:
        for number in range(1, 5):
            one.write(upserts(range(10 * number, 10 * number + 15), number), "kind")
            messages = one.prepare()
            other.write(upserts(range(-10 * number, 0), number), "kind")
            table.commit(other.prepare(), number, "other job")
            commit = table.commit(messages, number, "job")
            assert commit.abandoned is None or not table.schema.kind.hides_level_0
            assert set(content(table)) == {*range(-10 * number, max(20, 10 * number + 15))}
    expected = content(table)
    table.compact(full=True)
    assert content(table) == expected


def test_files_that_another_commit_compacted(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    table = key_table(catalog, **VECTORS)
    table.write(upserts(range(10), 0), row_kind="kind")
    messages = prepared(table, upserts(range(5, 15), 1))
    append = TableCommit.append

    def append_and_be_compacted(self: TableCommit, *arguments: Any, **named: Any) -> Any:
        commit = append(self, *arguments, **named)
        table.compact(full=True)
        return commit

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(TableCommit, "append", append_and_be_compacted)
        commit = table.commit(messages)
    assert [each.commit_kind for each in commit.snapshots] == [CommitKind.APPEND]
    assert commit.abandoned is None
    assert content(table) == {key: int(key >= 5) for key in range(15)}


def test_a_compaction_that_always_loses_explains_what_to_do(
    catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = key_table(catalog, **VECTORS, **{"commit.max-retries": "2", "commit.min-retry-wait": "1 ms"})
    table.write(upserts(range(10), 0), row_kind="kind")
    messages = prepared(table, upserts(range(5, 15), 1))
    tried = []

    def lose(self: TableCommit, *arguments: Any) -> Any:
        tried.append((self, arguments))
        raise CommitConflict("Another commit was first.")

    before = set(table_files(table))
    with monkeypatch.context() as losing:
        losing.setattr(TableCommit, "compact", lose)
        commit = table.commit(messages)
    assert len(tried) == 4
    assert commit.abandoned is not None
    assert "call compact()" in commit.abandoned
    assert commit.abandoned in str(commit)
    assert len(before - set(table_files(table))) == 1, "what it compacted to is taken away"
    assert set(table_files(table)) <= before
    assert content(table) == dict.fromkeys(range(10), 0)
    table.compact()
    assert content(table) == {key: int(key >= 5) for key in range(15)}


def test_an_overwrite_writes_no_changelog_when_it_is_compacted_again(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, **VECTORS, **{"changelog-producer": "lookup"})
    table.write(upserts(range(10), 0), row_kind="kind")
    overwrite = TableCommit.overwrite

    def overwrite_and_be_written(self: TableCommit, *arguments: Any, **named: Any) -> Any:
        commit = overwrite(self, *arguments, **named)
        table.write(upserts(range(100, 103), 0), row_kind="kind")
        return commit

    with pytest.MonkeyPatch.context() as meanwhile:
        meanwhile.setattr(TableCommit, "overwrite", overwrite_and_be_written)
        commit = table.write(upserts(range(20, 25), 1), mode="overwrite", row_kind="kind")
    assert commit.abandoned is None
    assert content(table) == {**dict.fromkeys(range(20, 25), 1), **dict.fromkeys(range(100, 103), 0)}
    assert all(each.changelog_manifest_list is None for each in commit.snapshots)
