"""Where new data files go: beside the others, or below roots that the table names (Java ``ExternalPathProvider``)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import cycle, islice

from workbench.base.errors import InvalidSchema
from workbench.format import paths
from workbench.storage.file_io import join
from workbench.table.store import TableStore

_PATHS = "data-file.external-paths"


@dataclass(frozen=True)
class Place:
    """A path to write to; ``told`` is what the manifest says of it, None where it need say nothing."""

    path: str
    told: str | None = None


@dataclass
class NewFilePlaces:
    """The places of the files of one bucket, which take turns at the roots, beginning with any."""

    store: TableStore
    partition: bytes
    bucket: int
    _turns: Iterator[str] = field(init=False)

    def __post_init__(self) -> None:
        roots = external_roots(self.store)
        self._turns = islice(cycle(roots), random.randrange(len(roots)) if roots else 0, None)

    def next(self, name: str) -> Place:
        """The place of the next file. Raises Unsupported where the table's roots are not allowed."""
        root = next(self._turns, None)
        if root is None:
            return Place(join(self.store.bucket_directory(self.partition, self.bucket), name))
        told = join(root, self._in_root, name)
        return Place(self.store.allowed(told), told)

    @cached_property
    def _in_root(self) -> str:
        directory = self.store.schema.core.data_file_path_directory
        return paths.bucket_path(self.store.partition_directory(self.partition), self.bucket, directory)


def external_roots(store: TableStore) -> tuple[str, ...]:
    """The roots in which new files are put: none where the table has no strategy for them.

    Raises InvalidSchema for a root that is no URL, and where no root is of the scheme that the table wants.
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
            f"Option '{_PATHS}' has no root for strategy '{strategy}'.", f"Set '{_PATHS}.specific-fs' to its scheme."
        )
    return roots
