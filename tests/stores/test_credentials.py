"""Credentials of S3 that expire during the work of a process, or of Spark's tasks."""

from __future__ import annotations

import os
import re
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import workbench as wb
from tests.stores.proxy import Proxy, Request, proxied
from tests.stores.servers import SERVERS, RunningStore
from tests.stores.spark_runs import files_with, run_on_spark
from workbench.storage.open import file_io_for
from workbench.storage.stores.failures import StorageError

pytestmark = pytest.mark.parametrize("store", SERVERS[:1], ids=["S3"], indirect=True)
_EXPIRED = b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"
_KEY = re.compile(r"Credential=([^/]+)/\d+/[^/]+/s3/")


@dataclass
class Keys:
    """The access keys that a storage accepts: all except those that have expired."""

    seconds: float = float("inf")
    """How long each temporary key is valid, from its first use."""

    expired: set[str] = field(default_factory=set)
    used: dict[str, float] = field(default_factory=dict)
    """The time of the first use by access key, in the order of these."""

    paths: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The paths of all requests by access key."""

    refused: list[str] = field(default_factory=list)
    """The methods of the requests that were refused."""

    def refuses(self, request: Request) -> tuple[int, bytes] | None:
        """Return the answer to a request with an expired key."""
        found = _KEY.search(request.headers.get("Authorization", ""))
        if found is None:
            return None
        key, now = found[1], time.monotonic()
        self.paths[key].add(request.target)
        age = now - self.used.setdefault(key, now)
        if key not in self.expired and (age < self.seconds or not key.startswith("ASIA")):
            return None
        self.refused.append(request.method)
        return 400, _EXPIRED


@pytest.fixture
def proxy(store: RunningStore) -> Iterator[Proxy]:
    with proxied(store.port) as proxy:
        yield proxy


@pytest.fixture
def keys(proxy: Proxy) -> Keys:
    keys = Keys()
    proxy.refuses = keys.refuses
    return keys


@pytest.fixture
def profile() -> str:
    """The name of a profile that this process has not used before."""
    return f"lake-{uuid.uuid4().hex}"


@pytest.fixture
def rotate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str) -> Callable[[str], None]:
    """Writes temporary credentials with an access key into the file of the user's profiles."""
    file = tmp_path / "credentials"
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))

    def write(key: str) -> None:
        names = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
        file.write_text("\n".join([f"[{profile}]", *(f"{name} = {key}" for name in names)]))

    return write


@pytest.fixture
def options(store: RunningStore, proxy: Proxy) -> dict[str, str]:
    """Options without keys."""
    return {name: text for name, text in store.options_behind(proxy.port).items() if "-key" not in name}


@pytest.fixture
def role(options: dict[str, str], proxy: Proxy) -> dict[str, str]:
    """Options with the keys of a user, who assumes a role."""
    return {
        **options,
        "fs.s3a.access.key": "user",
        "fs.s3a.secret.key": "user",
        "fs.s3a.assumed.role.arn": "arn:aws:iam::123456789012:role/lake",
        "fs.s3a.assumed.role.session.name": "workbench",
        "fs.s3a.assumed.role.session.duration": "30m",
        "fs.s3a.assumed.role.sts.endpoint": f"http://127.0.0.1:{proxy.port}",
    }


@pytest.mark.long
def test_every_request_is_sent_again(
    options: dict[str, str], keys: Keys, profile: str, rotate: Callable[[str], None], warehouse: str
) -> None:
    """Before each kind of request the file has other credentials, and the storage no longer accepts the old ones."""
    rotate("first")
    files = file_io_for(warehouse, {**options, "s3.profile": profile})
    path, number, small, large = f"{warehouse}/f", iter(range(100)), b"x" * 10, os.urandom(20 << 20)

    def expire() -> None:
        keys.expired |= set(keys.used)
        rotate(f"key{next(number)}")

    def written_in_parts() -> bytes:
        output = files.open_output(f"{path}-parts")
        output.write(large[: 10 << 20])
        expire()
        output.write(large[10 << 20 :])
        output.close()
        return files.read_bytes(f"{path}-parts")

    assert files.put_if_absent(path, small)
    requests: list[tuple[Callable[[], object], object]] = [
        (lambda: files.read_bytes(path), small),
        (lambda: files.read_range(path, 0, 5), small[:5]),
        (lambda: [each.name for each in files.list_files(warehouse)], ["f"]),
        (lambda: files.exists(path), True),
        (lambda: files.put_if_absent(path, b""), False),
        (lambda: files.put_if_absent(f"{path}-new", b""), True),
        (lambda: files.delete(f"{path}-new"), None),
        (written_in_parts, large),
    ]
    for request, answer in requests:
        expire()
        before = len(keys.refused)
        assert request() == answer
        assert len(keys.refused) > before
    assert {"GET", "HEAD", "PUT"} < set(keys.refused)


