"""Stores behind fsspec: options, trust in conditional writes, errors of a store that does not answer."""

from __future__ import annotations

import io
import subprocess
import sys
import time
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from workbench.base.errors import CatalogError
from workbench.storage.file_io import join
from workbench.storage.fsspec_io import FsspecFileIO, _modified_millis
from workbench.storage.open import file_io_for
from workbench.storage.stores.hdfs import HdfsFileIO
from workbench.storage.stores.object_store import ObjectStoreFileIO
from workbench.storage.stores.options import StoreOption
from workbench.storage.stores.registry import Store as KindOfStore
from workbench.storage.stores.registry import hadoop_file_system, register_store, store_arguments
from workbench.storage.stores.s3 import S3_OPTIONS, S3_PREFIXES


class Store:
    """A dictionary with the interface of an fsspec file system, which obeys conditional writes if ``honest``."""

    def __init__(self, honest: bool = True) -> None:
        self.files: dict[str, bytes] = {}
        self.honest = honest
        self.writes = 0
        self.answers: list[Exception] = []
        self.gap = 0.0

    def invalidate_cache(self, path: str | None = None) -> None:
        pass

    def info(self, path: str) -> dict[str, Any]:
        if path not in self.files:
            raise FileNotFoundError(path)
        return {"name": path, "size": len(self.files[path]), "type": "file"}

    def pipe_file(self, path: str, data: bytes, mode: str = "overwrite") -> None:
        self.writes += 1
        if self.answers:
            raise self.answers.pop(0)
        if mode == "create" and self.honest and path in self.files:
            raise FileExistsError(path)
        if self.gap:
            time.sleep(self.gap)
        self.files[path] = data

    def rm_file(self, path: str) -> None:
        self.files.pop(path, None)


class OldStore(Store):
    """A store of a release without the ``create`` mode."""

    def pipe_file(self, path: str, data: bytes, **_: object) -> None:  # type: ignore[override]
        self.files[path] = data


def http_error(status: int) -> OSError:
    cause = Exception("from the store")
    cause.response = {"ResponseMetadata": {"HTTPStatusCode": status}}  # type: ignore[attr-defined]
    error = OSError("translated")
    error.__cause__ = cause
    return error


def test_a_store_without_conditional_puts_is_reported() -> None:
    files = ObjectStoreFileIO(OldStore())
    assert not files.supports_put_if_absent
    assert files.put_if_absent("s3://b/x", b"1") is True
    assert files.put_if_absent("s3://b/x", b"2") is False
    assert not FsspecFileIO(Store()).supports_put_if_absent


def test_a_store_that_ignores_the_condition_is_found_out() -> None:
    store = Store(honest=False)
    files = ObjectStoreFileIO(store, verify_condition=True)
    assert files.supports_put_if_absent
    with pytest.warns(UserWarning, match="ignores conditional writes"):
        assert files.put_if_absent("s3://b/x", b"1") is True
    assert not files.supports_put_if_absent
    assert files.put_if_absent("s3://b/x", b"2") is False
    assert store.files["s3://b/x"] == b"1"


def test_a_correct_store_is_probed_only_once() -> None:
    store = Store()
    files = ObjectStoreFileIO(store, verify_condition=True)
    for i in range(3):
        assert files.put_if_absent(f"s3://b/{i}", b"1")
    assert files.supports_put_if_absent
    assert sorted(store.files) == ["s3://b/0", "s3://b/1", "s3://b/2"]
    probes = store.writes - 3
    files.put_if_absent("s3://b/3", b"1")
    assert store.writes == probes + 4


def test_a_store_that_checks_and_then_writes_is_found_out() -> None:
    store = Store()
    store.gap = 0.02
    files = ObjectStoreFileIO(store, verify_condition=True)
    with pytest.warns(UserWarning, match="does not check them atomically"):
        assert files.put_if_absent("s3://b/x", b"1") is True
    assert not files.supports_put_if_absent
    assert list(store.files) == ["s3://b/x"]


def test_refusals_in_other_words() -> None:
    store = Store()
    files = ObjectStoreFileIO(store)
    store.answers = [http_error(412)]
    assert files.put_if_absent("s3://b/x", b"1") is False
    store.answers = [http_error(409), http_error(409)]
    assert files.put_if_absent("s3://b/x", b"1") is True
    store.answers = [http_error(409)] * 5
    with pytest.raises(OSError, match="translated"):
        files.put_if_absent("s3://b/y", b"1")
    store.answers = [http_error(403)]
    with pytest.raises(OSError, match="translated"):
        files.put_if_absent("s3://b/y", b"1")
    assert "s3://b/y" not in store.files


