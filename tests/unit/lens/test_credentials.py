from __future__ import annotations

import pickle
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from workbench.base.errors import CatalogError
from workbench.base.secrets import without_credentials
from workbench.catalog.named import named_catalogs, remember_catalog
from workbench.lens.credentials import OptionValue, describe_options, shown_option
from workbench.lens.error import ErrorValue, describe_error


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s3://AKIA:s3cr3t@bucket/wh", "s3://***@bucket/wh"),
        ("s3://AKIA:s3c/r3t@bucket/wh", "s3://***@bucket/wh"),
        ("ftp://user:p@ss@host/wh", "ftp://***@host/wh"),
        ("https://ghp_token@host/wh", "https://***@host/wh"),
        ("hdfs://user:hush@namenode:8020/wh", "hdfs://***@namenode:8020/wh"),
        ("simplecache::s3://a:b@bucket/x", "simplecache::s3://***@bucket/x"),
        ("jdbc:mysql://user:hush@db/x?user=me&password=hush", "jdbc:mysql://***@db/x?user=me&password=***"),
        ("https://host/wh?sv=1&sig=abc%3D&x=1", "https://host/wh?sv=1&sig=***&x=1"),
        ("DefaultEndpointsProtocol=https;AccountKey=hush==;x=1", "DefaultEndpointsProtocol=https;AccountKey=***;x=1"),
        ("abfss://container:hush@account.dfs.core.windows.net/wh", "abfss://***@account.dfs.core.windows.net/wh"),
        (
            "No database at s3://a:b@lake/wh. Look at s3://c:d@e.",
            "No database at s3://***@lake/wh. Look at s3://***@e.",
        ),
    ],
)
def test_hidden(text: str, shown: str) -> None:
    assert without_credentials(text) == shown


def test_options_are_printed_without_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "s3.secret-key": "hush",
        "fsspec.connection_string": "AccountKey=hush",
        "header.address": "https://me:hush@host",
        "s3.endpoint": "shown",
    }
    catalog = wb.connect(tmp_path / "wh", **given)
    catalog.create_database("shop")
    table = catalog.create_table("shop.t", {"id": "INT"})
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    remember_catalog("lake", {"warehouse": str(tmp_path), **given})
    for value in (catalog.options, f"{catalog.options}", table.store, named_catalogs()["lake"]):
        assert "hush" not in repr(value)
    assert "shown" in repr(catalog.options)
    assert catalog.options["s3.secret-key"] == pickle.loads(pickle.dumps(catalog.options))["s3.secret-key"] == "hush"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/data/warehouse",
        "/data/me@home/x:y@z",
        "s3://bucket/dt=a@b/x",
        "hdfs://namenode:8020/user@home/wh",
        "abfss://container@account.dfs.core.windows.net/wh",
        "C:\\data\\wh",
        "memory://",
        "s3://bucket/x?versionId=3",
    ],
)
def test_shown_as_it_is(text: str) -> None:
    assert without_credentials(text) == text


@given(
    st.sampled_from(["s3", "S3A", "hdfs", "https", "oss", "gs", "wasbs", "abfs"]),
    st.text("abcXYZ019+=%", min_size=1, max_size=12),
    # No URL can contain a password with both @ and /: every store takes the text after the first slash as the path.
    st.text("qrsQRS678+=@%:", min_size=1, max_size=24) | st.from_regex(r"[q-s+=%][q-s6-8/+=%:]{0,20}", fullmatch=True),
)
def test_no_part_of_a_password_is_left(scheme: str, user: str, password: str) -> None:
    shown = without_credentials(f"{scheme}://{user}:{password}@bucket/wh")
    assert shown == f"{scheme}://***@bucket/wh"


@pytest.mark.parametrize("text", ["a." * 200_000, "x://y:" * 20_000, "://@" * 100_000, "?k=" * 100_000])
def test_hostile_text_is_processed_quickly(text: str) -> None:
    begin = time.perf_counter()
    without_credentials(text)
    assert time.perf_counter() - begin < 2


@pytest.mark.parametrize(
    "key",
    [
        *("s3.access-key", "s3.secret-key", "fs.oss.accessKeyId", "fs.oss.accessKeySecret", "s3.session.token"),
        *("jdbc.password", "fs.azure.account.key.x", "fs.azure.sas.x", "rest.auth.header", "my.PASSPHRASE"),
        *("hadoop.security.credential.provider.path", "parquet.encryption.column.keys"),
    ],
)
def test_secret_options(key: str) -> None:
    assert shown_option(key, "hush") == "***"


@pytest.mark.parametrize(
    ("key", "value"),
    [("bucket-key", "a,b"), ("bucket", "4"), ("fields.token.aggregate-function", "sum"), ("merge-engine", "x")],
)
def test_plain_options(key: str, value: str) -> None:
    assert shown_option(key, value) == value


def test_options_by_name() -> None:
    reported = describe_options({"uri": "thrift://a:b@host", "bucket": "2", "s3.secret-key": "hush"})
    assert reported == (
        OptionValue("bucket", "2"),
        OptionValue("s3.secret-key", "***"),
        OptionValue("uri", "thrift://***@host"),
    )


def test_errors_show_no_credentials() -> None:
    error = CatalogError("Nothing at s3://a:b@c.", "Look at s3://a:b@c.")
    assert describe_error(error) == ErrorValue("catalog_error", "Nothing at s3://***@c.", "Look at s3://***@c.")
    assert describe_error(CatalogError("No.")).hint is None
