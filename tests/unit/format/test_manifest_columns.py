"""Manifests read by columns have the same entries as when they are read record by record."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from workbench.base.errors import CorruptFile
from workbench.format.avro import codec as avro_codec
from workbench.format.avro import steps as avro_steps
from workbench.format.spec import manifest, manifest_columns
from workbench.format.spec.data_file import EMPTY_STATS, DataFileMeta, FileKind, FileSource, ManifestEntry, SimpleStats
from workbench.format.spec.manifest import read_manifest, write_manifest
from workbench.format.spec.manifest_columns import read_manifest_columns


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(avro_codec, "_BLOCK_BYTES", 2000)
    monkeypatch.setattr(manifest_columns, "_FEWEST_BLOCKS", 2)


def some_entries(chance: random.Random, number: int) -> list[ManifestEntry]:
    def maybe(value: object) -> object:
        return value if chance.random() < 0.5 else None

    def stats() -> SimpleStats:
        if chance.random() < 0.2:
            return EMPTY_STATS
        counts = [maybe(chance.choice([0, 1, 200, 2**40])) for _ in range(chance.randrange(4))]
        return SimpleStats(chance.randbytes(20), chance.randbytes(200), maybe(tuple(counts)))  # type: ignore[arg-type]

    def file(place: int) -> DataFileMeta:
        return DataFileMeta(
            f"data-{place}-ä.parquet",
            chance.randrange(2**62),
            chance.randrange(2**31),
            chance.randbytes(12),
            chance.randbytes(chance.randrange(12, 90)),
            stats(),
            stats(),
            -1,
            2**63 - 1,
            0,
            chance.randrange(6),
            chance.choice([(), ("a.index",), ("b", "c" * 200)]),
            maybe(1_700_000_000_000),  # type: ignore[arg-type]
            maybe(-(2**63)),  # type: ignore[arg-type]
            maybe(chance.randbytes(70)),  # type: ignore[arg-type]
            maybe(FileSource.COMPACT),  # type: ignore[arg-type]
            maybe(("a", "b")),  # type: ignore[arg-type]
            maybe("s3://elsewhere/x"),  # type: ignore[arg-type]
            maybe(0),  # type: ignore[arg-type]
            maybe(()),  # type: ignore[arg-type]
        )

    kinds = list(FileKind)
    return [
        ManifestEntry(chance.choice(kinds), chance.choice([b"p" * 12, b"q" * 20]), place % 3 - 1, 3, file(place))
        for place in range(number)
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_the_same_entries(seed: int, codec: str) -> None:
    chance = random.Random(seed)
    parts = [some_entries(chance, chance.choice([1, 30, 200])) for _ in range(3)]
    files = [(write_manifest(part, codec), f"manifest-{position}") for position, part in enumerate(parts)]
    result = read_manifest_columns(files, [len(part) for part in parts])
    assert result == parts
    assert result == [read_manifest(*file) for file in files]


def entries_of(partitions: list[bytes], number: int = 120, **changes: object) -> list[ManifestEntry]:
    file = replace(some_entries(random.Random(5), 1)[0].file, **changes)  # type: ignore[arg-type]
    return [
        ManifestEntry(FileKind(position % 2), partitions[position % len(partitions)], position % 5, 5, file)
        for position in range(number)
    ]


_UNPARTITIONED = bytes(12)
_PARTITIONS = [b"\0\0\0\1" + bytes(16), b"\0\0\0\1" + bytes(24), b"\0\0\0\1" + bytes(48)]
# The first bytes of a record: version, kind, length of the partition, and its arity.
_LIKE_A_RECORD = b"\4\0\x18\0\0\0\0"


@pytest.mark.parametrize("partitions", [[_UNPARTITIONED], _PARTITIONS])
def test_records_are_located_by_their_first_bytes(partitions: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    pieces = avro_steps._pieces
    monkeypatch.setattr(avro_steps, "_pieces", lambda *given: seen.append(pieces(*given)) or seen[-1])
    entries = entries_of(partitions)
    assert read_manifest_columns([(write_manifest(entries), "m")], [len(entries)]) == [entries]
    assert seen[0][1].tolist() == [1] * len(entries)


def test_other_bytes_that_look_like_the_beginning_of_a_record() -> None:
    entries = entries_of([_UNPARTITIONED])
    odd = replace(entries[50], file=replace(entries[50].file, max_key=_LIKE_A_RECORD))
    more = [*entries, odd, *entries]
    assert read_manifest_columns([(write_manifest(more), "m")], [len(more)]) == [more]


def test_as_many_false_record_starts_as_records() -> None:
    entries = entries_of([_UNPARTITIONED], max_key=b"k")
    entries[-1] = replace(entries[-1], partition=_PARTITIONS[0])
    entries[-2] = replace(entries[-2], file=replace(entries[-2].file, max_key=_LIKE_A_RECORD))
    assert read_manifest_columns([(write_manifest(entries), "m")], [len(entries)]) is None


def test_columns_that_old_files_do_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        replace(entry, file=replace(entry.file, write_cols=None, first_row_id=None, external_path=None))
        for entry in some_entries(random.Random(1), 100)
    ]
    schema = manifest.MANIFEST_SCHEMA
    file_field = schema["fields"][-1]
    record = {**file_field["type"], "fields": file_field["type"]["fields"][:-3]}
    old = {**schema, "fields": [*schema["fields"][:-1], {"name": "_FILE", "type": record}]}
    monkeypatch.setattr(manifest, "MANIFEST_SCHEMA", old)
    data = write_manifest(entries)
    assert read_manifest_columns([(data, "m")], [100]) == [entries]


def test_ambiguous_columns_are_read_by_record() -> None:
    entries = some_entries(random.Random(2), 50)
    data = write_manifest(entries)
    assert read_manifest_columns([(data, "m")], [51]) is None, "another count"
    nested = replace(entries[3], file=replace(entries[3].file, file_name="../up"))
    assert read_manifest_columns([(write_manifest([*entries, nested]), "m")], [51]) is None, "a hostile name"


def test_damage_is_never_read_as_other_entries() -> None:
    """Uncompressed blocks have no checksum: after bytes change, reading by columns returns the same entries as
    reading by records, or none."""
    chance = random.Random(3)
    entries = some_entries(chance, 60)
    data = write_manifest(entries, "none")
    outcomes = {"same": 0, "left": 0}
    for _ in range(200):
        position = chance.randrange(len(data))
        changed = data[:position] + bytes([data[position] ^ chance.choice([1, 4, 0x80, 0xFF])]) + data[position + 1 :]
        try:
            result = read_manifest_columns([(changed, "m")], [60])
        except CorruptFile:
            result = None
        if result is None:
            outcomes["left"] += 1
        else:
            assert result == [read_manifest(changed, "m")]
            outcomes["same"] += 1
    assert min(outcomes.values()) > 10, outcomes


@pytest.mark.parametrize("codec", ["zstd", "snappy", "deflate", "bzip2", "xz", "none"])
def test_every_compression_is_written(codec: str) -> None:
    entries = some_entries(random.Random(codec), 40)
    data = write_manifest(entries, codec, 1)
    assert list(read_manifest(data, "m")) == entries
    assert (len(data) < len(write_manifest(entries, "none", 1))) == (codec != "none")
