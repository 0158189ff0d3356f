"""References to large objects: file, offset and length (format §26, Java ``BlobDescriptor``)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, Int64Array
from workbench.base.errors import Unsupported
from workbench.base.modules import pc

VERSION = 2
TO_THE_END = -1

_MAGIC = 0x424C4F4244455343.to_bytes(8, "little")
_VIEW_MAGIC = 0x424C4F4256494557.to_bytes(8, "little")
_HEAD = np.dtype([("version", "u1"), ("magic", "V8"), ("uri_bytes", "<i4")])
_TAIL = np.dtype([("offset", "<i8"), ("length", "<i8")])


@dataclass(frozen=True)
class BlobDescriptor:
    """A reference to ``length`` bytes of the file at ``uri``, starting at ``offset``; length -1 means up to the end of
    the file.
    """

    uri: str
    offset: int
    length: int

    def to_bytes(self) -> bytes:
        """Return the stored form."""
        return _head(self.uri) + struct.pack("<qq", self.offset, self.length)

    @classmethod
    def from_bytes(cls, data: bytes) -> BlobDescriptor:
        """Read the result of ``to_bytes``, or a descriptor of the first version, which had no magic number.

        Raises:
            ValueError: If the bytes are not a descriptor or are truncated.
            Unsupported: If the version is newer.
        """
        if data[:1] > bytes([VERSION]):
            raise Unsupported(f"References to large objects of version {data[0]} are not supported.")
        position = 1
        if data[:1] == bytes([VERSION]):
            position += len(_MAGIC)
            if data[1:position] != _MAGIC[: len(data) - 1] or len(data) < position:
                raise ValueError("the bytes are not a blob descriptor")
        size = int.from_bytes(data[position : position + 4], "little", signed=True)
        end = position + 4 + size
        if len(data) < position + 4 or size < 0 or len(data) < end + _TAIL.itemsize:
            raise ValueError("a blob descriptor is truncated")
        offset, length = struct.unpack_from("<qq", data, end)
        return cls(data[position + 4 : end].decode(), offset, length)


@dataclass(frozen=True)
class References:
    """References into one file: ``rows`` int64 are positions in a column, ``offsets`` and ``lengths`` int64 are in
    bytes.
    """

    uri: str
    rows: Int64Array
    offsets: Int64Array
    lengths: Int64Array


def descriptor_column(uri: str, offsets: Int64Array, lengths: Int64Array) -> pa.Array:
    """Return descriptors of objects of one file as a binary column, NULL where an offset is negative."""
    head = _head(uri)
    records = np.empty(len(offsets), np.dtype([("head", f"V{len(head)}"), ("tail", _TAIL)]))
    records["head"] = np.void(head)
    records["tail"]["offset"], records["tail"]["length"] = offsets, lengths
    arrow_type = pa.binary(records.itemsize)
    column = pa.FixedSizeBinaryArray.from_buffers(arrow_type, len(records), [None, pa.py_buffer(records.tobytes())])
    return pc.if_else(pa.array(offsets >= 0), column.cast(pa.binary()), None)


def references(column: pa.Array) -> Iterator[References]:
    """Yield the targets of the descriptors in a binary column, file by file, without NULLs.

    Raises:
        Unsupported: If a reference has an unsupported type or version.
        ValueError: If bytes are not a reference.
    """
    sizes = pc.fill_null(pc.binary_length(column), -1).to_numpy(zero_copy_only=False)
    for size in np.unique(sizes[sizes >= 0]).tolist():
        rows = np.flatnonzero(sizes == size)
        yield from _of_one_size(column.take(pa.array(rows)), rows, size)


def _head(uri: str) -> bytes:
    name = uri.encode()
    return bytes([VERSION]) + _MAGIC + len(name).to_bytes(4, "little") + name


def _of_one_size(column: pa.Array, rows: Int64Array, size: int) -> Iterator[References]:
    """Yield the references of all values of one size. They are compared as one array, so that a repeated file is
    decoded only once.
    """
    uri_bytes = size - _HEAD.itemsize - _TAIL.itemsize
    if uri_bytes > 0:
        whole = np.dtype([("head", _HEAD), ("uri", f"V{uri_bytes}"), ("tail", _TAIL)])
        records: AnyArray = np.frombuffer(column.cast(pa.binary(size)).buffers()[1], whole)
        head = records["head"]
        plain = (head["version"] == VERSION) & (head["magic"] == np.void(_MAGIC)) & (head["uri_bytes"] == uri_bytes)
        if plain.all():
            yield from _by_file(records["uri"], rows, records["tail"])
            return
    for row, value in zip(rows.tolist(), column.to_pylist(), strict=True):
        if value[1:9] == _VIEW_MAGIC:
            raise Unsupported("Blob view columns, which refer to another table, are not supported.")
        descriptor = BlobDescriptor.from_bytes(value)
        yield References(descriptor.uri, *(np.array([each]) for each in (row, descriptor.offset, descriptor.length)))


def _by_file(uris: AnyArray, rows: Int64Array, tail: AnyArray) -> Iterator[References]:
    uris = np.ascontiguousarray(uris)
    letters = uris.view(np.uint8).reshape(len(uris), -1)
    if (letters == letters[0]).all():
        yield References(uris[0].tobytes().decode(), rows, tail["offset"].copy(), tail["length"].copy())
        return
    names, numbers = np.unique(uris, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    for name, members in zip(names.tolist(), np.split(order, np.cumsum(np.bincount(numbers))[:-1]), strict=True):
        position = tail[members]
        yield References(name.decode(), rows[members], position["offset"].copy(), position["length"].copy())
