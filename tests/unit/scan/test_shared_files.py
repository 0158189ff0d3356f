"""Files that both compared states read: each piece is read once, and both states get all pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pytest

from workbench.scan.incremental import shared_files
from workbench.scan.incremental.shared_files import SharedFiles


@dataclass(frozen=True)
class File:
    file_name: str
    external_path: str | None = None


A = File("a")


class Source:
    """Counts the pieces that are read."""

    def __init__(self, pieces: int, fails: bool = False) -> None:
        self.pieces, self.fails, self.read = pieces, fails, 0

    def __call__(self) -> Iterator[pa.Table]:
        for number in range(self.pieces):
            self.read += 1
            yield pa.table({"n": [number], "m": [-number]})
        if self.fails:
            raise OSError("The disk is gone.")


@pytest.fixture
def files() -> SharedFiles:
    return SharedFiles({("a", None), ("b", None)})


def numbers(pieces: Iterator[pa.Table]) -> list[int]:
    return [piece["n"][0].as_py() for piece in pieces]


def of(files: SharedFiles, source: Source, file: File = A, columns: tuple[str, ...] = ("n", "m")) -> Iterator[pa.Table]:
    return files.pieces(file, columns, source)  # type: ignore[arg-type]


def test_readers_at_the_same_pace_read_once(files: SharedFiles) -> None:
    source = Source(50)
    both = zip(of(files, source), of(files, source), strict=True)
    assert [(one["n"][0].as_py(), other["n"][0].as_py()) for one, other in both] == [(n, n) for n in range(50)]
    assert source.read == 50


def test_pieces_wait_for_the_slower_reader(files: SharedFiles) -> None:
    source = Source(50)
    first, second = of(files, source), of(files, source)
    assert numbers(first) == numbers(second) == list(range(50))
    assert source.read == 50
    assert files._bytes == 0


def test_columns_have_the_order_of_their_reader(files: SharedFiles) -> None:
    source = Source(3)
    first, second = of(files, source), of(files, source, columns=("m", "n"))
    assert [each.column_names for each in first] == [["n", "m"]] * 3
    assert [each.column_names for each in second] == [["m", "n"]] * 3
    assert source.read == 3


def test_other_columns_and_files_are_read_by_each(files: SharedFiles) -> None:
    source = Source(3)
    for file, columns in ((A, ("n",)), (A, ("n", "m")), (File("a", "elsewhere/a"), ("n",)), (File("b"), ("n",))):
        assert numbers(of(files, source, file, columns)) == [0, 1, 2]
    assert source.read == 12


@pytest.mark.parametrize("slower", [0, 1])
@pytest.mark.parametrize("ahead", [1, 7, 40])
def test_a_reader_far_behind_reads_for_itself(
    files: SharedFiles, monkeypatch: pytest.MonkeyPatch, slower: int, ahead: int
) -> None:
    monkeypatch.setattr(shared_files, "_MOST_BYTES", 100)
    source = Source(40)
    readers = [of(files, source), of(files, source)]
    begun = [next(readers[0])["n"][0].as_py(), next(readers[1])["n"][0].as_py()]
    fast = [next(readers[1 - slower])["n"][0].as_py() for _ in range(ahead - 1)]
    assert files._bytes <= 100
    assert begun == [0, 0]
    assert numbers(readers[slower]) == list(range(1, 40))
    assert fast + numbers(readers[1 - slower]) == list(range(1, 40))
    assert files._bytes == 0


def test_pieces_beyond_the_limit_are_not_kept(files: SharedFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_files, "_MOST_BYTES", 100)
    source = Source(40)
    assert numbers(of(files, source)) == list(range(40))
    assert files._bytes == 0
    assert numbers(of(files, source)) == list(range(40))
    assert source.read == 80


@pytest.mark.parametrize("stopped", [0, 1])
def test_a_reader_that_stops_leaves_the_other_alone(files: SharedFiles, stopped: int) -> None:
    source = Source(40)
    readers = [of(files, source), of(files, source)]
    next(readers[stopped])
    readers[stopped].close()  # type: ignore[attr-defined]
    assert numbers(readers[1 - stopped]) == list(range(40))
    assert source.read == 40
    assert files._bytes == 0


def test_both_readers_get_an_error(files: SharedFiles) -> None:
    source = Source(2, fails=True)
    for pieces in (of(files, source), of(files, source)):
        with pytest.raises(OSError, match="gone"):
            numbers(pieces)
