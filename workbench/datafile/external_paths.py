"""Paths of new data files: in the directory of their bucket, or below external roots of the table (Java
``ExternalPathProvider``)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice

from workbench.base.errors import InvalidSchema
from workbench.base.lazy import cached_property
from workbench.format.spec import paths
from workbench.metadata.store import TableStore
from workbench.storage.file_io import join

_PATHS = "data-file.external-paths"


@dataclass(frozen=True)
class NewFilePath:
    """A path to write to; ``recorded_path`` is the path for the manifest entry, None if it needs none."""

    path: str
    recorded_path: str | None = None


@dataclass
class DataFilePathFactory:
    """Provider of the paths of one bucket's new files, which use the roots in turn, beginning with a random one."""

    store: TableStore
    partition: bytes
    bucket: int
    _turns: Iterator[str] = field(init=False)

    def __post_init__(self) -> None:
        roots = external_roots(self.store)
        self._turns = islice(cycle(roots), random.randrange(len(roots)) if roots else 0, None)

    def next(self, name: str) -> NewFilePath:
        """Return the path of the next file. Raises Unsupported if the table's roots are not allowed."""
        root = next(self._turns, None)
        if root is None:
            return NewFilePath(join(self.store.bucket_directory(self.partition, self.bucket), name))
        path = join(root, self._in_root, name)
        return NewFilePath(self.store.check_path(path), path)

    @cached_property
    def _in_root(self) -> str:
        directory = self.store.schema.core.data_file_path_directory
        return paths.bucket_path(self.store.partition_directory(self.partition), self.bucket, directory)


def external_roots(store: TableStore) -> tuple[str, ...]:
    """Return the roots for new files; empty if the table has no strategy for them.

    Raises InvalidSchema if a root is not a URL, or no root has the scheme that the table requires.
    """
    core = store.schema.core
    strategy, listed = core.value(f"{_PATHS}.strategy"), core.names(_PATHS)
    if strategy == "none" or not listed:
        return ()
    scheme = core.text(f"{_PATHS}.specific-fs") if strategy == "specific-fs" else None
    for each in listed:
        if ":/" not in each:
            raise InvalidSchema(f"Option '{_PATHS}' names '{each}', which has no scheme such as 'file:'.")
    roots = tuple(each for each in listed if scheme is None or each.partition(":")[0].lower() == scheme.lower())
    if not roots or (strategy == "specific-fs" and scheme is None):
        raise InvalidSchema(
            f"Option '{_PATHS}' has no root for strategy '{strategy}'.",
            f"Set '{_PATHS}.specific-fs' to the scheme of a root.",
        )
    return roots
