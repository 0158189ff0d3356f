"""A service that answers late, twice, never or with an error, in the middle of the work."""

from __future__ import annotations

import dataclasses
import http.client
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.rest.conftest import options_of
from tests.catalogs.rest.servers import TOKEN
from tests.stores.proxy import Proxy, Request
from workbench.base.errors import AlreadyExists, CatalogError, TableNotFound
from workbench.catalog.rest import snapshots
from workbench.catalog.rest.client import ANSWER_SECONDS, CONNECT_SECONDS
from workbench.catalog.rest.snapshots import RestSnapshotCommit

COLUMNS = {"id": "BIGINT NOT NULL", "v": "STRING"}
OPTIONS = {"bucket": "1", "write-only": "true"}


@pytest.fixture
def table(catalog: wb.Catalog, database: str, monkeypatch: pytest.MonkeyPatch) -> wb.Table:
    monkeypatch.setattr(snapshots, "_PAUSE_SECONDS", 0.01)
    made = catalog.create_table(f"{database}.orders", COLUMNS, primary_key="id", options=OPTIONS)
    made.write([{"id": 0, "v": "first"}])
    return made


def _is_commit(request: Request) -> bool:
    return request.method == "POST" and request.target.endswith("/commit")


def _ids(table: wb.Table) -> list[int]:
    return sorted(table.to_arrow()["id"].to_pylist())


def _times(times: int, matches: Callable[[Request], bool], answer: Any) -> Callable[[Request], Any]:
    """Return a hook that gives an answer to the first requests of a kind."""
    left = [times]

    def hook(request: Request) -> Any:
        if left[0] > 0 and matches(request):
            left[0] -= 1
            return answer
        return None

    return hook


def test_a_commit_whose_answer_is_lost_is_found(table: wb.Table, proxy: Proxy) -> None:
    hook = _times(1, _is_commit, True)
    proxy.loses = lambda request: bool(hook(request))
    table.write([{"id": 1, "v": "a"}])
    proxy.loses = lambda _: False
    assert _ids(table) == [0, 1]
    assert [each.id for each in table.snapshots()] == [1, 2]


@pytest.mark.parametrize("answer", [(500, b'{"message": "disk full", "code": 500}'), 429, 503])
def test_a_commit_that_is_refused_for_a_while_is_sent_again(table: wb.Table, proxy: Proxy, answer: Any) -> None:
    proxy.refuses = _times(2, _is_commit, answer)
    table.write([{"id": 1, "v": "a"}])
    assert _ids(table) == [0, 1]
    assert [each.id for each in table.snapshots()] == [1, 2]
    assert sum(map(_is_commit, proxy.seen)) == 4


def test_a_lost_answer_is_found_behind_the_commits_of_others(table: wb.Table, proxy: Proxy) -> None:
    direct = wb.connect(options_of(proxy.origin)).get_table(table.name)
    done: list[int] = []

    def loses(request: Request) -> bool:
        if done or not _is_commit(request):
            return False
        done.append(1)
        direct.write([{"id": 7, "v": "other"}])
        return True

    proxy.loses = loses
    table.write([{"id": 1, "v": "a"}])
    assert _ids(table) == [0, 1, 7]
    assert [each.id for each in table.snapshots()] == [1, 2, 3]


def test_a_commit_that_arrives_twice_counts_once(table: wb.Table, proxy: Proxy) -> None:
    def twice(request: Request) -> None:
        if _is_commit(request):
            connection = http.client.HTTPConnection("127.0.0.1", proxy.origin, timeout=10)
            connection.request(request.method, request.target, request.body, dict(request.headers))
            assert json.loads(connection.getresponse().read()) == {"success": True}
            connection.close()

    proxy.refuses = twice
    # The answer to the second one says that another commit was first: this one itself.
    table.write([{"id": 1, "v": "a"}])
    proxy.refuses = lambda _: None
    assert _ids(table) == [0, 1]
    assert [each.id for each in table.snapshots()] == [1, 2]


