"""Expiring consumers that have not moved for a long time (`ConsumerManager.expire` in Java)."""

from __future__ import annotations

from workbench.metadata.refs.consumers import consumer_files
from workbench.metadata.store import TableStore


def expire_consumers(store: TableStore, age: int) -> tuple[str, ...]:
    """Delete the consumers that were last written more than ``age`` milliseconds ago, and return their names."""
    limit = store.clock.now_millis() - age
    # A file without a modification time may be new.
    old = [(name, status.path) for name, status in consumer_files(store).items() if 0 < status.modified_millis < limit]
    for _, path in old:
        store.file_io.delete(path)
    return tuple(name for name, _ in old)
