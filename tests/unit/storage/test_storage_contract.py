"""The promises of `FileIO`, kept by every implementation that runs here."""

from __future__ import annotations

import threading
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.file_ios import CountingFileIO, FaultyFileIO, LatencyFileIO
from workbench.storage.file_io import FileIO, join, name
from workbench.storage.open import file_io_for
from workbench.storage.overlay import OverlayFileIO
from workbench.storage.wrappers import DelegatingFileIO


@pytest.fixture(params=["local", "file-url", "memory", "delegating", "counting", "latency", "faulty", "overlay"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[FileIO, str]:
    if request.param == "memory":
        base = f"memory://{uuid.uuid4()}"
    elif request.param == "file-url":
        base = f"file://{tmp_path}"
    else:
        base = str(tmp_path)
    files = file_io_for(base)
    if request.param == "delegating":
        files = DelegatingFileIO(files)
    elif request.param == "counting":
        files = CountingFileIO(files)
    elif request.param == "latency":
        files = LatencyFileIO(files, 0.0)
    elif request.param == "faulty":
        files = FaultyFileIO(files, None)
    elif request.param == "overlay":
        base = str(tmp_path / "below")
        files = OverlayFileIO(files, str(tmp_path / "folder"), [join(base, "frozen")])
    return files, base


def test_write_read_and_ranges(place: tuple[FileIO, str]) -> None:
    files, base = place
    path = join(base, "a", "b c%3A", "file")
    files.write_bytes(path, b"0123456789")
    assert files.read_bytes(path) == b"0123456789"
    assert files.read_range(path, 2, 3) == b"234"
    assert files.read_range(path, 8, 5) == b"89"
    assert files.read_range(path, 8, 0) == b""
    files.write_bytes(path, b"short")
    assert files.read_bytes(path) == b"short"
    files.overwrite_atomic(path, b"")
    assert files.read_bytes(path) == b""
    assert [s.name for s in files.list_files(join(base, "a", "b c%3A"))] == ["file"]


def test_status_and_listing(place: tuple[FileIO, str]) -> None:
    files, base = place
    files.write_bytes(join(base, "t", "z", "deep"), b"x")
    files.write_bytes(join(base, "t", "file"), b"1234")
    files.write_bytes(join(base, "t", ".hidden.tmp"), b"")
    listed = files.list_files(join(base, "t"))
    assert [(s.path, s.size, s.is_directory) for s in listed] == [
        (join(base, "t", ".hidden.tmp"), 0, False),
        (join(base, "t", "file"), 4, False),
        (join(base, "t", "z"), 0, True),
    ]
    assert listed[1].modified_millis > 1_700_000_000_000
    status = files.status(join(base, "t", "file"))
    assert status is not None
    assert (status.size, status.is_directory) == (4, False)
    directory = files.status(join(base, "t", "z"))
    assert directory is not None
    assert directory.is_directory
    assert files.exists(join(base, "t"))
    assert not files.exists(join(base, "nothing"))
    assert files.status(join(base, "nothing")) is None
    assert not files.exists(join(base, "t", "file", "below"))
    assert files.list_files(join(base, "nothing")) == []
    assert files.list_files(join(base, "t", "file")) == []


def test_missing_files(place: tuple[FileIO, str]) -> None:
    files, base = place
    path = join(base, "missing")
    for read in (files.read_bytes, files.open_input, lambda p: files.read_range(p, 0, 1)):
        with pytest.raises(FileNotFoundError):
            read(path)
    files.delete(path)
    files.delete_directory(path)
    with pytest.raises(FileNotFoundError):
        files.delete(path, missing_ok=False)
    with pytest.raises(FileNotFoundError):
        files.rename(path, join(base, "other"))


def test_put_if_absent(place: tuple[FileIO, str]) -> None:
    files, base = place
    path = join(base, "snapshot", "snapshot-1")
    assert files.supports_put_if_absent
    assert files.put_if_absent(path, b"first") is True
    assert files.put_if_absent(path, b"second") is False
    assert files.read_bytes(path) == b"first"
    assert files.put_if_absent(join(base, "snapshot", "empty"), b"") is True
    assert files.put_if_absent(join(base, "snapshot", "empty"), b"x") is False
    assert [s.name for s in files.list_files(join(base, "snapshot"))] == ["empty", "snapshot-1"]


def test_delete_and_rename(place: tuple[FileIO, str]) -> None:
    files, base = place
    files.write_bytes(join(base, "old", "x", "1"), b"one")
    files.write_bytes(join(base, "old", "2"), b"two")
    files.rename(join(base, "old"), join(base, "p", "new"))
    assert files.read_bytes(join(base, "p", "new", "x", "1")) == b"one"
    assert not files.exists(join(base, "old"))
    files.rename(join(base, "p", "new", "2"), join(base, "p", "3"))
    with pytest.raises(FileExistsError):
        files.rename(join(base, "p", "3"), join(base, "p", "new"))
    assert files.read_bytes(join(base, "p", "3")) == b"two"
    files.delete(join(base, "p", "3"))
    files.delete_directory(join(base, "p", "new"))
    assert files.list_files(join(base, "p")) == []
    files.make_directory(join(base, "q", "r"))
    files.make_directory(join(base, "q", "r"))
    assert files.exists(join(base, "q", "r"))


def test_only_empty_directories_are_deleted(place: tuple[FileIO, str]) -> None:
    files, base = place
    files.write_bytes(join(base, "d", "e", "1"), b"x")
    assert files.delete_empty_directory(join(base, "d", "e")) is False
    assert files.delete_empty_directory(join(base, "d")) is False
    assert files.delete_empty_directory(join(base, "nothing")) is False
    assert files.delete_empty_directory(join(base, "d", "e", "1")) is False
    assert files.read_bytes(join(base, "d", "e", "1")) == b"x"
    files.make_directory(join(base, "q", "r"))
    assert files.delete_empty_directory(join(base, "q", "r")) is True
    assert not files.exists(join(base, "q", "r"))


def test_pattern_signs_are_plain_text(place: tuple[FileIO, str]) -> None:
    files, base = place
    files.write_bytes(join(base, "d[ab]*", "1"), b"x")
    files.write_bytes(join(base, "da1", "1"), b"y")
    assert [s.name for s in files.list_files(join(base, "d[ab]*"))] == ["1"]
    files.delete_directory(join(base, "d[ab]*"))
    assert [name(s.path) for s in files.list_files(base)] == ["da1"]


def test_parquet_through_open_files(place: tuple[FileIO, str]) -> None:
    files, base = place
    table = pa.table({"a": list(range(1000)), "b": [str(i) for i in range(1000)]})
    path = join(base, "bucket-0", "data-1.parquet")
    with files.open_output(path) as sink, pq.ParquetWriter(sink, table.schema) as writer:
        writer.write_table(table)
    with files.open_input(path) as source:
        assert pq.ParquetFile(source).read().equals(table)
    status = files.status(path)
    assert status is not None
    assert status.size == len(files.read_bytes(path))


def test_open_input_of_an_empty_file(place: tuple[FileIO, str]) -> None:
    files, base = place
    files.write_bytes(join(base, "empty"), b"")
    with files.open_input(join(base, "empty")) as source:
        assert source.read() == b""


def test_open_input_reads_and_seeks(place: tuple[FileIO, str]) -> None:
    files, base = place
    files.write_bytes(join(base, "f"), b"0123456789")
    source = files.open_input(join(base, "f"))
    source.seek(-3, 2)
    assert source.tell() == 7
    assert source.read(2) == b"78"
    assert source.read() == b"9"
    source.close()
    assert source.closed


def test_threads_race_for_names(place: tuple[FileIO, str]) -> None:
    files, base = place
    wins: list[tuple[int, int]] = []
    start = threading.Barrier(4)

    def run(worker: int) -> None:
        start.wait()
        for i in range(50):
            if files.put_if_absent(join(base, f"s-{i}"), f"{worker}".encode() * 500):
                wins.append((i, worker))
            files.list_files(base)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(i for i, _ in wins) == list(range(50))
    assert all(files.read_bytes(join(base, f"s-{i}")) == f"{worker}".encode() * 500 for i, worker in wins)


def test_threads_share_one_file(place: tuple[FileIO, str]) -> None:
    files, base = place
    path = join(base, "shared")
    files.write_bytes(path, bytes(range(256)))
    wrong: list[int] = []

    def run(worker: int) -> None:
        for i in range(200):
            offset = (i * 7 + worker) % 250
            if files.read_range(path, offset, 5) != bytes(range(offset, offset + 5)):
                wrong.append(offset)
            with files.open_input(path) as source:
                source.seek(offset)
                if source.read(1) != bytes([offset]):
                    wrong.append(offset)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