def test_a_lost_race_is_tried_again(table: wb.Table, proxy: Proxy) -> None:
    direct = wb.connect(options_of(proxy.origin)).get_table(table.name)
    done: list[int] = []

    def overtaken(request: Request) -> None:
        if _is_commit(request) and not done:
            done.append(1)
            direct.write([{"id": 7, "v": "other"}])

    proxy.refuses = overtaken
    table.write([{"id": 1, "v": "a"}])
    assert _ids(table) == [0, 1, 7]
    assert sum(map(_is_commit, proxy.seen)) == 3


def test_a_late_answer_is_awaited_or_found(table: wb.Table, proxy: Proxy, options: dict[str, str]) -> None:
    hasty = wb.connect({**options, "rest.answer-timeout": "400 ms"}).get_table(table.name)

    def late(request: Request) -> bool:
        if _is_commit(request):
            time.sleep(0.8)
        return False

    proxy.loses = late
    hasty.write([{"id": 1, "v": "a"}])
    proxy.loses = lambda _: False
    assert _ids(table) == [0, 1]
    assert [each.id for each in table.snapshots()] == [1, 2]


def test_a_service_may_work_longer_on_a_change(table: wb.Table, proxy: Proxy, options: dict[str, str]) -> None:
    hasty = wb.connect({**options, "rest.answer-timeout": "400 ms"}).get_table(table.name)
    hasty.create_tag("t1")

    def late(request: Request) -> bool:
        if request.method == "POST" and request.target.endswith("/branches"):
            time.sleep(0.8)
        return False

    proxy.loses = late
    hasty.create_branch("b1", tag="t1")
    assert list(hasty.branches()) == ["b1"]


def test_an_error_in_the_middle_changes_nothing(table: wb.Table, proxy: Proxy) -> None:
    proxy.refuses = lambda request: 401 if _is_commit(request) else None
    with pytest.raises(CatalogError, match=r"did not accept the credentials") as caught:
        table.write([{"id": 1, "v": "a"}])
    assert "token" in str(caught.value)
    assert TOKEN not in str(caught.value)
    proxy.refuses = lambda _: None
    assert _ids(table) == [0]
    table.write([{"id": 1, "v": "a"}])
    assert _ids(table) == [0, 1]


def test_a_commit_that_always_fails_raises(table: wb.Table, proxy: Proxy) -> None:
    proxy.refuses = lambda request: (500, b"") if _is_commit(request) else None
    with pytest.raises(CatalogError, match=r"failed with status 500"):
        table.write([{"id": 1, "v": "a"}])
    assert sum(map(_is_commit, proxy.seen)) == 6
    assert _ids(table) == [0]


def test_a_dropped_table_is_named(table: wb.Table, proxy: Proxy) -> None:
    direct = wb.connect(options_of(proxy.origin))
    direct.drop_table(table.name)
    with pytest.raises(TableNotFound, match=r"orders"):
        table.write([{"id": 1, "v": "a"}])


