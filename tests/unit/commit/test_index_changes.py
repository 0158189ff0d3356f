"""Index files from a commit message to the next version's index manifest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.base.errors import CommitConflict
from workbench.commit.index_changes import IndexChanges
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.index_entry import DELETION_VECTORS, HASH, DeletionRange, GlobalIndex, IndexEntry
from workbench.format.spec.index_manifest import read_index_manifest, write_index_manifest

VECTORS = IndexEntry(b"p", 1, DELETION_VECTORS, "index-a", None, (DeletionRange("data-1", 1, 20, 3),), 40, 1)
HASHES = IndexEntry(b"p", 1, HASH, "index-b", None, (), 8, 2)
GLOBAL = IndexEntry(b"p", 0, "btree", "index-c", "file:/x/index-c", (), 9, 5, GlobalIndex(0, 4, 2, (3,), b"m", b"s"))


def test_a_manifest_contains_the_written_files() -> None:
    entries = [VECTORS, HASHES, GLOBAL]
    assert read_index_manifest(write_index_manifest(entries), "index-manifest-x") == entries


def test_a_message_carries_index_files() -> None:
    message = CommitMessage(
        b"p",
        1,
        2,
        new_index_files=(VECTORS,),
        deleted_index_files=(HASHES,),
        compact_new_index_files=(GLOBAL,),
        compact_deleted_index_files=(VECTORS,),
        assigned_by=HASHES,
    )
    assert CommitMessage.from_bytes(message.to_bytes()) == message
    assert not message.is_empty


def test_a_bucket_has_one_file_of_each_type() -> None:
    newer = replace(VECTORS, file_name="index-n")
    result = IndexChanges(added=(newer,)).applied_to([VECTORS, HASHES, GLOBAL], is_unaware=False)
    assert set(result) == {newer, HASHES, GLOBAL}


def test_without_buckets_files_are_known_by_name() -> None:
    other = replace(VECTORS, file_name="index-n", vectors=(DeletionRange("data-2", 1, 20, 3),))
    assert set(IndexChanges((other,)).applied_to([VECTORS], is_unaware=True)) == {VECTORS, other}
    assert IndexChanges((), (VECTORS,)).applied_to([VECTORS], is_unaware=True) == ()
    with pytest.raises(CommitConflict, match="index-n was removed"):
        IndexChanges((), (other,)).applied_to([VECTORS], is_unaware=True)


def test_a_data_file_has_one_vector() -> None:
    again = replace(VECTORS, file_name="index-n")
    with pytest.raises(CommitConflict, match="data-1"):
        IndexChanges((again,)).applied_to([VECTORS], is_unaware=True)
    assert IndexChanges((again,), (VECTORS,)).applied_to([VECTORS], is_unaware=True) == (again,)
