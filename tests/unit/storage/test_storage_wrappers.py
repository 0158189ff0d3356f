"""Counting, latency, and a process that dies at every operation of a small script."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.file_ios import CountingFileIO, FaultInjected, FaultMode, FaultyFileIO, LatencyFileIO
from workbench.base.clock import ManualClock
from workbench.storage.file_io import FileIO
from workbench.storage.local import LocalFileIO

CONTENT = b"0123456789"
STEPS = 11


def script(files: FileIO, base: str) -> None:
    """Every kind of change once, each with another name; 11 operations."""
    with files.open_output(f"{base}/data") as sink:  # 1 open, 2 close
        sink.write(CONTENT[:4])
        sink.write(CONTENT[4:])
    files.write_bytes(f"{base}/manifest", CONTENT)  # 3
    files.read_bytes(f"{base}/manifest")  # 4
    files.put_if_absent(f"{base}/snapshot", CONTENT)  # 5
    files.overwrite_atomic(f"{base}/hint", CONTENT)  # 6
    files.rename(f"{base}/manifest", f"{base}/renamed")  # 7
    files.delete(f"{base}/hint")  # 8
    files.make_directory(f"{base}/made")  # 9
    files.list_files(base)  # 10
    files.delete_directory(f"{base}/full")  # 11


def prepare(base: Path) -> None:
    (base / "full").mkdir()
    for i in range(4):
        (base / "full" / str(i)).write_bytes(b"x")


def found(base: Path) -> dict[str, bytes]:
    return {str(p.relative_to(base)): p.read_bytes() for p in sorted(base.rglob("*")) if p.is_file()}


def run(base: Path, fail_at: int | None, mode: FaultMode) -> FaultyFileIO:
    prepare(base)
    files = FaultyFileIO(LocalFileIO(), fail_at, mode)
    if fail_at is None:
        script(files, str(base))
    else:
        with pytest.raises(FaultInjected):
            script(files, str(base))
    return files


def test_never_failing_counts_the_operations(tmp_path: Path) -> None:
    files = run(tmp_path, None, "before")
    assert len(files.log) == STEPS
    assert [o.name for o in files.log[:3]] == ["open_output", "close_output", "write_bytes"]
    assert not files.dead


def whole_state(directory: Path, steps: int) -> dict[str, bytes]:
    """The files after ``steps`` complete operations."""
    directory.mkdir()
    if steps == 1:
        prepare(directory)
        (directory / "data").write_bytes(b"")
    elif steps == STEPS:
        run(directory, None, "before")
    else:
        run(directory, steps + 1, "before")
    return found(directory)


@pytest.mark.parametrize("k", range(1, STEPS + 1))
@pytest.mark.parametrize("mode", ["before", "after", "torn"])
def test_dying_at_every_operation(tmp_path: Path, k: int, mode: FaultMode) -> None:
    (tmp_path / "dead").mkdir()
    files = run(tmp_path / "dead", k, mode)
    left = found(tmp_path / "dead")
    assert files.dead
    assert len(files.log) == k
    half = CONTENT[:5]
    if mode == "after":
        assert left == whole_state(tmp_path / "whole", k)
    elif k == 2:
        assert left == whole_state(tmp_path / "whole", 0) | {"data": half}
    elif mode == "before":
        assert left == whole_state(tmp_path / "whole", k - 1)
    else:
        before = whole_state(tmp_path / "whole", k - 1)
        torn = {1: {"data": b""}, 3: {"manifest": half}, 5: {".snapshot.torn.tmp": half}, 6: {".hint.torn.tmp": half}}
        expected = before | torn.get(k, {})
        if k == STEPS:
            expected = {path: data for path, data in before.items() if path not in ("full/0", "full/1")}
        assert left == expected


@pytest.mark.parametrize("mode", ["before", "after", "torn"])
def test_the_dead_do_nothing_more(tmp_path: Path, mode: FaultMode) -> None:
    inner = LocalFileIO()
    inner.write_bytes(f"{tmp_path}/f", CONTENT)
    files = FaultyFileIO(inner, 3, mode)
    sink = files.open_output(f"{tmp_path}/out")
    source = files.open_input(f"{tmp_path}/f")
    sink.write(CONTENT)
    with pytest.raises(FaultInjected):
        files.delete(f"{tmp_path}/nothing")
    for call in (
        lambda: files.exists(f"{tmp_path}/f"),
        lambda: files.put_if_absent(f"{tmp_path}/g", b"x"),
        lambda: sink.write(b"x"),
        lambda: source.read(),
        lambda: sink.close(),
    ):
        with pytest.raises(FaultInjected):
            call()
    assert found(tmp_path) == {"f": CONTENT, "out": b""}


def test_an_output_that_is_not_closed_is_never_finished(tmp_path: Path) -> None:
    files = FaultyFileIO(LocalFileIO(), None)
    sink = files.open_output(f"{tmp_path}/out")
    sink.write(CONTENT)
    del sink
    assert found(tmp_path) == {"out": b""}


def test_counting(tmp_path: Path) -> None:
    files = CountingFileIO(LocalFileIO())
    script_base = tmp_path / "s"
    script_base.mkdir()
    prepare(script_base)
    script(files, str(script_base))
    counts = files.counts
    assert counts["open_output"] == counts["close_output"] == counts["put_if_absent"] == counts["list_files"] == 1
    assert counts["write"] == 2
    assert counts["bytes_written"] == 4 * len(CONTENT)
    assert counts["bytes_read"] == len(CONTENT)
    with pytest.raises(FileNotFoundError):
        files.read_bytes(f"{tmp_path}/missing")


def test_counting_the_reads_of_parquet(tmp_path: Path) -> None:
    table = pa.table({c: list(range(10_000)) for c in "abcd"})
    pq.write_table(table, tmp_path / "t.parquet")
    files = CountingFileIO(LocalFileIO())
    with files.open_input(f"{tmp_path}/t.parquet") as source:
        assert pq.read_table(source, columns=["b"]).num_columns == 1
    assert files.counts["open_input"] == 1
    assert 2 <= files.counts["read"] <= 6
    assert 0 < files.counts["bytes_read"] < (tmp_path / "t.parquet").stat().st_size


def test_latency(tmp_path: Path) -> None:
    clock = ManualClock()
    files = LatencyFileIO(LocalFileIO(), 0.05, clock)
    start = clock.monotonic()
    with files.open_output(f"{tmp_path}/f") as sink:
        sink.write(CONTENT)
    files.read_bytes(f"{tmp_path}/f")
    assert clock.monotonic() - start == pytest.approx(0.15)
