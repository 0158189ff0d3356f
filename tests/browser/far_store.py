"""A catalog in an object store that is slow, and that may die and come back."""

from __future__ import annotations

import importlib.util
import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import workbench as wb
from tests.browser.face import Face
from tests.interop.provision import unavailable
from tests.stores.proxy import Proxy, proxied
from tests.stores.servers import SERVERS, running

NAME = "far"
DELAY_SECONDS = 0.05
_COLUMNS = {"id": "BIGINT NOT NULL", "word": "STRING"}
_COMMITS = 6


@dataclass(frozen=True)
class FarStore:
    """The store behind a proxy; ``near`` reaches it without the proxy."""

    near: wb.FileSystemCatalog
    proxy: Proxy
    options: Mapping[str, str]
    """The options of a catalog behind the proxy."""

    @property
    def host(self) -> str:
        """The store, as errors name it."""
        return f"127.0.0.1:{self.proxy.port}"

    def write(self) -> int:
        """Write to ``mall.orders``, and return its newest snapshot."""
        table = self.near.get_table("mall.orders")
        table.write([{"id": 7, "word": uuid.uuid4().hex}])
        return table.snapshot().id


@contextmanager
def far_store(face: Face) -> Iterator[FarStore]:
    """Add the catalog ``far`` to the panel, with the tables ``mall.orders`` and ``mall.returns``."""
    server, *_ = SERVERS
    if importlib.util.find_spec(server.package) is None:
        unavailable(f"{server.package} is not installed")
    with running(server) as store, proxied(store.port) as proxy:
        # Errors name it, so that it has the form of a name that a user may choose.
        url = f"{store.url}/warehouse-{uuid.uuid4().hex[:8]}"
        near = wb.connect(url, **store.options)
        near.create_database("mall")
        for name in ("orders", "returns"):
            near.create_table(f"mall.{name}", _COLUMNS, primary_key="id", options={"bucket": "2"})
        for first in range(0, 10 * _COMMITS, 10):
            near.get_table("mall.orders").write([{"id": first + n, "word": f"word {n}"} for n in range(15)])
        near.get_table("mall.returns").write([{"id": 1, "word": "one"}])
        proxy.delay = DELAY_SECONDS
        options = store.options_behind(proxy.port)
        entries = {"warehouse": url, **options}.items()
        lines = [f"{json.dumps(key)} = {json.dumps(value)}\n" for key, value in entries]
        file = face.lab.catalog_file
        before = file.read_text()
        file.write_text(f"{before}[{NAME}]\n{''.join(lines)}")
        face.run("paimon:refresh")
        try:
            yield FarStore(near, proxy, options)
        finally:
            file.write_text(before)
