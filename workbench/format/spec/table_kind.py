"""What the kind of a table decides: the facts that follow from it and the options, and the choice of a strategy in each
room (Java ``KeyValueFileStore``, ``AppendOnlyFileStore`` and ``BucketMode``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar, Literal, TypeVar

from workbench.format.options.core_options import CoreOptions
from workbench.format.options.merge_engine import MergeEngine
from workbench.format.spec.paths import POSTPONE_BUCKET

KindName = Literal["primary-key", "append"]
Choice = TypeVar("Choice")
_MEBIBYTE = 1024 * 1024


class BucketMode(Enum):
    """How a row gets its bucket (format §11.3)."""

    HASH_FIXED = auto()
    HASH_DYNAMIC = auto()
    KEY_DYNAMIC = auto()
    BUCKET_UNAWARE = auto()
    POSTPONE_MODE = auto()

    @property
    def is_known(self) -> bool:
        """Whether the row alone determines its bucket."""
        return self in (BucketMode.HASH_FIXED, BucketMode.BUCKET_UNAWARE)


@dataclass(frozen=True)
class TableKind(ABC):
    """The kind of a table with the options and keys of the table."""

    core: CoreOptions
    partition_keys: tuple[str, ...] = ()
    primary_keys: tuple[str, ...] = ()

    name: ClassVar[KindName]
    special_buckets: ClassVar[tuple[int, ...]] = (-1,)
    """The values of option ``bucket`` that are not a number of buckets."""
    refused_options: ClassVar[tuple[str, ...]] = ()
    """The options that a table of this kind cannot enable."""
    target_mebibytes: ClassVar[int]

    def choose(self, choices: Mapping[type[TableKind], Choice]) -> Choice:
        """Return what a room does for this kind or, if it does not distinguish the kind, for the one that it extends.

        Raises:
            LookupError: The room has no choice for the kind.

        >>> DataEvolutionKind(CoreOptions({})).choose({KeyValueKind: "merged", AppendOnlyKind: "appended"})
        'appended'
        """
        for each in type(self).__mro__:
            if each in choices:
                return choices[each]
        raise LookupError(f"There is no choice for tables of kind {type(self).__name__}.")

    @property
    @abstractmethod
    def bucket_mode(self) -> BucketMode:
        """How a row gets its bucket."""

    @property
    def crosses_partitions(self) -> bool:
        """Whether keys are unique across all partitions, because the primary key lacks a partition column (Java
        ``TableSchema.crossPartitionUpdate``)."""
        return bool(self.primary_keys) and not set(self.partition_keys) <= set(self.primary_keys)

    @property
    def merge_engine(self) -> MergeEngine | None:
        """The merge engine of option ``merge-engine``; None if rows are not merged."""
        return None

    @property
    def changelog_producer(self) -> str:
        """Option ``changelog-producer``; ``none`` for tables without a changelog."""
        return "none"

    @property
    def hides_level_0(self) -> bool:
        """Whether reads skip level 0, whose rows become visible when they are compacted."""
        return False

    @property
    def target_file_size(self) -> int:
        """The size in bytes at which a data file is closed."""
        size = self.core.target_file_size
        return self.target_mebibytes * _MEBIBYTE if size is None else size

    @property
    def small_file_size(self) -> int:
        """The size in bytes below which compaction treats a file as small (format §12.3)."""
        return int(self.target_file_size * self.core.compaction_small_file_ratio)

    def of_new_files(self) -> tuple[str, str]:
        """Return the format and the codec of the files that writers add, before any compaction."""
        return self.core.file_format, self.core.file_compression


class KeyValueKind(TableKind):
    """Rows with the same key are merged, in sorted runs on levels."""

    name = "primary-key"
    special_buckets = (-1, POSTPONE_BUCKET)
    refused_options = ("row-tracking.enabled", "data-evolution.enabled")
    target_mebibytes = 128

    @property
    def bucket_mode(self) -> BucketMode:
        """By the hash of the bucket key, assigned to keys, or postponed."""
        if self.core.bucket == POSTPONE_BUCKET:
            return BucketMode.POSTPONE_MODE
        if self.core.bucket == -1:
            return BucketMode.KEY_DYNAMIC if self.crosses_partitions else BucketMode.HASH_DYNAMIC
        return BucketMode.HASH_FIXED

    @property
    def merge_engine(self) -> MergeEngine:
        """The merge engine, with its traits. Raises Unsupported for an unknown one."""
        return self.core.engine

    @property
    def changelog_producer(self) -> str:
        """Option ``changelog-producer``."""
        return self.core.changelog_producer

    @property
    def hides_level_0(self) -> bool:
        """Whether compaction looks up the older rows of the keys on level 0."""
        core = self.core
        return core.engine.keeps_first or (core.deletion_vectors_enabled and not core.deletion_vectors_merge_on_read)

    def of_new_files(self) -> tuple[str, str]:
        """Return the format and the codec of level 0."""
        return self.core.file_format_at(0), self.core.file_compression_at(0)


class AppendOnlyKind(TableKind):
    """All rows are kept, in files without keys."""

    name = "append"
    target_mebibytes = 256

    @property
    def bucket_mode(self) -> BucketMode:
        """By the hash of the bucket key, or a single bucket in each partition."""
        return BucketMode.BUCKET_UNAWARE if self.core.bucket == -1 else BucketMode.HASH_FIXED


class DataEvolutionKind(AppendOnlyKind):
    """All rows are kept, and the columns of a range of rows may be in several files (format §26)."""


def kind_of(core: CoreOptions, partition_keys: tuple[str, ...], primary_keys: tuple[str, ...]) -> TableKind:
    """Return the kind of a table. This is the only place that decides it."""
    if primary_keys:
        return KeyValueKind(core, partition_keys, primary_keys)
    return (DataEvolutionKind if core.data_evolution_enabled else AppendOnlyKind)(core, partition_keys)
