"""Credentials for the files of a table that the service gives for a short time."""

from __future__ import annotations

import json
import pickle
import time
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.rest.conftest import options_of
from tests.stores.proxy import Proxy, Request
from workbench.base.errors import CatalogError
from workbench.catalog.rest.tokens import TableTokens, TokenFileIO
from workbench.metadata.store import TableStore
from workbench.storage.local import LocalFileIO

SECRET = "the-secret-of-the-files"


@pytest.fixture
def given(proxy: Proxy) -> list[float]:
    """The times at which tokens were given, each valid for two seconds."""
    times: list[float] = []

    def token(request: Request) -> Any:
        if not request.target.endswith("/token"):
            return None
        times.append(time.time())
        answer = {"token": {"s3.secret-key": f"{SECRET}-{len(times)}"}, "expiresAtMillis": (time.time() + 2) * 1000}
        return 200, json.dumps(answer).encode()

    proxy.refuses = token
    return times


def test_tokens_are_requested_once_and_renewed_in_the_middle_of_their_time(
    proxy: Proxy, given: list[float], database: str
) -> None:
    catalog = wb.connect(options_of(proxy.port, **{"data-token.enabled": "true"}))
    catalog.create_database(database)
    table = catalog.create_table(f"{database}.t", {"id": "INT"})
    for number in range(4):
        table.write([{"id": number}])
    assert 1 <= len(given) < 20, "not for each request"
    assert table.store.runtime.storage_options["s3.secret-key"] == f"{SECRET}-1"
    before = len(given)
    time.sleep(max(0.0, given[-1] + 1.1 - time.time()))
    table.write([{"id": 5}])
    assert len(given) > before
    assert table.to_arrow().num_rows == 5
    elsewhere = pickle.loads(pickle.dumps(table.store))
    assert isinstance(elsewhere, TableStore)
    assert isinstance(elsewhere.file_io, TokenFileIO)
    time.sleep(1.1)
    before = len(given)
    assert elsewhere.file_io.list_files(elsewhere.location)
    assert len(given) == before + 1
    for shown in (catalog, table, table.store, table.store.runtime, elsewhere.runtime.environment):
        assert SECRET not in repr(shown)


def test_without_the_option_no_token_is_requested(catalog: wb.Catalog, given: list[float], database: str) -> None:
    catalog.create_table(f"{database}.t", {"id": "INT"}).write([{"id": 1}])
    assert given == []


def test_a_failing_renewal_matters_only_after_the_expiry() -> None:
    answers: list[Any] = [({"key": "1"}, time.time() + 0.6), CatalogError("down"), CatalogError("down")]

    def load() -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    tokens = TableTokens(load)
    opened: list[str] = []

    def opener(options: Any) -> LocalFileIO:
        opened.append(options["key"])
        return LocalFileIO()

    file_io = TokenFileIO(tokens, opener)
    time.sleep(0.35)
    assert file_io.exists("/")
    time.sleep(0.3)
    with pytest.raises(CatalogError, match="down"):
        file_io.exists("/")
    answers.append(({"key": "2"}, time.time() + 60))
    assert file_io.exists("/")
    assert opened == ["1", "2"]
