"""Blocks that are compressed with Zstandard have a checksum, so that a changed byte never yields other values."""

from __future__ import annotations

from io import BytesIO

import fastavro
import pytest

from workbench.base.errors import CorruptFile
from workbench.format.avro import frames
from workbench.format.avro.codec import read_container, write_container

SCHEMA = {
    "type": "record",
    "name": "entry",
    "fields": [{"name": "key", "type": "bytes"}, {"name": "rows", "type": "long"}],
}
RECORDS = [{"key": number.to_bytes(8, "big"), "rows": number * 7919} for number in range(40)]


def container() -> bytes:
    return write_container(SCHEMA, RECORDS, "zstd", 1)


def block_of(data: bytes) -> tuple[int, int]:
    """Return where the bytes of the only block begin and end: between the two sync markers."""
    sync = data[-16:]
    return data.index(sync) + len(sync), len(data) - len(sync)


@pytest.mark.parametrize("change", [0x01, 0x20, 0x80, 0xFF])
def test_a_changed_byte_is_detected(change: int) -> None:
    data = container()
    for position in range(*block_of(data)):
        changed = bytearray(data)
        changed[position] ^= change
        try:
            records = list(read_container(bytes(changed), "manifest-1"))
        except CorruptFile:
            continue
        assert records == RECORDS, position


def test_other_libraries_read_the_blocks() -> None:
    assert list(fastavro.reader(BytesIO(container()))) == RECORDS


def test_executors_that_have_only_arrow_write_readable_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    with_checksum = len(container())
    monkeypatch.setattr(frames, "import_module", missing)
    assert list(read_container(container(), "manifest-1")) == RECORDS
    assert len(container()) < with_checksum


@pytest.mark.parametrize("level", [-5, 1, 19, 99])
def test_levels_beyond_the_range_of_the_codec_are_its_limits(level: int) -> None:
    assert list(read_container(write_container(SCHEMA, RECORDS, "zstd", level), "manifest-1")) == RECORDS
