"""Manifests and manifest lists: exact layout when written, every known layout when read, and reported damage."""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import replace

import fastavro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.spec.data_file import (
    EMPTY_ROW,
    EMPTY_STATS,
    DataFileMeta,
    FileKind,
    FileSource,
    ManifestEntry,
    ManifestFileMeta,
    SimpleStats,
)
from workbench.format.spec.manifest import (
    MANIFEST_SCHEMA,
    read_manifest,
    read_manifest_list,
    write_manifest,
    write_manifest_list,
)

STATS = SimpleStats(b"\x00min", b"\xffmax", (0, None, 7))
PLAIN = DataFileMeta("data-1.parquet", 10, 3, b"k1", b"k2", STATS, EMPTY_STATS, 1, 2, 0, 0)
FULL = replace(
    PLAIN,
    level=5,
    value_stats=SimpleStats(EMPTY_ROW, EMPTY_ROW, None),
    extra_files=("a.index", "b.index"),
    creation_time=1_700_000_000_123,
    delete_row_count=0,
    embedded_index=b"\x00",
    file_source=FileSource.COMPACT,
    value_stats_cols=("id", "größe"),
    external_path="s3://x/y",
    first_row_id=2**40,
    write_cols=(),
)
ENTRIES = [
    ManifestEntry(FileKind.ADD, b"p1", 0, 4, PLAIN),
    ManifestEntry(FileKind.DELETE, b"p2", 3, -1, FULL),
]
META = ManifestFileMeta("manifest-1", 100, 2, 1, STATS, 3, 0, 7, 0, 5, None, 9)


def header(data):
    return fastavro.reader(io.BytesIO(data))


def names(record):
    return [field["name"] for field in record["fields"]]


def test_manifest_round_trip():
    again = read_manifest(write_manifest(ENTRIES), "m")
    assert again == ENTRIES
    assert isinstance(again[1].kind, FileKind)
    assert isinstance(again[1].file.file_source, FileSource)
    assert hash(again[1]) == hash(ENTRIES[1])


def test_entries_share_their_partition():
    entries = read_manifest(write_manifest([ENTRIES[0]] * 3), "m")
    assert len({id(entry.partition) for entry in entries}) == 1


def test_manifest_list_round_trip():
    metas = [META, ManifestFileMeta("manifest-2", 1, 0, 0, EMPTY_STATS, 0)]
    assert read_manifest_list(write_manifest_list(metas), "l") == metas
    assert read_manifest_list(write_manifest_list([]), "l") == []


def test_manifest_has_the_shape_of_java():
    reader = header(write_manifest(ENTRIES))
    assert reader.metadata["avro.codec"] == "zstandard"
    schema = reader.writer_schema
    assert schema["name"] == "org.apache.paimon.avro.generated.record"
    assert names(schema) == ["_VERSION", "_KIND", "_PARTITION", "_BUCKET", "_TOTAL_BUCKETS", "_FILE"]
    file = schema["fields"][-1]["type"]
    assert file["name"] == "org.apache.paimon.avro.generated.record__FILE"
    assert names(file)[-4:] == ["_VALUE_STATS_COLS", "_EXTERNAL_PATH", "_FIRST_ROW_ID", "_WRITE_COLS"]
    by_name = {field["name"]: field for field in file["fields"]}
    assert by_name["_CREATION_TIME"]["type"] == ["null", {"type": "long", "logicalType": "timestamp-millis"}]
    assert by_name["_EXTRA_FILES"]["type"] == {"type": "array", "items": "string"}
    assert "default" in by_name["_FILE_SOURCE"]
    assert by_name["_FILE_SOURCE"]["default"] is None
    assert "default" not in by_name["_LEVEL"]
    assert by_name["_VALUE_STATS"]["type"]["name"] == "org.apache.paimon.avro.generated.record__FILE__VALUE_STATS"
    records = list(reader)
    assert [record["_VERSION"] for record in records] == [2, 2]
    assert [record["_KIND"] for record in records] == [0, 1]


def test_manifest_list_has_the_shape_of_java():
    schema = header(write_manifest_list([META])).writer_schema
    assert names(schema) == [
        "_VERSION",
        "_FILE_NAME",
        "_FILE_SIZE",
        "_NUM_ADDED_FILES",
        "_NUM_DELETED_FILES",
        "_PARTITION_STATS",
        "_SCHEMA_ID",
        "_MIN_BUCKET",
        "_MAX_BUCKET",
        "_MIN_LEVEL",
        "_MAX_LEVEL",
        "_MIN_ROW_ID",
        "_MAX_ROW_ID",
    ]
    stats = schema["fields"][5]["type"]
    assert stats["fields"][2]["type"] == ["null", {"type": "array", "items": ["null", "long"]}]


