"""Forgetting streaming readers that have not moved for long (`ConsumerManager.expire` in Java)."""

from __future__ import annotations

from workbench.table.consumers import consumer_files
from workbench.table.store import TableStore


def expire_consumers(store: TableStore, age: int) -> tuple[str, ...]:
    """Forget the consumers whose place was noted more than ``age`` milliseconds ago; their names."""
    limit = store.clock.now_millis() - age
    # One of which the store knows no time may be new.
    old = [(name, status.path) for name, status in consumer_files(store).items() if 0 < status.modified_millis < limit]
    for _, path in old:
        store.file_io.delete(path)
    return tuple(name for name, _ in old)
