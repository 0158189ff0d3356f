"""What the operations of one table run with: its storage, clock, lock and caches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.base.clock import Clock, SystemClock
from workbench.base.ids import IdSource, RandomIds
from workbench.metadata.file_system.environment import FileSystemEnvironment
from workbench.metadata.protocol import CatalogEnvironment, OwnerCheck
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import FileIO
from workbench.storage.lock import CatalogLock, NoLock

CACHE_BYTES = 256 << 20


@dataclass(frozen=True)
class TableRuntime:
    """What the operations of one table run with. Another process creates a new one from ``storage_options``, ``roots``
    and ``environment``; see `opened_elsewhere`."""

    file_io: FileIO
    """The storage of the table."""

    storage_options: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The options that the storage was opened with."""

    clock: Clock = field(default_factory=SystemClock)
    """The source of the times of commits and files."""

    ids: IdSource = field(default_factory=RandomIds)
    """The source of unique names."""

    lock: CatalogLock = field(default_factory=NoLock)
    """The lock of the catalog, which writers hold while they publish."""

    cache: ByteCache = field(default_factory=lambda: ByteCache(CACHE_BYTES))
    """Metadata that never changes, shared by the tables of a catalog."""

    roots: Sequence[str] = ()
    """Directories, in addition to that of the table, from which it may open files, notably its warehouse."""

    environment: CatalogEnvironment = field(default_factory=FileSystemEnvironment)
    """What the catalog of the table provides."""

    owner: OwnerCheck = field(default_factory=OwnerCheck, compare=False)
    """Whether the table belongs to another catalog, which a change would bypass."""


def opened_elsewhere(
    location: str, storage_options: Mapping[str, str], roots: Sequence[str], environment: CatalogEnvironment
) -> TableRuntime:
    """Return a runtime made from plain values, as tasks in other processes do."""
    return TableRuntime(
        environment.file_io(location, storage_options),
        storage_options,
        lock=environment.lock(storage_options),
        roots=roots,
        environment=environment,
    )
