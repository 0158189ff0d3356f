"""Identifiers within a table."""

from __future__ import annotations

from workbench.metadata.store import TableStore

BucketId = tuple[bytes, int]
"""A bucket: its serialized partition, and its number within the partition."""


def new_commit_user(store: TableStore) -> str:
    """Return a commit user that no other commit has, with the prefix that option `commit.user-prefix` sets."""
    prefix = store.schema.core.commit_user_prefix
    return store.ids.uuid() if prefix is None else f"{prefix}_{store.ids.uuid()}"
