"""Names of files and directories (format §1, §12.1), relative to the table unless stated otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

DATABASE_SUFFIX = ".db"
SCHEMA_DIRECTORY = "schema"
SNAPSHOT_DIRECTORY = "snapshot"
MANIFEST_DIRECTORY = "manifest"
INDEX_DIRECTORY = "index"
STATISTICS_DIRECTORY = "statistics"
TAG_DIRECTORY = "tag"
BRANCH_DIRECTORY = "branch"
CONSUMER_DIRECTORY = "consumer"
CHANGELOG_DIRECTORY = "changelog"

FILE_INDEX_SUFFIX = ".index"

SNAPSHOT_PREFIX = "snapshot-"
LATEST = "LATEST"
EARLIEST = "EARLIEST"
MAIN_BRANCH = "main"
POSTPONE_BUCKET = -2

_ID = re.compile(r"0|[1-9][0-9]*")
_PLAIN_NAME = re.compile(r"(?!\.{1,2}$)[^/\\\x00-\x1f\x7f]+")
_IN_NO_NAME = bytes(code for code in range(128) if chr(code) != "." and _PLAIN_NAME.fullmatch(chr(code)) is None)
_CODEC_EXTENSIONS = {"zstd": "zst", "gzip": "gz", "bzip2": "bz2"}
_TEXT_FORMATS = ("csv", "json", "text")


def database_directory(database: str) -> str:
    """Return the directory of a database, relative to the warehouse."""
    return f"{database}{DATABASE_SUFFIX}"


def branch_root(branch: str) -> str:
    """Return the directory that holds a branch's schemas, snapshots and tags; empty for the main branch."""
    return "" if branch == MAIN_BRANCH else f"{BRANCH_DIRECTORY}/branch-{branch}"


def schema_name(schema_id: int) -> str:
    """Return the file name of a schema."""
    return f"schema-{schema_id}"


def schema_id(name: str) -> int | None:
    """Return the id in a schema's file name; None for other names."""
    return _id_after("schema-", name)


def snapshot_name(snapshot_id: int) -> str:
    """Return the file name of a snapshot."""
    return f"{SNAPSHOT_PREFIX}{snapshot_id}"


def snapshot_id(name: str) -> int | None:
    """Return the id in a snapshot's file name; None for other names, including hints."""
    return _id_after(SNAPSHOT_PREFIX, name)


def changelog_name(snapshot_id: int) -> str:
    """Return the file name of a long-lived changelog."""
    return f"changelog-{snapshot_id}"


def changelog_id(name: str) -> int | None:
    """Return the id in a long-lived changelog's file name; None for other names."""
    return _id_after("changelog-", name)


def tag_name(tag: str) -> str:
    """Return the file name of a tag."""
    return f"tag-{tag}"


def consumer_name(consumer: str) -> str:
    """Return the file name of a consumer."""
    return f"consumer-{consumer}"


def branch_name(branch: str) -> str:
    """Return the directory name of a branch."""
    return f"branch-{branch}"


def name_after(prefix: str, name: str) -> str | None:
    """Return the rest of a name after ``prefix`` (``tag-``, ``consumer-``, ``branch-``); None if it has another
    prefix.
    """
    return name.removeprefix(prefix) if name.startswith(prefix) and name != prefix else None


def _id_after(prefix: str, name: str) -> int | None:
    text = name_after(prefix, name)
    return int(text) if text is not None and _ID.fullmatch(text) else None


def manifest_name(uuid: str, number: int) -> str:
    """Return the file name of a manifest; ``uuid`` is the committer's, ``number`` counts its manifests from 0."""
    return f"manifest-{uuid}-{number}"


def manifest_list_name(uuid: str, number: int) -> str:
    """Return the file name of a manifest list; its numbers are counted separately from those of manifests."""
    return f"manifest-list-{uuid}-{number}"


def index_manifest_name(uuid: str, number: int) -> str:
    """Return the file name of an index manifest."""
    return f"index-manifest-{uuid}-{number}"


def index_name(uuid: str, number: int) -> str:
    """Return the file name of an index file."""
    return f"index-{uuid}-{number}"


def statistics_name(uuid: str, number: int) -> str:
    """Return the file name of table statistics."""
    return f"stat-{uuid}-{number}"


def bucket_name(bucket: int) -> str:
    """Return the directory name of a bucket."""
    return "bucket-postpone" if bucket == POSTPONE_BUCKET else f"bucket-{bucket}"


def bucket_path(partition_path: str, bucket: int, data_directory: str | None = None) -> str:
    """Return the directory of a bucket. ``partition_path`` is empty in tables without partitions.

    ``data_directory`` is option ``data-file.path-directory``.
    """
    parts = (data_directory, partition_path, bucket_name(bucket))
    return "/".join(part.strip("/") for part in parts if part)


def data_file_name(prefix: str, uuid: str, number: int, file_format: str, shown_compression: str | None = None) -> str:
    """Return the name of a data or changelog file. ``number`` counts all files of one writer.

    ``shown_compression`` is the codec, given if option ``file.suffix.include.compression`` is set or a text format is
    compressed; in text formats, it is the last extension.
    """
    stem = f"{prefix}{uuid}-{number}"
    if shown_compression is None or shown_compression.lower() == "none":
        return f"{stem}.{file_format}"
    codec = shown_compression.lower()
    extension = _CODEC_EXTENSIONS.get(codec, codec)
    if file_format in _TEXT_FORMATS:
        return f"{stem}.{file_format}.{extension}"
    return f"{stem}.{extension}.{file_format}"


def file_format_of(file_name: str) -> str | None:
    """Return the format of a data file by its name, in lower case; None if the name has no extension."""
    parts = file_name.rsplit("/", 1)[-1].lower().split(".")
    if len(parts) > 2 and parts[-2] in _TEXT_FORMATS:
        return parts[-2]
    return parts[-1] if len(parts) > 1 else None


def file_index_name(data_file_name: str) -> str:
    """Return the name of the file index stored next to a data file."""
    return f"{data_file_name}.index"


def check_file_name(name: str) -> str:
    """Return ``name``, the name of a file that metadata records without its directory, if it is safe.

    Raises:
        ValueError: If it could leave the directory, or is not a valid file name.
    """
    if _PLAIN_NAME.fullmatch(name) is None:
        raise ValueError(f"{name[:80]!r} is not the name of a file")
    return name


def check_file_names(names: Sequence[bytes]) -> list[str]:
    """Return many encoded names as strings if they are safe, as `check_file_name` does for one name."""
    joined = b"\n".join(names)
    texts = joined.decode().split("\n") if names else []
    plain = len(joined) - len(joined.translate(None, _IN_NO_NAME)) == max(len(names) - 1, 0)
    if not plain or not {"", ".", ".."}.isdisjoint(texts):
        for name in names:
            check_file_name(name.decode())
    return texts


def is_packed(path: str) -> bool:
    """Return whether a path names a stretch of a changelog file that contains several.

    Example:
        >>> is_packed("bucket-0/compacted-changelog-8e0b$0-39253-39253-35699.cc-parquet")
        True
    """
    return path.rpartition(".")[2].startswith("cc-")
