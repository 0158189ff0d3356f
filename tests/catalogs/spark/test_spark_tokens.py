"""Credentials of a REST service that expire while Spark tasks use them, on a storage that checks them."""

from __future__ import annotations

import importlib.util
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.rest.conftest import options_of
from tests.catalogs.rest.servers import moved_tables, rest_server
from tests.interop.provision import unavailable
from tests.stores.proxy import Proxy, Request, proxied
from tests.stores.servers import BUCKET, SERVERS, running

pytestmark = [pytest.mark.spark, pytest.mark.long]
# Opening the storage with new credentials takes a second on a busy machine.
SECONDS = 6.0
_KEY = re.compile(r"Credential=(\w+)/")


@dataclass
class Credentials:
    """The credentials that were given for tables, which the storage refuses when they have expired."""

    expiry: dict[str, float] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)

    def give(self, options: dict[str, str]) -> tuple[int, bytes]:
        """Return the answer of the service with new credentials."""
        key, expires = f"KEY{len(self.expiry)}", time.time() + SECONDS
        self.expiry[key] = expires
        token = {**options, "s3.access-key": key, "s3.secret-key": f"secret-of-{key}"}
        return 200, json.dumps({"token": token, "expiresAtMillis": expires * 1000}).encode()

    def check(self, request: Request) -> tuple[int, bytes] | None:
        """Refuse a request of the storage whose credentials are unknown or have expired."""
        found = _KEY.search(request.headers.get("Authorization", ""))
        key = "" if found is None else found[1]
        if time.time() < self.expiry.get(key, 0):
            self.used.add(key)
            return None
        self.refused.append(key)
        return 403, b"<Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>"


@pytest.fixture
def storage() -> Iterator[Proxy]:
    """A proxy for a storage with the protocol of S3."""
    server = next(each for each in SERVERS if each.scheme == "s3")
    if importlib.util.find_spec(server.package) is None:
        unavailable(f"{server.package} is not installed")
    with running(server) as store, proxied(store.port) as proxy:
        yield proxy


@pytest.fixture
def credentials(storage: Proxy) -> Credentials:
    given = Credentials()
    storage.refuses = given.check
    return given


@pytest.fixture
def catalog(storage: Proxy, credentials: Credentials, tmp_path: Path) -> Iterator[wb.Catalog]:
    """A catalog of a service that gives credentials for the files of its tables, which are in the storage."""
    options = {
        "s3.endpoint": f"http://127.0.0.1:{storage.port}",
        "s3.path.style.access": "true",
        "s3.endpoint.region": "us-east-1",
    }
    data = tmp_path / "data"
    data.mkdir()
    with rest_server(data, {"prefix": "paimon"}) as port, proxied(port) as service:
        # The service itself keeps tables in a directory.
        moved = moved_tables(port, lambda table: f"s3://{BUCKET}/{tmp_path.name}/{table['name']}")

        def answer(request: Request) -> Any:
            if request.target.endswith("/token"):
                return credentials.give(options)
            return moved(request)

        service.refuses = answer
        catalog = wb.connect(options_of(service.port, **{"data-token.enabled": "true"}))
        catalog.create_database("shop")
        yield catalog


def test_tasks_renew_credentials(spark: Any, catalog: wb.Catalog, credentials: Credentials, storage: Proxy) -> None:
    table = catalog.create_table("shop.t", {"id": "BIGINT NOT NULL", "v": "STRING"}, "id", options={"bucket": "4"})
    assert table.location.startswith("s3://")
    for part in range(3):
        table.write([{"id": number, "v": f"{part}"} for number in range(part * 10, part * 10 + 20)])
    session = wb.spark.attach(spark.newSession(), catalog, "lake")
    try:
        _check(session, table, credentials, storage)
    finally:
        # Creating a frame makes the shared session the current one again.
        spark.createDataFrame([(1,)], "a int")


def _check(session: Any, table: wb.Table, credentials: Credentials, storage: Proxy) -> None:
    storage.delay = 0.5
    before = len(credentials.used)
    rows = session.sql("SELECT v, count(*) FROM lake.shop.t GROUP BY v ORDER BY v").collect()
    assert [tuple(row) for row in rows] == [("0", 10), ("1", 10), ("2", 20)]
    assert len(credentials.used) - before > 2, "the job was too short"

    def slow(batches: Any) -> Any:
        for batch in batches:
            time.sleep(1.5 * SECONDS)
            yield batch

    before = len(credentials.used)
    source = session.range(100, 104, 1, 2).mapInArrow(slow, "id long").selectExpr("id", "'new' AS v")
    source.writeTo("lake.shop.t").append()
    session.sql("MERGE INTO lake.shop.t t USING (SELECT 101 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    assert len(credentials.used) - before > 3, "the job was too short"
    assert table.to_arrow(where="v = 'new'")["id"].to_pylist() == [100, 102, 103]
    assert credentials.refused == []
    # The storage does refuse what has expired.
    expired = urllib.request.Request(
        f"http://127.0.0.1:{storage.port}/{BUCKET}", headers={"Authorization": "AWS4-HMAC-SHA256 Credential=KEY0/x"}
    )
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(expired)
