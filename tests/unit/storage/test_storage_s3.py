"""S3 through s3fs against a server in this process; skipped if s3fs or moto is not installed."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.storage.file_io import FileIO, join
from workbench.storage.open import file_io_for

pytest.importorskip("s3fs")
moto_server = pytest.importorskip("moto.server")

BASE = "s3://lake/wh"


@pytest.fixture(scope="module")
def options() -> Iterator[dict[str, str]]:
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield {
        "s3.endpoint": f"http://{host}:{port}",
        "s3.access-key": "test",
        "s3.secret-key": "test",
        "s3.path.style.access": "true",
        "s3.endpoint.region": "us-east-1",
    }
    server.stop()


@pytest.fixture
def files(options: dict[str, str]) -> FileIO:
    import boto3

    boto3.client(
        "s3",
        endpoint_url=options["s3.endpoint"],
        aws_access_key_id="test",
        aws_secret_access_key="test",
        region_name="us-east-1",
    ).create_bucket(Bucket="lake")
    return file_io_for(BASE, options)


def test_put_if_absent(files: FileIO) -> None:
    path = join(BASE, "snapshot", "snapshot-1")
    assert files.supports_put_if_absent
    assert files.put_if_absent(path, b"first") is True
    assert files.put_if_absent(path, b"second") is False
    assert files.read_bytes(path) == b"first"
    assert files.supports_put_if_absent


def test_threads_race(files: FileIO, options: dict[str, str]) -> None:
    wins: list[int] = []

    def run() -> None:
        own = file_io_for(BASE, options)
        wins.extend(i for i in range(20) if own.put_if_absent(join(BASE, "race", str(i)), b"x" * 100))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(wins) == list(range(20))
    assert len(files.list_files(join(BASE, "race"))) == 20


def test_directories(files: FileIO) -> None:
    files.make_directory(join(BASE, "shop.db"))
    assert [(s.name, s.is_directory) for s in files.list_files(BASE) if s.name == "shop.db"] == [("shop.db", True)]
    assert files.list_files(join(BASE, "shop.db")) == []
    assert files.exists(join(BASE, "shop.db"))
    files.write_bytes(join(BASE, "shop.db", "orders", "schema", "schema-0"), b"{}")
    files.write_bytes(join(BASE, "shop.db", "orders", "f%3A x"), b"12")
    assert [(s.name, s.size) for s in files.list_files(join(BASE, "shop.db", "orders"))] == [
        ("f%3A x", 2),
        ("schema", 0),
    ]
    files.rename(join(BASE, "shop.db", "orders"), join(BASE, "shop.db", "sales"))
    assert files.read_bytes(join(BASE, "shop.db", "sales", "schema", "schema-0")) == b"{}"
    assert not files.exists(join(BASE, "shop.db", "orders"))
    files.delete_directory(join(BASE, "shop.db"))
    assert not files.exists(join(BASE, "shop.db"))
    files.delete_directory(join(BASE, "shop.db"))
    files.delete(join(BASE, "nothing"))
    assert files.list_files(join(BASE, "nothing")) == []
    with pytest.raises(FileNotFoundError):
        files.delete(join(BASE, "nothing"), missing_ok=False)
    with pytest.raises(FileNotFoundError):
        files.read_bytes(join(BASE, "nothing"))


def test_listings_are_fresh(files: FileIO, options: dict[str, str]) -> None:
    other = file_io_for(BASE, {**options, "s3.session.token": "of another client"})
    assert files.list_files(join(BASE, "fresh")) == []
    files.write_bytes(join(BASE, "fresh", "1"), b"x")
    assert len(other.list_files(join(BASE, "fresh"))) == 1
    files.write_bytes(join(BASE, "fresh", "2"), b"x")
    assert len(other.list_files(join(BASE, "fresh"))) == 2
    files.delete(join(BASE, "fresh", "1"))
    assert not other.exists(join(BASE, "fresh", "1"))


@pytest.mark.parametrize("rows", [10, 400_000])
def test_parquet(files: FileIO, rows: int) -> None:
    table = pa.table({c: pa.array(range(rows)) for c in "abc"})
    path = join(BASE, "bucket-0", f"data-{rows}.parquet")
    with files.open_output(path) as sink:
        pq.write_table(table, sink)
    with files.open_input(path) as source:
        assert pq.read_table(source, columns=["b"]).equals(table.select(["b"]))
    status = files.status(path)
    assert status is not None
    assert files.read_range(path, status.size - 4, 4) == b"PAR1"
