"""Copies of remote files on the disk of this machine."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import workbench as wb
from tests.support.file_ios import CountingFileIO
from workbench.base.failed_reads import FAILED_READS
from workbench.storage.disk_cache import DiskCache, DiskCachedFileIO
from workbench.storage.local import LocalFileIO

NAME = "data-1f2e3d4c-0000-4000-8000-0123456789ab-0.parquet"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def cache(directory: Path) -> DiskCache:
    return DiskCache(str(directory), 100_000)


def never() -> bytes:
    raise AssertionError("the cache has it")


def sizes(directory: Path) -> list[int]:
    return [each.stat().st_size for each in directory.rglob("*") if each.is_file()]


def test_bytes_are_loaded_once(cache: DiskCache, directory: Path) -> None:
    assert cache.get_or_load("a", lambda: b"content") == b"content"
    assert cache.get_or_load("a", never) == b"content"
    assert DiskCache(str(directory), 100_000).get_or_load("a", never) == b"content"
    assert cache.get_or_load("b", lambda: b"other") == b"other"
    assert cache.get_or_load("a", lambda: b"repaired", refresh=True) == b"repaired"
    assert cache.get_or_load("a", never) == b"repaired"


def test_only_the_user_can_read_them(cache: DiskCache, directory: Path) -> None:
    directory.mkdir(mode=0o755)
    cache.get_or_load("a", lambda: b"content")
    assert directory.stat().st_mode & 0o777 == 0o700
    (file,) = (each for each in directory.rglob("*") if each.is_file())
    assert file.stat().st_mode & 0o777 == 0o600
    assert "a" not in file.name.split("-")


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:40] + b"x" + data[41:], lambda _: b""])
def test_a_damaged_copy_is_loaded_again(cache: DiskCache, directory: Path, damage: Callable[[bytes], bytes]) -> None:
    cache.get_or_load("a", lambda: b"content and more")
    (file,) = (each for each in directory.rglob("*") if each.is_file())
    file.write_bytes(damage(file.read_bytes()))
    assert cache.get_or_load("a", lambda: b"content and more") == b"content and more"
    assert cache.get_or_load("a", never) == b"content and more"


def test_the_least_recently_used_are_removed(cache: DiskCache, directory: Path) -> None:
    long_ago = time.time() - 1000
    for number in range(60):
        cache.get_or_load(f"{number}", lambda: bytes(4000))
        for each in directory.rglob("*"):
            if each.is_file() and each.stat().st_mtime > long_ago + 500:
                os.utime(each, (long_ago + number, long_ago + number))
        cache.get_or_load("0", lambda: bytes(4000))
    assert sum(sizes(directory)) <= 105_000
    assert cache.get_or_load("0", never) == bytes(4000), "it was used all the time"
    assert cache.get_or_load("59", never) == bytes(4000)
    assert cache.get_or_load("1", lambda: b"again") == b"again"


def test_large_files_are_not_kept(cache: DiskCache, directory: Path) -> None:
    assert len(cache.get_or_load("a", lambda: bytes(50_000))) == 50_000
    assert sizes(directory) == [] if directory.exists() else True


def test_a_full_disk_costs_only_the_cache(
    cache: DiskCache, directory: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert cache.get_or_load("a", lambda: b"content") == b"content"
    assert sizes(directory) == [], "nothing is left half-written"
    assert cache.get_or_load("b", lambda: b"other") == b"other"
    assert sizes(directory) == [], "it is not tried again at once"
    assert not recwarn


def test_a_directory_that_cannot_be_used_warns(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    cache = DiskCache(str(tmp_path / "file"), 100_000)
    with pytest.warns(UserWarning, match="disk_cache to another directory"):
        assert cache.get_or_load("a", lambda: b"content") == b"content"


def test_processes_share_it(directory: Path) -> None:
    program = """
import sys
from workbench.storage.disk_cache import DiskCache
cache = DiskCache(sys.argv[1], 60_000)
for number in range(300):
    expected = bytes([number % 50]) * (1000 + number % 50)
    assert cache.get_or_load(f"{number % 50}", lambda: expected) == expected
"""
    processes = [subprocess.Popen([sys.executable, "-c", program, str(directory)]) for _ in range(3)]
    assert [each.wait() for each in processes] == [0, 0, 0]
    assert sum(sizes(directory)) <= 70_000
    assert not list(directory.rglob("*.tmp"))


@pytest.fixture
def inner() -> CountingFileIO:
    return CountingFileIO(LocalFileIO())


@pytest.fixture
def files(inner: CountingFileIO, directory: Path, monkeypatch: pytest.MonkeyPatch) -> DiskCachedFileIO:
    monkeypatch.setattr(wb.options, "disk_cache", str(directory))
    return DiskCachedFileIO(inner, "server")


def test_files_that_are_written_once_are_kept(files: DiskCachedFileIO, inner: CountingFileIO, tmp_path: Path) -> None:
    for name in (NAME, "snapshot-1"):
        (tmp_path / name).write_bytes(b"0123456789")
    for _ in range(2):
        assert files.read_bytes(f"{tmp_path}/{NAME}") == b"0123456789"
        assert files.read_range(f"{tmp_path}/{NAME}", 2, 3) == b"234"
        assert files.read_bytes(f"{tmp_path}/snapshot-1") == b"0123456789"
    assert (inner.counts["read_bytes"], inner.counts["read_range"]) == (3, 1)
    other = DiskCachedFileIO(inner, "another server")
    other.read_bytes(f"{tmp_path}/{NAME}")
    assert inner.counts["read_bytes"] == 4


def test_a_file_that_could_not_be_read_is_requested_again(
    files: DiskCachedFileIO, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = f"{tmp_path}/{NAME}"
    (tmp_path / NAME).write_bytes(b"damaged")
    assert files.read_bytes(path) == b"damaged"
    FAILED_READS.record(path, "it is damaged")
    request.addfinalizer(lambda: FAILED_READS.forget(path))
    (tmp_path / NAME).write_bytes(b"repaired")
    assert files.read_bytes(path) == b"repaired"


def test_the_environment_sets_the_directory(tmp_path: Path) -> None:
    def directory(**environment: str) -> str:
        program = "import workbench as wb; print(wb.options.disk_cache)"
        given = {**{key: value for key, value in os.environ.items() if "CACHE" not in key}, **environment}
        return subprocess.run([sys.executable, "-c", program], env=given, capture_output=True, text=True).stdout.strip()

    assert directory(HOME=str(tmp_path)) == str(tmp_path / ".cache" / "paimon-workbench")
    assert directory(PAIMON_WORKBENCH_DISK_CACHE="/x") == "/x"
    assert directory(PAIMON_WORKBENCH_DISK_CACHE="") == "None"
