"""Outcomes of publications, which the callers of this room follow up, and cleaning up after failures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.concurrent_changes import VECTORS, content, key_table, prepared, upserts
from workbench.base.errors import CommitConflict
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.commit import publish
from workbench.commit.cleanup import metadata_files, removed_if_unpublished
from workbench.commit.outcome import CommitOutcome
from workbench.commit.publication import Publication
from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import CommitKind
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table


def decoded(messages: list[bytes]) -> list[CommitMessage]:
    return [CommitMessage.from_bytes(each) for each in messages]


def data_files(table: Table) -> set[str]:
    return {path.name for path in Path(table.location).rglob("data-*")}


def losing(table: Table) -> CommitOutcome:
    """Publish a write whose compaction has lost to another commit."""
    table.write(upserts(range(10), 0), row_kind="kind")
    one, other = prepared(table, upserts(range(10, 20), 0)), prepared(table, upserts(range(15, 30), 0))
    table.commit(one)
    return publish.commit(Publication.by_new_user(table.store, {"note": "mine"}), decoded(other))


def test_a_bucket_that_lost_is_named_and_not_compacted(catalog: FileSystemCatalog) -> None:
    outcome = losing(key_table(catalog, **VECTORS))
    assert [each.commit_kind for each in outcome.snapshots] == [CommitKind.APPEND]
    assert outcome.lost == {(encode_row([], []), 0)}
    assert outcome.abandoned is not None
    assert not any(each.compact_before for each in outcome.messages)
    assert outcome.snapshots[0].properties["note"] == "mine"


def test_a_compaction_that_only_helps_readers_is_not_repeated(catalog: FileSystemCatalog) -> None:
    outcome = losing(key_table(catalog, **{"num-sorted-run.compaction-trigger": "2"}))
    assert [each.commit_kind for each in outcome.snapshots] == [CommitKind.APPEND]
    assert outcome.lost == frozenset()
    assert outcome.abandoned is not None


def test_publishing_runs_no_maintenance(catalog: FileSystemCatalog) -> None:
    retained = {"snapshot.num-retained.min": "1", "snapshot.num-retained.max": "1"}
    table = key_table(catalog, **retained)
    for number in range(3):
        messages = decoded(prepared(table, upserts(range(number, number + 1), number)))
        publish.commit(Publication.by_new_user(table.store), messages)
    assert [each.id for each in table.snapshots()] == [1, 2, 3]
    table.write(upserts(range(3, 4), 3), row_kind="kind")
    assert [each.id for each in table.snapshots()] == [4]


def test_an_identifier_is_published_once(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog)
    messages = decoded(prepared(table, upserts(range(3), 0), "job"))
    publication = Publication(table.store, "job", 7)
    assert not publish.commit(publication, messages).is_skipped
    assert publish.commit(publication, messages) == CommitOutcome(publication, is_skipped=True)
    assert content(table) == dict.fromkeys(range(3), 0)


@pytest.mark.parametrize(("error", "kept"), [(CommitConflict("Another was first."), False), (OSError("Slow."), True)])
def test_files_are_removed_only_if_nothing_was_published(
    catalog: FileSystemCatalog, error: Exception, kept: bool
) -> None:
    table = key_table(catalog)
    messages = decoded(prepared(table, upserts(range(3), 0)))
    written = data_files(table)
    with pytest.raises(type(error)), removed_if_unpublished(table.store, messages):
        raise error
    assert len(written) == 1
    assert data_files(table) == (written if kept else set())


@pytest.mark.parametrize("in_doubt", [False, True])
def test_metadata_files_in_doubt_are_kept(catalog: FileSystemCatalog, in_doubt: bool) -> None:
    table = key_table(catalog)
    manifests = ManifestFiles(table.store)
    manifest_list = manifests.write_list([])

    def fail() -> None:
        with metadata_files(manifests) as written:
            written.note(manifest_list.name)
            written.in_doubt = in_doubt
            raise OSError("Slow.")

    with pytest.raises(OSError, match="Slow"):
        fail()
    assert (Path(table.location) / "manifest" / manifest_list.name).exists() == in_doubt