@pytest.mark.long
def test_credentials_that_stay_expired(
    options: dict[str, str], keys: Keys, profile: str, rotate: Callable[[str], None], warehouse: str
) -> None:
    rotate("first")
    files = file_io_for(warehouse, {**options, "s3.profile": profile})
    keys.expired = {"first", "second"}
    with pytest.raises(StorageError, match="refuses expired credentials"):
        files.read_bytes(f"{warehouse}/f")
    assert len(keys.refused) == 1, "there are no others"
    rotate("second")
    with pytest.raises(StorageError, match="refuses expired credentials"):
        files.read_bytes(f"{warehouse}/f")
    assert len(keys.refused) == 3


def test_keys_of_options_are_not_replaced(store: RunningStore, proxy: Proxy, keys: Keys, warehouse: str) -> None:
    keys.expired = {"test"}
    with pytest.raises(StorageError, match="Renew the session token"):
        file_io_for(warehouse, store.options_behind(proxy.port)).read_bytes(f"{warehouse}/f")
    assert len(keys.refused) == 1


def test_missing_credentials(
    options: dict[str, str], warehouse: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "nothing"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for given in ({}, {"s3.profile": "unknown"}):
        with pytest.raises(StorageError, match="needs credentials"):
            file_io_for(warehouse, {**options, **given}).read_bytes(f"{warehouse}/f")


@pytest.mark.long
def test_a_role_is_assumed_again(role: dict[str, str], proxy: Proxy, keys: Keys, warehouse: str) -> None:
    """The sessions of the role last a second."""
    keys.seconds = 1.0
    proxy.delay = 0.02
    catalog = wb.connect(warehouse, **role)
    catalog.create_database("shop")
    table = catalog.create_table("shop.t", {"id": "BIGINT NOT NULL"}, primary_key="id", options={"bucket": "2"})
    until = time.monotonic() + 4
    written = 0
    while time.monotonic() < until or len(keys.used) < 3:
        table.write([{"id": written}])
        written += 1
    assert sorted(table.to_arrow()["id"].to_pylist()) == list(range(written))
    assert [each.id for each in table.snapshots()] == list(range(1, len(table.snapshots()) + 1))
    assert all(key.startswith("ASIA") for key in keys.used), "the keys of the user are only for the role"
    assert keys.refused


def test_a_short_session_of_a_role(role: dict[str, str], proxy: Proxy, warehouse: str) -> None:
    files = file_io_for(warehouse, {**role, "fs.s3a.assumed.role.session.duration": "15m"})
    for _ in range(5):
        assert files.list_files(warehouse) == []
    assert proxy.methods()["POST"] == 1


@pytest.mark.long
def test_hadoop_decides_by_the_provider(role: dict[str, str], keys: Keys, warehouse: str) -> None:
    package = "org.apache.hadoop.fs.s3a"
    for provider, is_role in (("auth.AssumedRoleCredentialProvider", True), ("SimpleAWSCredentialsProvider", False)):
        keys.used.clear()
        wb.connect(warehouse, **role, **{"fs.s3a.aws.credentials.provider": f"{package}.{provider}"}).list_databases()
        assert [key.startswith("ASIA") for key in keys.used] == [is_role]


@pytest.mark.spark
@pytest.mark.long
def test_spark_assumes_a_role(role: dict[str, str], proxy: Proxy, keys: Keys, warehouse: str, tmp_path: Path) -> None:
    """The tasks of Spark assume the role themselves, and again when its session ends."""
    keys.seconds = 2.0
    proxy.delay = 0.05
    run_on_spark(tmp_path, warehouse, {**role, "fs.s3a.secret.key": "planted"})
    assert files_with(tmp_path, ["planted", *keys.used]) == []
    by_tasks = [paths for paths in keys.paths.values() if all("/bucket-" in path for path in paths)]
    assert len(by_tasks) > 1
    assert keys.refused