def test_dead_and_silent_services_are_named_soon(proxy: Proxy, options: dict[str, str]) -> None:
    assert CONNECT_SECONDS + ANSWER_SECONDS < 10
    catalog = wb.connect({**options, "rest.answer-timeout": "700 ms"})
    for broken in (proxy.dead, proxy.silent):
        with broken():
            began = time.monotonic()
            with pytest.raises(CatalogError, match=rf"127\.0\.0\.1:{proxy.port}.*(refused|does not answer)") as caught:
                catalog.list_databases()
            assert time.monotonic() - began < 3
            assert TOKEN not in str(caught.value)
    assert catalog.list_databases() is not None
    with pytest.raises(CatalogError, match=r"cannot be reached: .*(known|resolution)"):
        wb.connect({**options, "uri": "http://no-such-host.invalid"})


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_asked_again_but_commits_are_not_repeated_blindly(
    proxy: Proxy, options: dict[str, str], status: int
) -> None:
    catalog = wb.connect(options)
    proxy.refuses = _times(2, lambda _: True, (status, b"", {"Retry-After": "0"}))
    catalog.list_databases()
    assert [each.method for each in proxy.seen[-3:]] == ["GET"] * 3
    proxy.refuses = _times(1, lambda each: each.method == "POST", (status, b"", {"Retry-After": "0"}))
    with pytest.raises(CatalogError, match=str(status)):
        catalog.create_database(f"busy{status}")
    proxy.refuses = lambda _: (503, b"", {"Retry-After": "3600"})
    began = time.monotonic()
    with pytest.raises(CatalogError, match=r"503"):
        catalog.list_databases()
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        ((401, b""), CatalogError, "'token.provider' and 'token'"),
        ((403, b'{"message": "not you", "code": 403}'), CatalogError, "not you.*'token'"),
        ((404, b"<html>"), CatalogError, "'uri', 'prefix' and 'warehouse'"),
        ((409, b'{"resourceType": "DATABASE", "resourceName": "x", "message": "", "code": 409}'), AlreadyExists, "x"),
        ((500, b'{"message": "token=abcdef failed", "code": 500}'), CatalogError, "status 500"),
        ((501, b'{"message": "later", "code": 501}'), wb.Unsupported, "later"),
        ((302, b""), CatalogError, "another address"),
        ((200, b"<html>"), CatalogError, "other than JSON"),
        ((200, b""), CatalogError, "without content"),
    ],
)
def test_errors_by_code(
    proxy: Proxy, options: dict[str, str], answer: tuple[int, bytes], kind: type[Exception], text: str
) -> None:
    catalog = wb.connect(options)
    proxy.refuses = lambda _: answer
    with pytest.raises(kind, match=text):
        catalog.get_database("x")


def test_a_wrong_token_names_the_options(options: dict[str, str]) -> None:
    with pytest.raises(CatalogError, match=r"'token.provider' and 'token'") as caught:
        wb.connect({**options, "token": "wrong-secret"})
    assert "wrong-secret" not in str(caught.value)


def test_a_forbidden_database(catalog: wb.Catalog) -> None:
    with pytest.raises(CatalogError, match=r"does not permit"):
        catalog.get_database("forbidden")


def test_pages_are_followed_to_the_end(proxy: Proxy, options: dict[str, str]) -> None:
    catalog = wb.connect(options)
    names = [f"d{number:03}" for number in range(25)]

    def paged(request: Request) -> tuple[int, bytes] | None:
        if not request.target.startswith("/v1/paimon/databases"):
            return None
        start = int(request.target.partition("pageToken=")[2] or 0)
        following = str(start + 10) if start + 10 < len(names) else None
        return 200, json.dumps({"databases": names[start : start + 10], "nextPageToken": following}).encode()

    proxy.refuses = paged
    assert catalog.list_databases() == names
    proxy.refuses = lambda _: (200, b'{"databases": null, "nextPageToken": null}')
    assert catalog.list_databases() == []


def test_patterns_and_the_number_of_results(catalog: wb.Catalog, database: str, proxy: Proxy) -> None:
    for name in ("orders", "parts"):
        catalog.create_table(f"{database}.{name}", COLUMNS)
    api = catalog.metastore.api  # type: ignore[attr-defined]
    assert api.list_objects("tables", database, tableNamePattern="ord%") == ["orders"]
    assert proxy.seen[-1].target.endswith("/tables?tableNamePattern=ord%25")
    assert api.list_objects("tables", database, maxResults=1) == ["orders", "parts"]


def test_the_commit_of_an_older_writer_is_a_conflict(table: wb.Table) -> None:
    store = table.store
    commit = store.snapshot_commit
    assert isinstance(commit, RestSnapshotCommit)
    first = table.snapshot(1)
    table.write([{"id": 1, "v": "a"}])
    assert not commit.commit(dataclasses.replace(table.snapshot(2), uuid="another"), first, list)
    assert commit.commit(table.snapshot(2), first, list), "it is there, so the answer was lost"
    assert [each.id for each in table.snapshots()] == [1, 2]
