"""A warehouse in a store behind a proxy, which adds 50 ms to each request and counts them."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.benchmarks.measure import Sample, Side
from tests.stores.proxy import Proxy, proxied
from tests.stores.servers import SERVERS, RunningStore, running
from workbench.base.parallel import parallel_map
from workbench.storage.open import file_io_for

STORE = SERVERS[0]
DELAY = 0.05
# With more threads, the store would not answer faster.
_COPIES = 8


@dataclass(frozen=True)
class RemoteWarehouse:
    """A warehouse in the store."""

    url: str
    store: RunningStore
    proxy: Proxy

    @property
    def options(self) -> dict[str, str]:
        """The options of a catalog behind the proxy; not all engines know the region by the longer name."""
        return {"warehouse": self.url, **self.store.options_behind(self.proxy.port), "s3.region": "us-east-1"}

    def copy(self, table: Path, folders: str) -> None:
        """Copy the files of a local table in the folders of a pattern, past the proxy."""
        files, home = file_io_for(self.url, self.store.options), table.parents[1]

        def send(path: Path) -> None:
            files.write_bytes(f"{self.url}/{path.relative_to(home).as_posix()}", path.read_bytes())

        parallel_map(send, [path for path in table.glob(f"{folders}/*") if path.is_file()], workers=_COPIES)

    def counted(self, side: Side) -> Side:
        """Return the same side with the number of its requests."""
        return _Counted(side, self.proxy)


@dataclass(frozen=True)
class _Counted:
    side: Side
    proxy: Proxy

    def measure(self) -> Sample:
        sample = self.side.measure()
        begin, end = sample.span
        return replace(sample, requests=Counter(each.kind for each in self.proxy.seen if begin <= each.time <= end))


@contextmanager
def remote_warehouse() -> Iterator[RemoteWarehouse]:
    """Start the store and the proxy, and return an empty warehouse."""
    with running(STORE) as store, proxied(store.port) as proxy:
        proxy.delay = DELAY
        yield RemoteWarehouse(f"{store.url}/{uuid.uuid4().hex}", store, proxy)
