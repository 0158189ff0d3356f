"""The snapshot file (format §2, Appendix B)."""

from __future__ import annotations

import json

import pytest

from workbench.base.errors import CorruptFile
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot

EXAMPLE = {
    "version": 3,
    "uuid": "2ee6f282-1729-4386-81ea-f7fcfff91f7f",
    "id": 1,
    "schemaId": 0,
    "baseManifestList": "manifest-list-u-0",
    "baseManifestListSize": 1006,
    "deltaManifestList": "manifest-list-u-1",
    "deltaManifestListSize": 1107,
    "commitUser": "ad79611b",
    "commitIdentifier": 9223372036854775807,
    "commitKind": "APPEND",
    "timeMillis": 1795226564629,
    "totalRecordCount": 3,
    "deltaRecordCount": 3,
    "nextRowId": 0,
    "operation": "WRITE",
}
FULL = EXAMPLE | {
    "changelogManifestList": "c",
    "changelogManifestListSize": 5,
    "indexManifest": "i",
    "writerVersion": "w",
    "changelogRecordCount": 4,
    "watermark": -9223372036854775808,
    "statistics": "stat-u-0",
    "properties": {"a": "b"},
}
ORDER = [
    "version",
    "uuid",
    "id",
    "schemaId",
    "baseManifestList",
    "baseManifestListSize",
    "deltaManifestList",
    "deltaManifestListSize",
    "changelogManifestList",
    "changelogManifestListSize",
    "indexManifest",
    "commitUser",
    "writerVersion",
    "commitIdentifier",
    "commitKind",
    "timeMillis",
    "totalRecordCount",
    "deltaRecordCount",
    "changelogRecordCount",
    "watermark",
    "statistics",
    "properties",
    "nextRowId",
    "operation",
]


@pytest.mark.parametrize("value", [EXAMPLE, FULL])
def test_reads_and_writes_the_same_members(value: dict[str, object]) -> None:
    snapshot = Snapshot.from_json(json.dumps(value), "p")
    written = json.loads(snapshot.to_json())
    assert written == value
    assert list(written) == [name for name in ORDER if name in value]
    assert Snapshot.from_json(snapshot.to_json(), "p") == snapshot


def test_members_have_their_names() -> None:
    snapshot = Snapshot.from_json(json.dumps(FULL).encode(), "p")
    assert snapshot.commit_kind is CommitKind.APPEND
    assert snapshot.commit_identifier == BATCH_COMMIT_IDENTIFIER
    assert snapshot.properties == {"a": "b"}
    assert (snapshot.index_manifest, snapshot.watermark, snapshot.next_row_id) == ("i", -9223372036854775808, 0)


def test_never_writes_null_or_empty_properties() -> None:
    text = Snapshot.from_json(json.dumps(EXAMPLE | {"properties": {}}), "p").to_json()
    assert "null" not in text
    assert "properties" not in text


def test_old_files_with_nulls_offsets_and_unknown_members_are_read() -> None:
    old = {
        "version": 1,
        "id": 5,
        "schemaId": 0,
        "baseManifestList": "b",
        "deltaManifestList": "d",
        "changelogManifestList": None,
        "indexManifest": None,
        "commitUser": "u",
        "commitIdentifier": 3,
        "commitKind": "COMPACT",
        "timeMillis": 7,
        "logOffsets": {"0": 12},
        "totalRecordCount": None,
        "watermark": None,
        "properties": None,
        "somethingNew": [1],
    }
    snapshot = Snapshot.from_json(json.dumps(old), "p")
    assert (snapshot.version, snapshot.uuid, snapshot.total_record_count) == (1, None, None)
    assert snapshot.properties == {}
    assert "logOffsets" not in snapshot.to_json()
    del old["version"]
    assert Snapshot.from_json(json.dumps(old), "p").version == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a snapshot in JSON"),
        ("{", "not a snapshot in JSON"),
        (b"\xff\xfe\x00", "not a snapshot in JSON"),
        ("[" * 100_000, "not a snapshot in JSON"),
        ("[]", "not a JSON object"),
        ("{}", "no 'id'"),
        (json.dumps(EXAMPLE | {"commitUser": None}), "no 'commitUser'"),
        (json.dumps(EXAMPLE | {"id": "1"}), "'id' of the snapshot"),
        (json.dumps(EXAMPLE | {"id": True}), "'id' of the snapshot"),
        (json.dumps(EXAMPLE | {"commitKind": "MOVE"}), "'MOVE' is not a commit kind"),
        (json.dumps(EXAMPLE | {"commitKind": ["APPEND"]}), "is not a commit kind"),
        (json.dumps(EXAMPLE | {"properties": 3}), "'properties'"),
    ],
)
def test_garbage_names_the_file(text: str | bytes, message: str) -> None:
    with pytest.raises(CorruptFile) as caught:
        Snapshot.from_json(text, "/wh/t/snapshot/snapshot-1")
    assert caught.value.path == "/wh/t/snapshot/snapshot-1"
    assert message in str(caught.value)


@pytest.mark.parametrize("name", [name for name in ORDER if name in ("id", "schemaId", "commitKind", "timeMillis")])
def test_required_members_must_exist(name: str) -> None:
    with pytest.raises(CorruptFile, match=f"'{name}'"):
        Snapshot.from_json(json.dumps({key: each for key, each in EXAMPLE.items() if key != name}), "p")
