"""Concurrent commits, compared with the outcomes of Java Paimon 2.0.0's commit class.

The cases come from tests/interop/commit_cases.py. Files exist by name only: a commit opens none.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import CommitConflict
from workbench.catalog.connect import connect
from workbench.commit.commit import TableCommit
from workbench.commit.overwrite import Overwrite
from workbench.commit.publication import Publication
from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import EMPTY_STATS, CommitMessage, DataFileMeta, FileKind, FileSource
from workbench.format.spec.index_entry import DELETION_VECTORS, DeletionRange, IndexEntry
from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.write.static_partition import static_partition

LINES = (Path(__file__).parent / "recorded" / "commits.jsonl").read_text().splitlines()
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
TABLES: dict[str, tuple[list[str], dict[str, str]]] = {
    "keyed": (["p", "id"], {"bucket": "2"}),
    "append": ([], {"bucket": "2", "bucket-key": "id"}),
    "unaware": ([], {"deletion-vectors.enabled": "true"}),
}
# Deliberate differences from Java, documented in the code: prefixes of case names, and outcomes of the last commit.
OTHERWISE = {
    # Java checks bucket counts only if writers do not compact, and leaves files behind that its writers do not find.
    "keyed: another number of buckets: append, check=False": "refused",
    "keyed: another number of buckets: two numbers at once, check=False": "refused",
    "append: another number of buckets: append, check=False": "refused",
    "append: another number of buckets: two numbers at once, check=False": "refused",
    # This follows the description of the option; Java looks for snapshot 0 and fails.
    "keyed: strictly after -1: overwrite after compaction": "done",
    "keyed: strictly after -1: append after overwrite": "done",
    # A named partition is replaced even by no rows: Java skips it unless 'dynamic-partition-overwrite' is off.
    "keyed: nothing to overwrite, ignored=False": "done",
    "keyed: nothing to overwrite, ignored=True": "done",
}
COLUMNS = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL", "v": "STRING"}
INT, BIGINT = AtomicType("INT", False), AtomicType("BIGINT", False)


def files(recorded: Sequence[Sequence[Any]]) -> tuple[DataFileMeta, ...]:
    def key(value: int) -> bytes:
        return encode_row([value], [BIGINT])

    return tuple(
        DataFileMeta(
            name, 100, 10, key(minimum), key(greatest), EMPTY_STATS, EMPTY_STATS, 0, 9, 0, level,
            delete_row_count=0, file_source=FileSource.APPEND,
        )
        for name, level, minimum, greatest in recorded
    )  # fmt: skip


def vectors(partition: bytes, bucket: int, recorded: Sequence[tuple[str, Sequence[str]]]) -> tuple[IndexEntry, ...]:
    return tuple(
        IndexEntry(
            partition, bucket, DELETION_VECTORS, name, None,
            tuple(DeletionRange(each, 1 + 30 * position, 22, 1) for position, each in enumerate(marked)),
            100, len(marked),
        )
        for name, marked in recorded
    )  # fmt: skip


def message(recorded: dict[str, Any]) -> CommitMessage:
    partition, bucket = encode_row([recorded["p"]], [INT]), recorded["bucket"]

    def marks(name: str) -> tuple[IndexEntry, ...]:
        return vectors(partition, bucket, recorded.get(name, ()))

    return CommitMessage(
        partition,
        bucket,
        recorded["total"],
        new_files=files(recorded.get("new", ())),
        deleted_files=files(recorded.get("deleted", ())),
        compact_before=files(recorded.get("before", ())),
        compact_after=files(recorded.get("after", ())),
        new_index_files=marks("new_vectors"),
        deleted_index_files=marks("deleted_vectors"),
        compact_new_index_files=marks("compact_new_vectors"),
        compact_deleted_index_files=marks("compact_deleted_vectors"),
    )


def perform(store: TableStore, step: dict[str, Any]) -> str:
    schema: TableSchema = replace(store.schema, options={**store.schema.options, **step.get("options", {})})
    changed = store.with_schema(schema)
    committer = TableCommit(Publication(changed, step["user"], step.get("identifier", 1)))
    messages = [message(each) for each in step["messages"]]
    if step.get("filter") and committer.is_committed():
        return "committed before"
    try:
        if "overwrite" in step:
            given = {name: int(value) for name, value in step["overwrite"].items()}
            overwrite = Overwrite(changed, static_partition(changed, given))
            replaced = overwrite.replaced(messages)
            if replaced is not None:
                committer.overwrite(overwrite.upgraded_to_last_level(messages), replaced)
        else:
            force = step.get("ignore_empty") is False
            committer.append(messages, check_files=step.get("check", False), force=force)
            committer.compact(messages)
    except CommitConflict:
        return "refused"
    return "done"


def scanned(store: TableStore) -> list[str]:
    """Return the files as Java's scan finds them: all that were added and not removed, in any order of entries."""
    latest = Snapshots(store).latest()
    if latest is None:
        return []
    manifests = ManifestFiles(store)
    entries = list(manifests.entries(manifests.data_manifests(latest)))
    removed = {each.identifier for each in entries if each.kind == FileKind.DELETE}
    live = {each.identifier: each for each in entries if each.identifier not in removed}
    return sorted(
        f"{store.partition_values(each.partition)[0]} {each.bucket} {each.total_buckets} "
        f"{each.file.level} {each.file.file_name}"
        for each in live.values()
    )


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("table", TABLES)
def test_the_same_outcomes(table: str, every: int, tmp_path: Path) -> None:
    catalog = connect(tmp_path)
    catalog.create_database("db")
    keys, options = TABLES[table]
    cases = [each for each in CASES if each["table"] == table][::every]
    wrong = []
    for number, case in enumerate(cases):
        store = catalog.create_table(f"db.t{number}", COLUMNS, keys, ["p"], options).store
        result = {
            "outcomes": [perform(store, step) for step in case["steps"]],
            "kinds": [str(each.commit_kind) for each in Snapshots(store).all()],
            "files": scanned(store),
        }
        expected = {
            "outcomes": [each.partition(":")[0] for each in case["outcomes"]],
            "kinds": case["kinds"],
            "files": case["files"],
        }
        if case["name"] in OTHERWISE:
            assert result != expected
            assert result["outcomes"][-1] == OTHERWISE[case["name"]]
        elif result != expected:
            wrong.append((case["name"], expected, result))
    assert len(cases) > 20
    assert not wrong, f"{len(wrong)} of {len(cases)}: {wrong[:8]}"