@pytest.mark.parametrize(("option", "codec"), [("none", "null"), ("deflate", "deflate"), ("ZSTD", "zstandard")])
def test_codecs(option, codec):
    data = write_manifest(ENTRIES, option)
    assert header(data).metadata["avro.codec"] == codec
    assert read_manifest(data, "m") == ENTRIES


def test_unknown_codecs_are_refused():
    with pytest.raises(Unsupported, match="rot13"):
        write_manifest(ENTRIES, "rot13")


def without(schema, *dropped):
    return {**schema, "fields": [field for field in schema["fields"] if field["name"] not in dropped]}


def container(schema, data):
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(schema), list(header(data)))
    return out.getvalue()


OLD_ENDS = {"_DELETE_ROW_COUNT": 6, "_FILE_SOURCE": 4, "_VALUE_STATS_COLS": 3, "_FIRST_ROW_ID": 1}


@pytest.mark.parametrize("last", OLD_ENDS)
def test_older_manifests_read_missing_fields_as_none(last):
    file_field = MANIFEST_SCHEMA["fields"][-1]
    all_names = names(file_field["type"])
    dropped = all_names[all_names.index(last) + 1 :]
    assert len(dropped) == OLD_ENDS[last]
    old = {
        **MANIFEST_SCHEMA,
        "fields": [*MANIFEST_SCHEMA["fields"][:-1], {**file_field, "type": without(file_field["type"], *dropped)}],
    }
    read = read_manifest(container(old, write_manifest(ENTRIES)), "old")
    expected = {name.removeprefix("_").lower().replace("embedded_file_index", "embedded_index") for name in dropped}
    for entry, original in zip(read, ENTRIES, strict=True):
        assert entry.file == replace(original.file, **dict.fromkeys(expected))


def test_older_manifest_lists_read():
    schema = header(write_manifest_list([META])).writer_schema
    dropped = names(schema)[7:]
    old = container(without(schema, *dropped), write_manifest_list([META]))
    assert read_manifest_list(old, "l") == [ManifestFileMeta("manifest-1", 100, 2, 1, STATS, 3)]


def test_unknown_fields_and_a_root_union_are_accepted():
    schema = header(write_manifest_list([META])).writer_schema
    wider = {**schema, "fields": [*schema["fields"], {"name": "_TOTAL_BUCKETS", "type": "int", "default": 4}]}
    assert read_manifest_list(container(["null", wider], write_manifest_list([META])), "l") == [META]


def garble_block(data):
    start = data.index(data[-16:]) + 16
    return data[:start] + b"\xff" * 12 + data[start + 12 :]


DAMAGE = {
    "empty": lambda data: data[:0],
    "no Avro": lambda data: b"PAR1" + data,
    "magic only": lambda data: data[:4],
    "half a header": lambda data: data[:60],
    "no records": lambda data: data[: len(data) // 2],
    "last byte gone": lambda data: data[:-1],
    "sync garbled": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "block garbled": garble_block,
    "schema garbled": lambda data: data.replace(b"_VERSION", b"_WERSION"),
    "schema of something else": lambda data: data.replace(b'"bytes"', b'"wrong"'),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("codec", ["zstd", "none"])
def test_damage_names_the_file(damage, codec):
    for data, read in (
        (write_manifest(ENTRIES, codec), read_manifest),
        (write_manifest_list([META], codec), read_manifest_list),
    ):
        with pytest.raises(CorruptFile, match="/t/manifest/x") as caught:
            read(DAMAGE[damage](data), "/t/manifest/x")
        assert caught.value.path == "/t/manifest/x"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=30), st.integers(0, 2000), st.sampled_from(["zstd", "none"]))
def test_any_damage_results_in_our_errors_or_entries(noise, position, codec):
    data = bytearray(write_manifest(ENTRIES, codec))
    data[position : position + len(noise)] = noise
    with suppress(CorruptFile, Unsupported):
        assert all(isinstance(entry, ManifestEntry) for entry in read_manifest(bytes(data), "x"))


def test_a_cut_between_blocks_changes_the_count():
    entries = [replace(ENTRIES[0], bucket=index) for index in range(5000)]
    data = write_manifest(entries, "none")
    sync = data[-16:]
    cut = data[: data.index(sync, data.index(sync) + 16) + 16]
    assert 0 < len(read_manifest(cut, "x")) < 5000
    with pytest.raises(CorruptFile, match="5000"):
        read_manifest(cut, "x", expected_entries=5000)
    assert len(read_manifest(data, "x", expected_entries=5000)) == 5000


def test_other_versions_are_refused():
    records = [dict(record, _VERSION=1) for record in header(write_manifest(ENTRIES))]
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(MANIFEST_SCHEMA), records)
    with pytest.raises(Unsupported, match="Version 1 of m"):
        read_manifest(out.getvalue(), "m")
