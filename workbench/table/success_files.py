"""Files that tell other systems that a tag or a partition is done (format §23, `SuccessFile` in Java)."""

from __future__ import annotations

import json

from workbench.base.errors import CorruptFile
from workbench.table.store import TableStore, read_small


def write_success(store: TableStore, path: str) -> None:
    """Say that something is done now; a file that says so already keeps the time of the first word.

    Raises:
        CorruptFile: there is a file that is garbled.
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
