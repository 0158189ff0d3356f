"""Files in parts: an upload that fails leaves neither a file nor parts behind, and the next attempt succeeds."""

from __future__ import annotations

import gc
import io
import os
import re
import shutil
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.stores.proxy import Proxy, Request, proxied
from tests.stores.servers import BUCKET, SERVERS, RunningStore
from workbench.storage.file_io import FileIO
from workbench.storage.stores.failures import StorageError
from workbench.storage.stores.registry import open_store

# The proxy knows HTTP only, and HDFS has no parts.
pytestmark = pytest.mark.parametrize("store", SERVERS, ids=lambda server: server.name, indirect=True)
_PART_BYTES = 5 << 20
_CONTENT = os.urandom(1 << 20) * 18
# The requests for parts of a file to S3 and OSS, to Azure, and to GCS, and those that complete it; in GCS, the last
# part does that.
_PART = re.compile(r"PUT .*partNumber=|PUT .*comp=block(&|$)|POST .*upload_id=")
_END = re.compile(r"POST .*[?&]uploadId=|PUT .*comp=blocklist")


@pytest.fixture
def proxy(store: RunningStore) -> Iterator[Proxy]:
    with proxied(store.port) as proxy:
        yield proxy


@pytest.fixture
def files(store: RunningStore, proxy: Proxy, warehouse: str) -> FileIO:
    """A storage behind the proxy, whose parts are small."""
    files = open_store(warehouse, store.options_behind(proxy.port))
    # Files may be cached on the disk in front of the storage.
    client = getattr(files, "inner", files)._files.inner
    for name in ("default_block_size", "blocksize"):
        if hasattr(client, name):
            setattr(client, name, _PART_BYTES)
    return files


def _is_part(request: Request) -> bool:
    return _PART.match(f"{request.method} {request.target}") is not None


def _write(files: FileIO, path: str) -> None:
    with files.open_output(path) as output:
        for start in range(0, len(_CONTENT), 1 << 20):
            output.write(_CONTENT[start : start + (1 << 20)])


def test_parts(files: FileIO, proxy: Proxy, warehouse: str) -> None:
    _write(files, f"{warehouse}/large")
    assert sum(map(_is_part, proxy.seen)) >= 3
    assert files.read_bytes(f"{warehouse}/large") == _CONTENT


@pytest.mark.long
def test_abandoned_files(files: FileIO, proxy: Proxy, warehouse: str) -> None:
    """A file that its writer has not closed is not completed when Python removes the object."""
    output = files.open_output(f"{warehouse}/large")
    output.write(_CONTENT)
    assert any(map(_is_part, proxy.seen))
    # Objects in a circle are removed in any order.
    circle = [output]
    circle.append(circle)  # type: ignore[arg-type]
    del output, circle
    gc.collect()
    assert not files.exists(f"{warehouse}/large")


@dataclass
class _Fault:
    """What happens to all requests of a kind, except the first ``passes`` of them."""

    pattern: re.Pattern[str]
    passes: int
    hits: int = 0

    def __call__(self, request: Request) -> bool:
        if not self.pattern.match(f"{request.method} {request.target}"):
            return False
        self.hits += 1
        return self.hits > self.passes


def _fault(store: RunningStore, where: str) -> _Fault:
    if where == "a part":
        return _Fault(_PART, passes=1)
    return _Fault(_PART, passes=2) if store.server.scheme == "gs" else _Fault(_END, passes=0)


def _unfinished(store: RunningStore) -> set[str]:
    """Return the unfinished uploads; only S3 and OSS list them."""
    if store.server.scheme not in ("s3", "oss"):
        return set()
    with urllib.request.urlopen(f"http://127.0.0.1:{store.port}/{BUCKET}?uploads=", timeout=10) as answer:
        return set(re.findall("<UploadId>(.*?)</UploadId>", answer.read().decode()))


def _check_failure(files: FileIO, path: str) -> None:
    with pytest.raises(StorageError) as raised:
        _write(files, path)
    assert path in str(raised.value)
    gc.collect()


def _check_removal(store: RunningStore, proxy: Proxy, before: set[str]) -> None:
    """Check that the parts were removed. Azure has no request for this, and removes them itself after a week."""
    assert _unfinished(store) <= before
    if store.server.scheme == "gs":
        assert any(each.method == "DELETE" and "upload_id=" in each.target for each in proxy.seen)


def _check_retry(files: FileIO, path: str) -> None:
    _write(files, path)
    assert files.read_bytes(path) == _CONTENT


@pytest.mark.long
@pytest.mark.parametrize("status", [500, 503])
@pytest.mark.parametrize("where", ["a part", "the end"])
def test_refused_parts(
    files: FileIO, proxy: Proxy, store: RunningStore, warehouse: str, where: str, status: int
) -> None:
    path, fault, before = f"{warehouse}/large", _fault(store, where), _unfinished(store)
    proxy.refuses = lambda request: status if fault(request) else None
    _check_failure(files, path)
    proxy.refuses = lambda _: None
    assert not files.exists(path)
    _check_removal(store, proxy, before)
    _check_retry(files, path)


@pytest.mark.long
def test_a_part_is_sent_again(files: FileIO, proxy: Proxy, store: RunningStore, warehouse: str) -> None:
    # The clients of Azure and GCS send a part twice and three times.
    refusals = {"Azure": 1, "GCS": 2}.get(store.server.name, 3)
    fault = _fault(store, "a part")
    proxy.refuses = lambda request: 503 if fault(request) and fault.hits <= 1 + refusals else None
    _write(files, f"{warehouse}/large")
    assert fault.hits > 1 + refusals
    assert files.read_bytes(f"{warehouse}/large") == _CONTENT


@pytest.mark.long
@pytest.mark.parametrize("where", ["a part", "the end"])
def test_lost_answers_to_parts(files: FileIO, proxy: Proxy, store: RunningStore, warehouse: str, where: str) -> None:
    """The storage has what was sent, and may have completed the file; then, it is the whole file."""
    path, fault, before = f"{warehouse}/large", _fault(store, where), _unfinished(store)
    proxy.loses = fault
    _check_failure(files, path)
    proxy.loses = lambda _: False
    if where == "the end" and files.exists(path):
        assert files.read_bytes(path) == _CONTENT
    else:
        assert not files.exists(path)
        _check_removal(store, proxy, before)
    _check_retry(files, path)


@pytest.mark.long
def test_the_storage_recovers(files: FileIO, proxy: Proxy, store: RunningStore, warehouse: str) -> None:
    """After the loss of a part, the rest of the file is not sent, whatever its writer tries."""
    path, fault = f"{warehouse}/large", _fault(store, "a part")
    proxy.refuses = lambda request: 500 if fault(request) else None
    output = files.open_output(path)
    with pytest.raises(StorageError) as first:
        shutil.copyfileobj(io.BytesIO(_CONTENT), output, 1 << 20)
    proxy.refuses = lambda _: None
    with pytest.raises(StorageError) as second:
        output.write(b"more")
    assert second.value is first.value
    output.close()
    assert not files.exists(path)
