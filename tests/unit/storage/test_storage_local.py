"""Local files: races between processes, file systems without links, lean imports."""

from __future__ import annotations

import errno
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.base.errors import CatalogError, Unsupported
from workbench.base.ids import CountingIds
from workbench.storage import local as local_module
from workbench.storage.file_io import join, local_path, name, parent, qualify, scheme
from workbench.storage.local import LocalFileIO
from workbench.storage.open import file_io_for

RACER = """
import sys, time
from workbench.storage.local import LocalFileIO
base, mark, start = sys.argv[1], sys.argv[2], float(sys.argv[3])
files = LocalFileIO()
while time.time() < start:
    pass
for i in range(200):
    if files.put_if_absent(f"{base}/n/s-{i}", (mark * 5000).encode()):
        print(i)
"""


def test_two_processes_race_for_200_names(tmp_path: Path) -> None:
    import time

    start = str(time.time() + 1.5)
    racers = {
        mark: subprocess.Popen(
            [sys.executable, "-c", RACER, str(tmp_path), mark, start], stdout=subprocess.PIPE, text=True
        )
        for mark in "ab"
    }
    won = {mark: [int(line) for line in racer.communicate()[0].split()] for mark, racer in racers.items()}
    assert all(racer.returncode == 0 for racer in racers.values())
    assert sorted(won["a"] + won["b"]) == list(range(200))
    for mark, numbers in won.items():
        assert all((tmp_path / "n" / f"s-{i}").read_text() == mark * 5000 for i in numbers)
    assert len(list((tmp_path / "n").iterdir())) == 200


def no_links(_source: object, _target: object) -> None:
    raise OSError(errno.EPERM, "no hard links here")


def test_without_hard_links_the_kernel_still_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", no_links)
    files, target = LocalFileIO(), str(tmp_path / "s")
    assert files.put_if_absent(target, b"one") is True
    assert files.put_if_absent(target, b"two") is False
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    assert files.put_if_absent(target, b"three") is False
    assert Path(target).read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["s"]


def test_a_file_system_with_neither_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class OldLibrary:
        def __init__(self, *_: object, **__: object) -> None:
            pass

    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(local_module.ctypes, "CDLL", OldLibrary)
    with pytest.raises(Unsupported, match=r"neither hard links.*lock"):
        LocalFileIO().put_if_absent(str(tmp_path / "s"), b"x")
    assert os.listdir(tmp_path) == []


def test_a_link_whose_answer_was_lost_is_a_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def lossy(source: str, target: str) -> None:
        link(source, target)
        link(source, target)

    monkeypatch.setattr(os, "link", lossy)
    assert LocalFileIO().put_if_absent(str(tmp_path / "s"), b"x") is True


def test_errors_of_the_disk_pass_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "disk full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="disk full"):
        LocalFileIO().put_if_absent(str(tmp_path / "s"), b"x")
    assert os.listdir(tmp_path) == []


def test_temporary_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (seen.append(os.path.basename(a)), replace(a, b)))
    LocalFileIO(CountingIds()).overwrite_atomic(str(tmp_path / "LATEST"), b"1")
    assert seen == [".LATEST.00000000-0000-0000-0000-000000000001.tmp"]


def test_readers_never_see_half_a_hint(tmp_path: Path) -> None:
    import threading

    files, path = LocalFileIO(), str(tmp_path / "LATEST")
    files.overwrite_atomic(path, b"0" * 10_000)
    done = threading.Event()

    def write() -> None:
        for i in range(200):
            files.overwrite_atomic(path, str(i % 10).encode() * 10_000)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        seen.add(files.read_bytes(path))
    writer.join()
    assert all(len(content) == 10_000 and len(set(content)) == 1 for content in seen)


def test_listing_shows_broken_links(tmp_path: Path) -> None:
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    assert [s.name for s in LocalFileIO().list_files(str(tmp_path))] == ["broken"]


def test_file_permissions_follow_the_umask(tmp_path: Path) -> None:
    LocalFileIO().put_if_absent(str(tmp_path / "s"), b"x")
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "s").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_local_needs_no_fsspec(tmp_path: Path) -> None:
    code = (
        "import sys; from workbench.storage.open import file_io_for\n"
        f"files = file_io_for({str(tmp_path)!r}); files.put_if_absent({str(tmp_path / 'x')!r}, b'1')\n"
        "assert not {'fsspec', 'pyarrow.parquet', 'pandas', 'fastavro'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_it_travels_to_tasks(tmp_path: Path) -> None:
    files = pickle.loads(pickle.dumps(file_io_for(str(tmp_path))))
    assert files.put_if_absent(str(tmp_path / "x"), b"1")


def test_path_helpers() -> None:
    assert join("/a", "b", "c") == "/a/b/c"
    assert join("/", "b") == "/b"
    assert join("s3://lake", "wh") == "s3://lake/wh"
    assert join("memory://", "wh") == "memory://wh"
    assert parent("/a/b") == "/a"
    assert parent("/a") == parent("/") == "/"
    assert parent("s3://lake/wh/t") == "s3://lake/wh"
    assert parent("s3://lake") == parent("s3://") == "s3://"
    assert parent("file:/a/b") == "file:/a"
    assert name("/a/dt=2026%3A/") == "dt=2026%3A"
    assert name("s3://") == ""
    assert scheme("S3://x") == "s3"
    assert scheme("/dt=a:b") == "file"


def test_local_urls() -> None:
    assert local_path("file:/a/b%20") == local_path("file:///a/b%20") == local_path("/a/b%20") == "/a/b%20"
    for wrong in ("file://host/a", "s3://a/b", "relative/a"):
        with pytest.raises(CatalogError):
            local_path(wrong)


def test_qualify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    assert qualify("wh/../x/") == f"{tmp_path}/x"
    assert qualify(tmp_path) == str(tmp_path)
    assert qualify("~/wh") == "/home/me/wh"
    assert qualify("file:///a//b/") == qualify("file:/a/b") == qualify("//a/b") == "/a/b"
    assert qualify("file:///a%20b/100%2525") == qualify("file:/a%20b/100%2525") == "/a b/100%25"
    assert qualify("file:///gr%C3%B6%C3%9Fe%23%3f/#?") == "/größe#?/#?"
    assert qualify("/a%20b") == "/a%20b"
    assert qualify("file:///a%20b", is_stored=True) == "/a%20b"
    assert qualify("s3://lake/a%20b") == "s3://lake/a%20b"
    assert qualify("S3://Lake//wh/") == "s3://Lake/wh"
    assert qualify("memory://") == "memory://"
    for wrong in ("", "simplecache::s3://a/b", "zip://x::file:///y"):
        with pytest.raises(CatalogError):
            qualify(wrong)
