"""Few bytes that expand to many: the error names the file, and memory is limited to that of a block."""

from __future__ import annotations

import bz2
import json
import lzma
import resource
import subprocess
import sys
import zlib
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import CorruptFile
from workbench.format.avro.codec import read_container
from workbench.format.index.deletion_vector import BITMAP32_MAGIC, read_deletion_vector

# Somewhat more than the maximum size of a block.
PLAIN_BYTES = 300 << 20
SYNC = bytes(16)
LONGS = {"type": "record", "name": "r", "fields": [{"name": "a", "type": "long"}]}


def long(value: int) -> bytes:
    value = value << 1 ^ value >> 63
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def text(value: bytes) -> bytes:
    return long(len(value)) + value


def container(schema: Any, count: int, block: bytes, codec: str = "null") -> bytes:
    header = {b"avro.schema": json.dumps(schema).encode(), b"avro.codec": codec.encode()}
    pairs = b"".join(text(key) + text(value) for key, value in header.items())
    return b"Obj\x01" + long(len(header)) + pairs + long(0) + SYNC + long(count) + text(block) + SYNC


def array_of(items: Any) -> Any:
    return {"type": "array", "items": items}


def deflated() -> bytes:
    result = zlib.compressobj(level=1, wbits=-15)
    return result.compress(bytes(PLAIN_BYTES)) + result.flush()


def in_frames(plain: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as result:
        result.write(plain)
    return bytes(out.getvalue())


BOMBS: dict[str, Callable[[], bytes]] = {
    "deflate": lambda: container(LONGS, 1, deflated(), "deflate"),
    "bzip2": lambda: container(LONGS, 1, bz2.compress(bytes(PLAIN_BYTES), 1), "bzip2"),
    "xz": lambda: container(LONGS, 1, lzma.compress(bytes(PLAIN_BYTES), preset=0), "xz"),
    "zstandard": lambda: container(LONGS, 1, in_frames(bytes(PLAIN_BYTES)), "zstandard"),
    # Snappy begins with the length of what follows.
    "snappy": lambda: container(LONGS, 1, b"\xff\xff\xff\xff\x0f" + bytes(20), "snappy"),
    "records of nothing": lambda: container({"type": "record", "name": "r", "fields": []}, 1 << 60, b""),
    "lists of nothing": lambda: container(
        {**LONGS, "fields": [{"name": "a", "type": array_of("null")}]}, 1, long(1 << 60) + long(0)
    ),
    "lists without items": lambda: container(
        {**LONGS, "fields": [{"name": "a", "type": array_of("long")}]}, 1, long(1 << 60) + long(0)
    ),
    "text without end": lambda: container({**LONGS, "fields": [{"name": "a", "type": "bytes"}]}, 1, long(1 << 60)),
    "a type within itself": lambda: container(
        {**LONGS, "fields": [{"name": "a", "type": ["null", "r"]}]}, 1, long(1) * 20_000_000
    ),
    "a deep schema": lambda: container(
        {**LONGS, "fields": [{"name": "a", "type": reduce(lambda kind, _: array_of(kind), range(400), "long")}]},
        1,
        long(1) * 400,
    ),
    "a long header": lambda: b"Obj\x01" + long(1 << 60) + long(1 << 60),
}


# Each of these takes seconds to create.
LARGE = ("deflate", "bzip2", "xz", "zstandard")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in LARGE else ()) for name in BOMBS]
)
def test_bombs(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.avro"
    path.write_bytes(BOMBS[name]())
    message, peak = read_elsewhere(path)
    assert "CorruptFile" in message, message
    assert str(path) in message
    assert peak < path.stat().st_size + (700 << 20), f"{peak >> 20} MB"


READ = """
import sys
from workbench.format.avro.codec import read_container
try:
    count = sum(1 for _ in read_container(open(sys.argv[1], "rb").read(), sys.argv[1]))
    print("read", count)
except Exception as error:
    print(type(error).__name__, error)
# Not ru_maxrss: it starts from that of the process which started this one.
status = open("/proc/self/status").read()
print(status.split("VmHWM:")[1].split()[0])
"""


def read_elsewhere(path: Path) -> tuple[str, int]:
    """Read in a separate process; return the outcome and the peak memory in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, timeout=120, check=True
    )
    *output, peak = done.stdout.splitlines()
    return "\n".join(output), int(peak) * 1024


def vector(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")


def test_a_deletion_vector_beyond_its_file() -> None:
    """A vector that would expand to half a gigabyte of bits, for a file of ten rows, is refused before it does."""
    containers = b"".join(block.to_bytes(2, "little") + b"\xff\xff" for block in range(1 << 16))
    cookie = (12347 | (1 << 16) - 1 << 16).to_bytes(4, "little") + b"\xff" * (1 << 13)
    runs = (1).to_bytes(2, "little") + b"\0\0\xff\xff"
    body = BITMAP32_MAGIC.to_bytes(4, "big") + cookie + containers + bytes(4 << 16) + runs * (1 << 16)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CorruptFile, match="index-1"):
        read_deletion_vector(vector(body), "index-1", 10, len(body))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


def test_ordinary_blocks_are_read() -> None:
    assert list(read_container(container(LONGS, 2, long(5) + long(7)), "x")) == [{"a": 5}, {"a": 7}]
