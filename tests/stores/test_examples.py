"""The examples of the page about stores work, against servers in place of the services."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.stores.servers import SERVERS, RunningStore
from tests.support.page_examples import DOCS, examples

_EXAMPLES = examples(DOCS / "stores.md")
(_WORK,) = _EXAMPLES["Stores"]


@dataclass(frozen=True)
class _Example:
    """The first example of a section; ``address`` is what it says of the service, in place of that of the server."""

    heading: str
    address: str
    of_server: Callable[[RunningStore], str]


def _host(store: RunningStore) -> str:
    return f"127.0.0.1:{store.port}"


_OF_AZURE = "DefaultEndpointsProtocol=https;AccountName=account;AccountKey=…;EndpointSuffix=core.windows.net"
_OF_SCHEME = {
    "s3": _Example("Amazon S3, and servers with its protocol", "localhost:9000", _host),
    "abfs": _Example("Azure Blob Storage", _OF_AZURE, lambda store: store.options["fsspec.connection_string"]),
    "gs": _Example("Google Cloud Storage", "localhost:4443", _host),
    # Unlike the service, the fake takes buckets from the path of the URL.
    "oss": _Example(
        "Alibaba Cloud OSS",
        '"oss-cn-hangzhou.aliyuncs.com"',
        lambda store: f'"http://{_host(store)}", "fs.oss.path.style.access": "true"',
    ),
    "hdfs": _Example("HDFS", "namenode:8020", _host),
}


def _run(text: str, example: _Example, store: RunningStore, **names: Any) -> dict[str, Any]:
    """Run an example on the server, in another warehouse."""
    assert text.count(example.address) == 1
    text = text.replace(example.address, example.of_server(store)).replace("/warehouse", f"/{uuid.uuid4().hex}")
    text = text.replace("…", "test")
    exec(compile(text, example.heading, "exec"), names)
    return names


def _check(names: dict[str, Any]) -> None:
    """Check that the work on the page can be done."""
    exec(compile(_WORK, "Stores", "exec"), names)
    rows = names["orders"].to_arrow().sort_by("id").to_pylist()
    assert rows == [{"id": 1, "state": "new"}, {"id": 2, "state": "paid"}]


def test_stores(store: RunningStore) -> None:
    example = _OF_SCHEME[store.server.scheme]
    _check(_run(_EXAMPLES[example.heading][0], example, store))


@pytest.mark.parametrize("store", SERVERS[:1], ids=lambda server: server.name, indirect=True)
def test_a_lock(store: RunningStore, tmp_path: Path) -> None:
    import workbench as wb

    (text,) = _EXAMPLES["What a commit guarantees"]
    names = _run(text.replace("/mnt/shared/locks", str(tmp_path)), _OF_SCHEME["s3"], store, wb=wb)
    _check({"lake": names["locked"]})
    assert [path.name for path in tmp_path.iterdir()] == ["shop@orders.lock"]
