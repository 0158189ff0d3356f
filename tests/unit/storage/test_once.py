"""A storage that sends each request of a statement once."""

from __future__ import annotations

import pytest

from workbench.storage.file_io import FileIO
from workbench.storage.metering import MeteredFileIO
from workbench.storage.once import OnceFileIO
from workbench.storage.open import file_io_for


@pytest.fixture
def inner(tmp_path) -> MeteredFileIO:
    files = MeteredFileIO(file_io_for(tmp_path))
    for name in ("snapshot-1", "snapshot-10", "snapshot-2", "LATEST"):
        files.write_bytes(f"{tmp_path}/snapshot/{name}", name.encode())
    files.counts.clear()
    return files


@pytest.fixture
def once(inner: FileIO) -> OnceFileIO:
    return OnceFileIO(inner)


def test_a_request_is_sent_once(tmp_path, inner: MeteredFileIO, once: OnceFileIO) -> None:
    for _ in range(3):
        assert once.read_bytes(f"{tmp_path}/snapshot/LATEST") == b"LATEST"
        assert once.exists(f"{tmp_path}/snapshot/LATEST")
        assert not once.exists(f"{tmp_path}/snapshot/EARLIEST")
        assert once.status(f"{tmp_path}/snapshot/snapshot-10").size == 11
        assert len(once.list_files(f"{tmp_path}/snapshot", "snapshot-")) == 3
    assert inner.counts == {"read_bytes": 1, "status": 3, "list_files": 1}


def test_a_listing_answers_about_its_names(tmp_path, inner: MeteredFileIO, once: OnceFileIO) -> None:
    directory = f"{tmp_path}/snapshot"
    once.list_files(directory, "snapshot-")
    assert [each.name for each in once.list_files(directory, "snapshot-1")] == ["snapshot-1", "snapshot-10"]
    assert once.exists(f"{directory}/snapshot-2")
    assert once.status(f"{directory}/snapshot-3") is None
    assert inner.counts == {"list_files": 1}
    assert once.exists(f"{directory}/LATEST"), "the listing does not have other names"
    assert len(once.list_files(directory)) == 4
    assert inner.counts == {"list_files": 2, "status": 1}


def test_a_failure_is_not_an_answer(tmp_path, inner: MeteredFileIO, once: OnceFileIO) -> None:
    with pytest.raises(FileNotFoundError):
        once.read_bytes(f"{tmp_path}/later")
    inner.write_bytes(f"{tmp_path}/later", b"now")
    assert once.read_bytes(f"{tmp_path}/later") == b"now"
