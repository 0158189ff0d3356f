"""Blob descriptors: bytes as Java 2.0 lays them out."""

import pytest

import workbench as wb
from workbench.format.blob.descriptor import BlobDescriptor


def test_layout() -> None:
    known = b"\x02CSEDBOLB\x04\0\0\0m:/a" + bytes([5, *[0] * 7, 9, *[0] * 7])
    assert BlobDescriptor("m:/a", 5, 9).to_bytes() == known
    assert BlobDescriptor.from_bytes(known) == BlobDescriptor("m:/a", 5, 9)


def test_back_and_forth() -> None:
    there = BlobDescriptor("file:/tmp/日本", 2**40, -1)
    assert BlobDescriptor.from_bytes(there.to_bytes()) == there


def test_the_first_version_had_no_magic() -> None:
    first = b"\x01" + BlobDescriptor("m:/a", 5, 9).to_bytes()[9:]
    assert BlobDescriptor.from_bytes(first) == BlobDescriptor("m:/a", 5, 9)


def test_garbled_bytes() -> None:
    data = BlobDescriptor("m:/a", 5, 9).to_bytes()
    for size in range(len(data)):
        with pytest.raises(ValueError, match="descriptor"):
            BlobDescriptor.from_bytes(data[:size])
    with pytest.raises(ValueError, match="not a blob descriptor"):
        BlobDescriptor.from_bytes(data[:3] + b"?" + data[4:])
    with pytest.raises(wb.Unsupported, match="version 3"):
        BlobDescriptor.from_bytes(b"\x03" + data[1:])
