"""What the snapshots of one commit have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, Operation
from workbench.format.spec.snapshot_properties import commit_properties
from workbench.metadata.ids import new_commit_user
from workbench.metadata.store import TableStore


@dataclass(frozen=True)
class Publication:
    """What the snapshots of one commit have in common.

    Args:
        store: The table.
        user: The commit user: a new one for each batch write, the same one for all commits of a stream, because it
            identifies commits that are repeated.
        identifier: The commit identifier. A user commits an identifier once.
        properties: Properties to store in the snapshots.
        operation: The statement that the snapshots belong to (Java ``withOperation``).
    """

    store: TableStore
    user: str
    identifier: int = BATCH_COMMIT_IDENTIFIER
    properties: Mapping[str, str] = field(default_factory=dict)
    operation: Operation | None = None

    @classmethod
    def by_new_user(
        cls, store: TableStore, properties: Mapping[str, str] | None = None, operation: Operation | None = None
    ) -> Publication:
        """Return the publication of a batch write, with a commit user that no other commit has."""
        return cls(store, new_commit_user(store), properties=properties or {}, operation=operation)

    @property
    def is_batch(self) -> bool:
        """Whether the commit is not one of a stream."""
        return self.identifier == BATCH_COMMIT_IDENTIFIER

    @property
    def is_forced(self) -> bool:
        """Whether an empty commit creates a snapshot: for streams, option `commit.force-create-snapshot` decides."""
        core = self.store.schema.core
        return (not self.is_batch and core.commit_force_create_snapshot) or core.snapshot_ignore_empty_commit is False

    def snapshot_properties(self, compacted: Sequence[CommitMessage] = ()) -> dict[str, str]:
        """Return the properties of a snapshot. ``compacted`` contains the messages whose compactions it publishes."""
        return commit_properties(self.properties, compactions(self.store, compacted))


def compactions(store: TableStore, messages: Sequence[CommitMessage]) -> list[dict[str, Any]]:
    """Describe each compacted bucket: its id, the reason for the compaction, and its figures."""
    return [
        {"partition": store.partition_directory(message.partition), "bucket": message.bucket, **message.compaction}
        for message in messages
        if message.compaction is not None
    ]
