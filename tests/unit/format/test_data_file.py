"""File entries: identity, merging, and commit messages as bytes."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from workbench.base.errors import CommitConflict, Unsupported, WorkbenchError
from workbench.format.spec.data_file import (
    EMPTY_ROW,
    EMPTY_STATS,
    CommitMessage,
    DataFileMeta,
    FileKind,
    FileSource,
    ManifestEntry,
    SimpleStats,
    merge_entries,
)


def data_file(name="data-1.parquet", **changes):
    values = {
        "file_size": 10,
        "row_count": 3,
        "min_key": b"\x00\x01",
        "max_key": b"\xff",
        "key_stats": SimpleStats(b"a", b"b", (0, None)),
        "value_stats": SimpleStats(b"c", b"d", None),
        "min_sequence_number": 0,
        "max_sequence_number": 2**62,
        "schema_id": 0,
        "level": 0,
    }
    return DataFileMeta(name, **{**values, **changes})


FULL = data_file(
    extra_files=("data-1.parquet.index",),
    creation_time=1_700_000_000_123,
    delete_row_count=0,
    embedded_index=b"\x00\xfe",
    file_source=FileSource.APPEND,
    value_stats_cols=(),
    external_path="s3://elsewhere/data-1.parquet",
    first_row_id=0,
    write_cols=("a", "ä"),
)


def add(file, partition=EMPTY_ROW, bucket=0):
    return ManifestEntry(FileKind.ADD, partition, bucket, 4, file)


def delete(file, partition=EMPTY_ROW, bucket=0):
    return ManifestEntry(FileKind.DELETE, partition, bucket, 4, file)


def test_upgrade_changes_the_level_only():
    assert FULL.upgrade(5) == replace(FULL, level=5)
    assert FULL.level == 0


def test_add_and_delete_cancel():
    kept = add(data_file("kept"))
    assert merge_entries([add(data_file("gone")), kept, delete(data_file("gone"))]) == [kept]


def test_an_upgrade_keeps_the_new_level():
    file = data_file()
    merged = merge_entries([add(file), delete(file), add(file.upgrade(2))])
    assert [(entry.kind, entry.file.level) for entry in merged] == [(FileKind.ADD, 2)]


@pytest.mark.parametrize(
    "change",
    [{"level": 1}, {"extra_files": ("x",)}, {"embedded_index": b"i"}, {"external_path": "p"}, {"file_name": "other"}],
)
def test_a_delete_of_another_identity_does_not_cancel(change):
    other = replace(data_file(), **change)
    assert len(merge_entries([add(data_file()), delete(other)])) == 2


def test_partition_and_bucket_are_part_of_the_identity():
    file = data_file()
    assert len(merge_entries([add(file), delete(file, bucket=1), delete(file, partition=b"p")])) == 3


def test_stats_are_not_part_of_the_identity():
    assert merge_entries([add(data_file()), delete(data_file(value_stats=EMPTY_STATS, row_count=99))]) == []


def test_unmatched_deletes_are_kept():
    entries = [delete(data_file("a")), add(data_file("b"))]
    assert merge_entries(entries) == entries


def test_a_repeated_delete_still_deletes():
    assert merge_entries([delete(data_file()), delete(data_file())]) == [delete(data_file())]


@pytest.mark.parametrize("first", [add, delete])
def test_adding_a_file_again_is_a_conflict(first):
    with pytest.raises(CommitConflict, match=r"data-1\.parquet"):
        merge_entries([first(data_file()), add(data_file())])


@pytest.mark.parametrize("seed", range(30))
def test_merging_many_is_merging_one_after_the_other(seed):
    chance = random.Random(seed)
    files = [data_file(f"data-{number}", level=number % 2) for number in range(12)]
    entries, there = [], []
    for _ in range(chance.randrange(40)):
        file = chance.choice(files)
        entry = delete(file) if add(file) in there else add(file)
        entries.append(entry)
        if entry.kind == FileKind.ADD:
            there.append(entry)
        else:
            there.remove(add(file))
    assert merge_entries(iter(entries)) == there


def test_the_module_is_light():
    code = "import sys, workbench.format.spec.data_file; print({'numpy', 'pyarrow', 'fastavro'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_commit_message_keeps_everything():
    message = CommitMessage(
        b"\x00\xff",
        3,
        -1,
        new_files=(FULL, data_file("plain")),
        deleted_files=(data_file("deleted"),),
        changelog_files=(data_file("changelog"),),
        compact_before=(data_file("before"),),
        compact_after=(data_file("after", file_source=FileSource.COMPACT),),
        compact_changelog=(data_file("compact changelog"),),
        compaction={"reason": "size ratio", "runs": 5},
    )
    again = CommitMessage.from_bytes(message.to_bytes())
    assert again == message
    assert isinstance(again.new_files[0].file_source, FileSource)
    assert hash(again.new_files[0]) == hash(FULL)
    assert not message.is_empty
    assert CommitMessage(EMPTY_ROW, 0, 1).is_empty


@pytest.mark.parametrize("garbage", [b"", b"{", b"[]", b"{}", b"\xff", b'{"version":2}', b'"text"'])
def test_garbage_is_not_a_commit_message(garbage):
    with pytest.raises(WorkbenchError, match="not a commit message"):
        CommitMessage.from_bytes(garbage)


def test_commit_message_with_unknown_content_is_refused():
    message = json.loads(CommitMessage(EMPTY_ROW, 0, 1, new_files=(FULL,)).to_bytes())
    message["new_files"][0]["color"] = "red"
    with pytest.raises(WorkbenchError, match="not a commit message"):
        CommitMessage.from_bytes(json.dumps(message).encode())
    message["version"] = 1
    with pytest.raises(Unsupported, match="version 1"):
        CommitMessage.from_bytes(json.dumps(message).encode())
