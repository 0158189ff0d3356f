"""HDFS, without a JVM."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from workbench.storage.file_io import OutputFile, join, name, parent
from workbench.storage.fsspec_io import FsspecFileIO
from workbench.storage.stores.options import Arguments, HadoopFileSystem
from workbench.storage.stores.upload import CountedOutput
from workbench.storage.stores.watched import Endpoint


class HdfsFileIO(FsspecFileIO):
    """HDFS behind hdfs-native."""

    supports_put_if_absent = True

    def open_output(self, path: str) -> OutputFile:
        """Open a new file; it is visible while it is written."""
        opened: OutputFile = self._with_parents(path, lambda: _Output(self._files.open(path, "wb")))
        return opened

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file; other readers may see it in an incomplete state."""
        with self.open_output(path) as output:
            output.write(data)

    def overwrite_atomic(self, path: str, data: bytes) -> None:
        """Replace a whole file by renaming a complete one."""
        self._renamed(path, data, overwrite=True)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create a complete file if there is none, by renaming one; the name node decides which writer was first."""
        try:
            self._renamed(path, data, overwrite=False)
        except FileExistsError:
            return False
        except FileNotFoundError:
            # The complete file is gone: an earlier request renamed it, and its answer was lost.
            return self.read_bytes(path) == data
        return True

    def _renamed(self, path: str, data: bytes, *, overwrite: bool) -> None:
        temporary = join(parent(path), f".{name(path)}.{uuid.uuid4()}.tmp")
        self.write_bytes(temporary, data)
        try:
            self._files.mv(temporary, path, overwrite=overwrite)
        except BaseException:
            with suppress(FileNotFoundError):
                self._files.rm_file(temporary)
            raise


class _Output(CountedOutput):
    """A file of hdfs-native, which does not know its position."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self._inner = inner

    def _append(self, data: Any, size: int) -> None:  # noqa: ARG002
        self._inner.write(data)

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
        super().close()


def hdfs_file_io(file_system: Any, arguments: Arguments) -> HdfsFileIO:  # noqa: ARG001
    """Return the storage."""
    return HdfsFileIO(file_system)


def hdfs_endpoint(file_system: Any, arguments: Arguments) -> Endpoint:  # noqa: ARG001
    """Return the name node; a name service has several, whose addresses only the client knows."""
    if file_system.port is None:
        return Endpoint(str(file_system.host))
    address = f"{file_system.host}:{file_system.port}"
    return Endpoint(address, f"hdfs://{address}")


def hdfs_hadoop(options: Mapping[str, str]) -> HadoopFileSystem:
    """Return Hadoop's own client of HDFS."""
    return HadoopFileSystem("hdfs", hdfs_arguments(options), renames=True)


def hdfs_arguments(options: Mapping[str, str]) -> Arguments:
    """Return Hadoop's own options, such as those of name services."""
    return {key: value for key, value in options.items() if key.startswith(("dfs.", "fs.defaultFS", "hadoop."))}
