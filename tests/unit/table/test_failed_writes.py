"""A store that fails while a data file is written: its error is raised, and no file remains or remains open."""

from __future__ import annotations

import errno
import io
from itertools import count
from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from workbench.storage.file_io import FileIO, OutputFile
from workbench.storage.wrappers import DelegatingFileIO
from workbench.table.table import Table


class FullDisk(DelegatingFileIO):
    """Fails at the n-th open, write or close of a file that is written, and works again afterwards."""

    def __init__(self, inner: FileIO, fail_at: int) -> None:
        super().__init__(inner)
        self.error: OSError | None = None
        self.outputs: list[_Output] = []
        self._left = fail_at

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.error = OSError(errno.ENOSPC, "No space left on device")
            raise self.error

    def open_output(self, path: str) -> OutputFile:
        self.step()
        self.outputs.append(_Output(self, self.inner.open_output(path)))
        return self.outputs[-1]

    def write_bytes(self, path: str, data: bytes) -> None:
        self.step()
        super().write_bytes(path, data)


class _Output(io.RawIOBase):
    def __init__(self, disk: FullDisk, inner: OutputFile) -> None:
        super().__init__()
        self._disk = disk
        self._inner = inner

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        self._disk.step()
        block = bytes(memoryview(data))  # type: ignore[arg-type]
        self._inner.write(block)
        return len(block)

    def tell(self) -> int:
        return self._inner.tell()

    def close(self) -> None:
        if not self.closed:
            super().close()
            try:
                self._disk.step()
            finally:
                self._inner.close()


@pytest.mark.parametrize("keyed", [False, True], ids=["append", "keyed"])
@pytest.mark.parametrize("name", ["parquet", "orc", "avro"])
def test_the_error_of_the_store_is_raised_and_no_file_remains(name: str, keyed: bool, tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")
    options = {
        "file.format": name,
        "bucket": "1" if keyed else "-1",
        "file-index.bloom-filter.columns": "v",
        "file-index.in-manifest-threshold": "1 b",
        **({"changelog-producer": "input"} if keyed else {}),
    }
    key = ["id"] if keyed else []
    table = catalog.create_table("d.t", {"id": "INT NOT NULL", "v": "STRING"}, primary_key=key, options=options)
    rows = pa.table({"id": pa.array(range(3000), pa.int32()), "v": [str(each * 7919) for each in range(3000)]})
    for fail_at in count(1):
        disk = FullDisk(table.store.file_io, fail_at)
        raised: BaseException | None = None
        try:
            with Table(table.store.with_file_io(disk)).writer() as writer:
                writer.write(rows)
                writer.prepare()
        except OSError as error:
            raised = error
        if disk.error is None:
            break
        assert raised is disk.error
        assert not list(tmp_path.glob("**/bucket-*/*"))
        assert all(output.closed for output in disk.outputs)
    assert fail_at > 4
