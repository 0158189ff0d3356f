"""The decision of one planning rule, as a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from workbench.format.spec.data_file import DataFileMeta, ManifestEntry

Item = TypeVar("Item")


@dataclass(frozen=True)
class PrunedFile:
    """A file that is not read, and the rule that left it out, such as ``level 0``, ``partition``, ``bucket``, ``key
    range`` or ``value range``. ``total_buckets`` is the value of its manifest entry, None where the decision does not
    depend on it."""

    partition: bytes
    bucket: int
    file: DataFileMeta
    rule: str
    total_buckets: int | None = None


class Kept(NamedTuple, Generic[Item]):
    """The manifest entries, sections or splits that are kept, and the files that are left out."""

    items: Sequence[Item]
    left_out: Sequence[PrunedFile] = ()


def keep_entries(entries: Sequence[ManifestEntry], left_out_by: Sequence[str]) -> Kept[ManifestEntry]:
    """Keep the entries that no rule leaves out. ``left_out_by`` has the rule that leaves out each entry, or an empty
    string."""
    kept, left_out = [], []
    for entry, rule in zip(entries, left_out_by, strict=True):
        if rule:
            left_out.append(PrunedFile(entry.partition, entry.bucket, entry.file, rule, entry.total_buckets))
        else:
            kept.append(entry)
    return Kept(kept, left_out)
