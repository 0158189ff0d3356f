"""Parallel work: order, the first error, no further start, bounded streams."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from typing import ClassVar

import pytest

from workbench.base.parallel import parallel_map, parallel_stream, read_ahead, worker_count


def test_results_are_in_order() -> None:
    def slow_first(i: int) -> int:
        time.sleep(0.03 if i == 0 else 0)
        return i * i

    expected = [i * i for i in range(50)]
    assert parallel_map(slow_first, range(50), workers=4) == expected
    assert list(parallel_stream(slow_first, range(50), workers=4)) == expected
    assert list(parallel_stream(slow_first, iter(range(50)), workers=4, ahead=1)) == expected
    assert parallel_map(slow_first, [], workers=4) == []
    assert list(parallel_stream(slow_first, [])) == []
    assert parallel_map(slow_first, [3]) == [9]


def test_it_runs_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=5)
    assert sorted(parallel_map(lambda _: both.wait(), range(2), workers=2)) == [0, 1]
    assert worker_count() >= 1


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_first_error_is_raised_and_nothing_further_starts(workers: int) -> None:
    started: list[int] = []

    def work(i: int) -> int:
        started.append(i)
        if i == 3:
            raise KeyError(i)
        return i

    with pytest.raises(KeyError, match="3"):
        parallel_map(work, range(1000), workers=workers)
    assert len(started) < 20


def test_an_error_after_a_slow_item_stops_the_rest_immediately() -> None:
    failed = threading.Event()
    started: list[int] = []

    def work(i: int) -> int:
        started.append(i)
        if i == 0:
            failed.wait(5)
            time.sleep(0.2)
        if i == 1:
            failed.set()
            raise KeyError(i)
        return i

    with pytest.raises(KeyError, match="1"):
        parallel_map(work, range(500), workers=2)
    assert started == [0, 1]


def test_the_stream_is_bounded() -> None:
    lock = threading.Lock()
    produced = 0
    taken = 0
    maximum = 0

    def make(i: int) -> int:
        nonlocal produced, maximum
        with lock:
            produced += 1
            maximum = max(maximum, produced - taken)
        return i

    for _ in parallel_stream(make, range(200), workers=4, ahead=3):
        with lock:
            taken += 1
        time.sleep(0.0005)
    assert maximum <= 3


def test_leaving_the_stream_early_stops_it() -> None:
    started: list[int] = []

    def work(i: int) -> int:
        started.append(i)
        return i

    stream = parallel_stream(work, range(1000), workers=2)
    assert next(stream) == 0
    stream.close()  # type: ignore[attr-defined]
    assert len(started) <= 3
    count = len(started)
    time.sleep(0.02)
    assert len(started) == count


def test_an_error_of_the_source_is_raised() -> None:
    def source() -> Iterator[int]:
        yield 1
        yield 2
        raise OSError("listing broke")

    with pytest.raises(OSError, match="listing broke"):
        list(parallel_stream(lambda i: i, source(), workers=2))


def test_parallel_work_may_be_nested() -> None:
    def rows(n: int) -> int:
        return sum(parallel_map(lambda i: i * n, range(20), workers=2))

    assert parallel_map(rows, range(20), workers=2) == [190 * n for n in range(20)]


class Piece:
    """Something that is counted while it is in memory."""

    alive: ClassVar[set[int]] = set()
    most: ClassVar[int] = 0

    def __init__(self, number: int) -> None:
        self.number = number
        self.alive.add(number)
        Piece.most = max(Piece.most, len(self.alive))

    def __del__(self) -> None:
        self.alive.discard(self.number)


def test_two_items_are_in_memory_if_the_reader_waits_for_a_processor() -> None:
    def pieces() -> Iterator[Piece]:
        for number in range(200):
            # The reader waits for every second piece.
            if number % 2 == 0:
                time.sleep(0.002)
            yield Piece(number)

    # The other thread keeps the interpreter for as long as it wants.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5)
    try:
        numbers = [piece.number for piece in read_ahead(pieces())]
    finally:
        sys.setswitchinterval(interval)
    assert numbers == list(range(200))
    assert Piece.most <= 2


def test_an_error_of_an_item_is_raised_after_the_items_before_it() -> None:
    def pieces() -> Iterator[int]:
        yield 1
        raise ValueError("damaged")

    ahead = read_ahead(pieces())
    assert next(ahead) == 1
    with pytest.raises(ValueError, match="damaged"):
        next(ahead)


def test_a_reader_may_stop_early() -> None:
    begun: list[int] = []
    ahead = read_ahead(begun.append(number) or number for number in range(100))
    assert next(ahead) == 0
    ahead.close()
    assert len(begun) <= 2
