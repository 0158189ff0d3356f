"""The calls that commits make to the rooms above them: maintenance, and compactions that are repeated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import Snapshot

if TYPE_CHECKING:
    from workbench.metadata.after_commit import AfterCommit


class CommitHooks(Protocol):
    """The calls that a commit makes to its table. ``store`` is the `TableStore` that carries the hooks."""

    def after_commit(self, store: Any, messages: Sequence[CommitMessage], identifier: int) -> AfterCommit:
        """Run the maintenance that the options configure; never raise, since the commit is published already."""
        ...

    def compact_again(
        self,
        store: Any,
        buckets: Collection[tuple[bytes, int]],
        properties: Mapping[str, str],
        keeps_changelog: bool,
    ) -> tuple[Snapshot | None, list[CommitMessage]]:
        """Compact buckets on the newest version; return the snapshot and its messages, None if nothing was due.

        Raises:
            CommitConflict: Other commits were first each time.
        """
        ...
