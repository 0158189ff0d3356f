"""Storages that are dead, slow, busy or refuse requests: errors name the server and the cause, and come soon."""

from __future__ import annotations

import errno
import gc
import io
import pickle
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from workbench.base.errors import CatalogError
from workbench.storage.stores import watched
from workbench.storage.stores.failures import StorageError, failure_of
from workbench.storage.stores.object_store import ObjectStoreFileIO
from workbench.storage.stores.watched import Endpoint, WatchedFileSystem

PATH = "s3://lake/wh/x"


class Answers:
    """A file system with prepared answers: values, errors, and events to wait for."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.requests = 0

    def invalidate_cache(self) -> None:
        pass

    def cat_file(self, path: str, **_: object) -> bytes:
        return self._next(path)

    def info(self, path: str) -> Any:
        return self._next(path)

    def pipe_file(self, path: str, data: bytes, mode: str = "overwrite") -> Any:  # noqa: ARG002
        return self._next(path)

    def open(self, *_: object) -> Any:
        return self

    def read(self, _: int) -> bytes:
        return self._next(PATH)

    def _next(self, _: str) -> Any:
        self.requests += 1
        answer = self.answers.pop(0)
        if isinstance(answer, threading.Event):
            answer.wait()
            return b"late"
        if isinstance(answer, Exception):
            raise answer
        return answer


class EndpointConnectionError(Exception):
    """The name of an error of botocore."""


def refused(code: str = "", status: int = 0) -> Exception:
    cause = Exception(f"the words of the storage about {code or status}\nmore")
    cause.response = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}  # type: ignore[attr-defined]
    error = OSError("translated")
    error.__cause__ = cause
    return error


def azure(code: str, status: int) -> Exception:
    error = Exception("of Azure")
    error.error_code, error.status_code = code, status  # type: ignore[attr-defined]
    return error


def gcs(status: int) -> Exception:
    error = Exception("of Google")
    error.code = status  # type: ignore[attr-defined]
    return error


def files(*answers: object, url: str | None = None) -> WatchedFileSystem:
    return WatchedFileSystem(Answers(*answers), Endpoint("store:9000", url))


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "_PATIENCE", 0.05)
    monkeypatch.setattr(watched, "_ANSWER_SECONDS", 0.3)
    monkeypatch.setattr(watched, "_FIRST_PAUSE", 0.001)


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that accepts connections and does not answer."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def dead() -> str:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def test_answers_are_passed_on() -> None:
    assert files(b"abc").cat_file(PATH) == b"abc"
    with pytest.raises(FileNotFoundError):
        files(FileNotFoundError(PATH)).cat_file(PATH)


@pytest.mark.parametrize(
    ("error", "cause", "number"),
    [
        (refused("ExpiredToken", 400), "refuses expired credentials", errno.EACCES),
        (refused("RequestTimeTooSkewed", 403), "clock", errno.EACCES),
        (refused("NoSuchBucket", 404), "has no such bucket", errno.ENOENT),
        (refused("PermanentRedirect", 301), "another region", errno.EACCES),
        (refused("SignatureDoesNotMatch", 403), "does not accept the credentials", errno.EACCES),
        (refused("AccessDenied", 403), "denies access", errno.EACCES),
        (refused(status=403), "denies access", errno.EACCES),
        (azure("ContainerNotFound", 404), "has no such bucket", errno.ENOENT),
        (azure("AuthenticationFailed", 403), "does not accept the credentials", errno.EACCES),
        (azure("AuthorizationPermissionMismatch", 403), "denies access", errno.EACCES),
        (gcs(401), "does not accept the credentials", errno.EACCES),
        (OSError("Forbidden: b/lake"), "denies access", errno.EACCES),
        (EndpointConnectionError("no route"), "does not answer", errno.ETIMEDOUT),
    ],
)
def test_causes_are_told_apart(error: Exception, cause: str, number: int) -> None:
    asked = files(error)
    with pytest.raises(StorageError, match=f"^The storage store:9000 .*{cause}.*{PATH}") as raised:
        asked.info(PATH)
    assert asked.inner.requests == 1
    assert raised.value.errno == number
    assert isinstance(raised.value, CatalogError | OSError)
    assert raised.value.hint
    assert "\n" not in str(raised.value)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_missing_files_are_not_failures() -> None:
    assert failure_of(FileNotFoundError(PATH)) is None
    assert failure_of(refused("NoSuchKey", 404)) is None
    assert failure_of(FileExistsError(PATH)) is None


@pytest.mark.parametrize("busy", [refused("SlowDown", 503), azure("ServerBusy", 503), gcs(429), refused(status=500)])
def test_busy_storages_are_tried_again(busy: Exception) -> None:
    asked = files(busy, busy, busy, b"at last")
    assert asked.cat_file(PATH) == b"at last"
    always = files(*[busy] * 20)
    with pytest.raises(StorageError, match=r"limits the number of requests|internal error"):
        always.cat_file(PATH)
    assert always.inner.requests == 6


def test_a_write_that_is_refused_for_a_while_is_made_once() -> None:
    asked = files(refused("SlowDown", 503), None)
    assert ObjectStoreFileIO(asked).put_if_absent(PATH, b"1") is True
    assert asked.inner.requests == 2


@pytest.mark.parametrize("request_of", ["cat_file", "info", "read"])
def test_a_server_that_is_gone(request_of: str, dead: str) -> None:
    never = threading.Event()
    asked = files(never, url=dead)
    begin = time.monotonic()
    with pytest.raises(StorageError, match="store:9000 does not answer"):
        asked.open(PATH).read(10) if request_of == "read" else getattr(asked, request_of)(PATH)
    assert time.monotonic() - begin < 2
    never.set()


def test_connections_that_end_before_the_answer() -> None:
    lost = ConnectionResetError("reset")
    assert files(lost, lost, b"abc").cat_file(PATH) == b"abc"
    with pytest.raises(StorageError, match="store:9000 closes connections without an answer"):
        files(*[lost] * 6).info(PATH)


def test_a_server_that_does_not_answer(silent: str) -> None:
    never = threading.Event()
    asked = files(never, url=silent)
    with pytest.raises(StorageError, match="does not answer"):
        asked.info(PATH)
    never.set()


def test_a_slow_server_is_waited_for(silent: str) -> None:
    soon = threading.Event()
    threading.Timer(0.15, soon.set).start()
    assert files(soon, url=silent).cat_file(PATH, 0, 10) == b"late"


def test_many_bytes_take_longer(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "_LEAST_RATE", 1_000)
    later = threading.Event()
    threading.Timer(0.6, later.set).start()
    assert files(later, url=silent).cat_file(PATH, 0, 2_000) == b"late"


def test_a_proxy_answers_for_the_server(silent: str, dead: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", silent)
    assert Endpoint("h", dead).is_reachable()
    monkeypatch.setenv("http_proxy", dead)
    assert not Endpoint("h", silent).is_reachable()


def test_writing_is_not_repeated() -> None:
    """A file of fsspec has kept the data of a write that failed, and is closed after its end could not be sent."""

    class Output:
        def __init__(self) -> None:
            self.data = b""
            self.closed = False

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:
            self.data += data
            if len(self.data) == 3:
                raise refused("SlowDown", 503)
            return len(data)

        def close(self) -> None:
            if not self.closed:
                self.closed = True
                raise refused("InternalError", 500)

    output = Output()
    opened = WatchedFileSystem(type("Files", (), {"open": lambda *_: output})(), Endpoint("h")).open(PATH, "wb")
    with pytest.raises(StorageError, match="limits the number of requests"):
        opened.write(b"abc")
    assert output.data == b"abc"
    with pytest.raises(StorageError, match="has an internal error"):
        opened.close()


def test_a_file_that_is_given_up_is_not_completed() -> None:
    class Output:
        closed = False

        def close(self) -> None:
            self.closed = True

    output = Output()
    opened = WatchedFileSystem(type("Files", (), {"open": lambda *_: output})(), Endpoint("h")).open(PATH, "wb")
    del opened
    gc.collect()
    assert not output.closed


def test_the_position_after_a_seek() -> None:
    """Files of hdfs-native return nothing from ``seek``."""

    class Input(io.BytesIO):
        def seek(self, offset: int, whence: int = 0) -> None:  # type: ignore[override]
            super().seek(offset, whence)

    inner = Input(b"0123456789")
    opened = WatchedFileSystem(type("Files", (), {"open": lambda *_: inner})(), Endpoint("h")).open(PATH)
    assert opened.seek(-3, io.SEEK_END) == 7
    assert opened.read(2) == b"78"
