"""Avro container files of metadata records (format §8). fastavro is loaded on first use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO

from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.avro_blocks import Record, avro_damage, blocks, read_header

_CODECS = {
    "zstd": "zstandard",
    "zstandard": "zstandard",
    "snappy": "snappy",
    "deflate": "deflate",
    "bzip2": "bzip2",
    "xz": "xz",
    "none": "null",
    "null": "null",
}
_LEVELLED = ("zstandard", "deflate", "xz")
_SYNC_BYTES = 64_000


def write_container(schema: Record, records: Iterable[Record], codec: str, level: int) -> bytes:
    """One container file. ``codec`` is a value of ``manifest.compression``; ``level`` counts where the codec has one.

    Raises Unsupported for a codec that this machine cannot write.
    """
    import fastavro

    name = _CODECS.get(codec.lower())
    if name is None:
        raise Unsupported(f"Manifests cannot be compressed with '{codec}'.", f"Use one of {', '.join(_CODECS)}.")
    out = BytesIO()
    try:
        fastavro.writer(
            out,
            fastavro.parse_schema(schema),
            records,
            codec=name,
            sync_interval=_SYNC_BYTES,
            codec_compression_level=level if name in _LEVELLED else None,
        )
    except ValueError as error:
        if "codec" not in str(error):
            raise
        raise Unsupported(f"Manifests cannot be compressed with '{codec}' here.", str(error)) from error
    return out.getvalue()


def read_container(data: bytes, path: str) -> Iterator[Record]:
    """The records of a container file, fields by name, logical types as the plain numbers they are stored as.

    Raises CorruptFile naming ``path`` where the bytes are empty, truncated or garbled.
    """
    if not data:
        raise CorruptFile(path, "the file is empty")
    source = BytesIO(data)
    header = read_header(source, path)
    for count, plain in blocks(source, header, path):
        with avro_damage(path):
            records = header.records(count, plain)
        yield from records
