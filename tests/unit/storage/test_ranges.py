"""Files that are read by ranges."""

from __future__ import annotations

import random

import pytest

from tests.support.file_ios import CountingFileIO
from workbench.base.errors import CorruptFile
from workbench.storage.local import LocalFileIO
from workbench.storage.ranges import FileRanges, RangedFile, coalesced

MIB = 1 << 20
DATA = random.Random(7).randbytes(12 * MIB + 17)


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("ranges") / "f"
    path.write_bytes(DATA)
    return str(path)


@pytest.fixture
def files() -> CountingFileIO:
    return CountingFileIO(LocalFileIO())


def test_any_reads_are_those_of_the_file(path: str, files: CountingFileIO) -> None:
    chosen = random.Random(1)
    ranges = FileRanges(files, path, len(DATA), ahead=1000)
    for _ in range(60):
        if chosen.random() < 0.1:
            starts = [chosen.randrange(len(DATA)) for _ in range(chosen.randrange(5))]
            ranges.fetch((start, min(chosen.randrange(3 * MIB), len(DATA) - start)) for start in starts)
        offset, length = chosen.randrange(len(DATA) + 10), chosen.randrange(2 * MIB)
        assert ranges.read(offset, length) == DATA[offset : offset + length]


def test_fetched_ranges_are_requested_together(path: str, files: CountingFileIO) -> None:
    ranges = FileRanges(files, path, len(DATA))
    ranges.fetch([(0, 100), (MIB, 100), (9 * MIB, 100), (4 * MIB, 0)])
    assert files.counts["read_range"] == 2
    assert ranges.read(MIB, 100) == DATA[MIB : MIB + 100]
    assert ranges.read(9 * MIB, 100) == DATA[9 * MIB : 9 * MIB + 100]
    assert files.counts["read_range"] == 2
    ranges.fetch([(0, 10 * MIB)])
    assert files.counts["read_range"] == 4, "a large range is requested in parts"
    assert ranges.read(7 * MIB, 2 * MIB) == DATA[7 * MIB : 9 * MIB]
    assert files.counts["read_range"] == 4


def test_the_end_is_requested_once(path: str, files: CountingFileIO) -> None:
    source = RangedFile(FileRanges(files, path, len(DATA)))
    source.seek(-8, 2)
    assert source.read() == DATA[-8:]
    source.seek(-1000, 2)
    assert source.read(992) == DATA[-1000:-8]
    assert files.counts["read_range"] == 1
    assert source.read(100) == DATA[-8:]
    assert source.read() == b""


def test_what_follows_is_read_ahead(path: str, files: CountingFileIO) -> None:
    source = RangedFile(FileRanges(files, path, len(DATA), ahead=4096))
    assert b"".join(source.read(7) for _ in range(4096 // 7)) == DATA[: 4096 // 7 * 7]
    assert files.counts["read_range"] == 1


def test_a_shorter_file_is_refused(path: str, files: CountingFileIO) -> None:
    ranges = FileRanges(files, path, len(DATA) + 5)
    with pytest.raises(CorruptFile, match="ends at 12,582,929 of the 12,582,934 bytes"):
        ranges.read(len(DATA), 5)


def test_gaps_are_bridged_up_to_a_size() -> None:
    assert coalesced([(3 * MIB, 5), (0, 5), (MIB, 5), (2, 9)]) == [(0, MIB + 5), (3 * MIB, 5)]
    assert coalesced([]) == []