def test_a_store_that_does_not_answer_is_not_an_absent_file() -> None:
    class Broken(Store):
        def info(self, path: str) -> dict[str, Any]:
            raise PermissionError(path)

    with pytest.raises(PermissionError):
        ObjectStoreFileIO(Broken()).exists("s3://b/x")


def test_s3_options() -> None:
    options = {
        "s3.endpoint": "minio:9000",
        "s3.access-key": "me",
        "s3.secret-key": "pass",
        "s3.path.style.access": "true",
        "s3a.endpoint.region": "eu-1",
        "s3.connection.ssl.enabled": "false",
        "bucket": "4",
        "fs.oss.endpoint": "other",
        "fsspec.anon": "x",
    }
    assert store_arguments("s3", options) == {
        "endpoint_url": "http://minio:9000",
        "key": "me",
        "secret": "pass",
        "client_kwargs": {"region_name": "eu-1"},
        "config_kwargs": {"retries": {"max_attempts": 0}, "s3": {"addressing_style": "path"}},
        "anon": "x",
    }
    assert store_arguments("s3", {"s3.endpoint": "https://h", "fs.s3a.access.key": "k"}) == {
        "endpoint_url": "https://h",
        "key": "k",
        "config_kwargs": {"retries": {"max_attempts": 0}},
    }
    assert store_arguments("s3", {"s3.endpoint": "h"})["endpoint_url"] == "https://h"
    assert store_arguments("gs", {}) == {}


def test_roles_of_s3() -> None:
    options = {"fs.s3a.assumed.role.arn": "arn:r", "s3.assumed.role.session.duration": "2h", "fs.s3a.access.key": "k"}
    assert store_arguments("s3", options)["role"] == {"RoleArn": "arn:r", "DurationSeconds": 7200}
    provider = {"fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"}
    assert "role" not in store_arguments("s3", {**options, **provider})
    with pytest.raises(CatalogError, match="cannot be 'soon'"):
        store_arguments("s3", {"s3.assumed.role.session.duration": "soon"})


TOKENS = "fs.s3a.assumed.role.sts.endpoint"


def test_options_of_hadoop() -> None:
    options = {
        "s3.endpoint": "minio:9000",
        "fs.s3a.endpoint": "less important",
        "s3a.access-key": "me",
        "s3.region": "eu-1",
        "fs.s3a.connection.maximum": "7",
        "s3.assumed.role.arn": "arn:r",
        "fs.oss.endpoint": "other",
        "bucket": "4",
    }
    found = hadoop_file_system("s3://lake/wh", options)
    assert found is not None
    assert (found.scheme, found.missing) == ("s3a", [])
    assert found.options == {
        "fs.s3a.endpoint": "minio:9000",
        "fs.s3a.access.key": "me",
        "fs.s3a.endpoint.region": "eu-1",
        "fs.s3a.connection.maximum": "7",
        "fs.s3a.assumed.role.arn": "arn:r",
        "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider",
    }
    assert "arn:r" not in repr(found)
    for address, host, missing in (
        ("https://sts", "sts", []),
        ("sts", "sts", []),
        ("http://sts", "http://sts", [TOKENS]),
    ):
        found = hadoop_file_system("s3://lake/wh", {TOKENS: address})
        assert found is not None
        assert (found.options, found.missing) == ({TOKENS: host}, missing)
    for name in ("s3.profile", "fs.s3a.profile", "fsspec.anon"):
        found = hadoop_file_system("s3a://lake/wh", {name: "x", "fs.s3a.access.key": "me"})
        assert found is not None
        assert found.missing == [name]
    assert hadoop_file_system("gs://lake/wh", {}) is None
    hdfs = hadoop_file_system("hdfs://names/wh", {"dfs.nameservices": "names", "s3.endpoint": "h"})
    assert hdfs is not None
    assert hdfs.options == {"dfs.nameservices": "names"}


def test_options_of_other_stores() -> None:
    assert store_arguments("abfs", {"fs.azure.account.key.mine.blob.core.windows.net": "secret", "bucket": "1"}) == {
        "account_name": "mine",
        "account_key": "secret",
    }
    options = {"fs.gs.auth.service.account.json.keyfile": "/key.json", "fs.gs.project.id": "p"}
    assert store_arguments("gs", options) == {"token": "/key.json", "project": "p"}
    assert store_arguments("hdfs", {"dfs.nameservices": "ns", "s3.endpoint": "h"}) == {"dfs.nameservices": "ns"}
    assert store_arguments("sftp", {"fsspec.username": "me"}) == {"username": "me"}


