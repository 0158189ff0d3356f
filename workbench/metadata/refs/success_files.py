"""Files that signal to other systems that a tag or a partition is complete (format §23, `SuccessFile` in Java)."""

from __future__ import annotations

import json

from workbench.base.errors import CorruptFile
from workbench.metadata.small_files import read_small
from workbench.metadata.store import TableStore


def write_success(store: TableStore, path: str) -> None:
    """Mark something as complete now; an existing file keeps its creation time.

    Raises:
        CorruptFile: An existing file is corrupt.
    """
    now = store.clock.now_millis()
    content = {"creationTime": _created(store, path, now), "modificationTime": now}
    store.file_io.overwrite_atomic(path, json.dumps(content, indent=2, separators=(",", " : ")).encode())


def _created(store: TableStore, path: str, now: int) -> int:
    try:
        data = read_small(store.file_io, path)
    except FileNotFoundError:
        return now
    try:
        return int(json.loads(data)["creationTime"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise CorruptFile(path, f"not a success file in JSON ({error})", "Delete it.") from error