@pytest.mark.parametrize("prefix", S3_PREFIXES)
@pytest.mark.parametrize("option", S3_OPTIONS, ids=lambda option: option.names[0])
def test_every_option_of_s3_has_an_effect(prefix: str, option: StoreOption) -> None:
    plain = store_arguments("s3", {})
    others = {} if option.names != ("proxy.port",) else {"s3.proxy.host": "h"}
    others |= {"s3.endpoint": "h"} if option.names == ("connection.ssl.enabled",) else {}
    for name in option.names:
        given = {"aws.credentials.provider": "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"}
        found = store_arguments("s3", {**others, f"{prefix}{name}": given.get(name, "1")})
        assert found not in (plain, store_arguments("s3", others))


def test_options_of_azure() -> None:
    host = "mine.dfs.core.windows.net"
    options = {
        f"fs.azure.account.oauth2.client.id.{host}": "id",
        f"fs.azure.account.oauth2.client.secret.{host}": "secret",
        f"fs.azure.account.oauth2.client.endpoint.{host}": "https://login.microsoftonline.com/tenant/oauth2/token",
    }
    assert store_arguments("wasbs", options) == {
        "client_id": "id",
        "client_secret": "secret",
        "tenant_id": "tenant",
        "account_name": "mine",
    }
    assert store_arguments("abfs", {f"fs.azure.sas.fixed.token.{host}": "t"}) == {
        "sas_token": "t",
        "account_name": "mine",
    }
    assert store_arguments("abfs", {}) == {"anon": False}


def test_stores_with_the_protocol_of_s3() -> None:
    assert store_arguments("obs", {"fs.obs.endpoint": "obs.eu", "fs.obs.access.key": "k", "s3.endpoint": "h"}) == {
        "endpoint_url": "https://obs.eu",
        "key": "k",
        "config_kwargs": {"retries": {"max_attempts": 0}},
    }
    found = store_arguments("cosn", {"fs.cosn.userinfo.secretId": "k", "fs.cosn.bucket.region": "ap"})
    assert (found["key"], found["endpoint_url"]) == ("k", "https://cos.ap.myqcloud.com")


def test_a_scheme_has_one_store() -> None:
    with pytest.raises(ValueError, match="already is a storage for 's3:'"):
        register_store(KindOfStore(("s3",), lambda files, _: FsspecFileIO(files)))


def test_times_of_all_kinds() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    millis = 1_767_225_600_000
    assert _modified_millis({"LastModified": moment}) == millis
    assert _modified_millis({"created": moment.replace(tzinfo=None)}) == millis
    assert _modified_millis({"mtime": millis / 1000}) == millis
    assert _modified_millis({"modificationTime": millis}) == millis
    assert _modified_millis({"updated": "2026-01-01T00:00:00Z"}) == millis
    assert _modified_millis({}) == 0


def test_unknown_stores_are_named() -> None:
    with pytest.raises(CatalogError, match="no file system for 'nonsense://x'"):
        file_io_for("nonsense://x")


def test_memory_is_one_store_for_all() -> None:
    base = f"memory://{uuid.uuid4()}"
    file_io_for(base).write_bytes(join(base, "x"), b"1")
    assert file_io_for(base).read_bytes(join(base, "x")) == b"1"
    assert not file_io_for(base).is_local


def test_storage_modules_do_not_load_fsspec_by_themselves() -> None:
    code = (
        "import sys, workbench.storage.fsspec_io, workbench.storage.cache, workbench.storage.lock\n"
        "assert 'fsspec' not in sys.modules and 's3fs' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_rename_on_hdfs_whose_answer_was_lost_has_created_the_file() -> None:
    class LostAnswer(Store):
        def open(self, path: str, mode: str) -> io.BytesIO:  # noqa: ARG002
            store = self

            class Output(io.BytesIO):
                def close(self) -> None:
                    store.files[path] = self.getvalue()
                    super().close()

            return Output()

        def mv(self, source: str, target: str, overwrite: bool) -> None:  # noqa: ARG002
            self.files[target] = self.files.pop(source)
            raise FileNotFoundError(source)

        def cat_file(self, path: str) -> bytes:
            return self.files[path]

        def rm_file(self, path: str) -> None:
            if path not in self.files:
                raise FileNotFoundError(path)
            del self.files[path]

    store = LostAnswer()
    assert HdfsFileIO(store).put_if_absent("hdfs://n/t/snapshot-1", b"mine") is True
    assert store.files == {"hdfs://n/t/snapshot-1": b"mine"}
