"""The hooks by which commits call the packages above them: to run maintenance, and to repeat compactions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import Snapshot

if TYPE_CHECKING:
    from workbench.metadata.after_commit import AfterCommit


class CommitHooks(Protocol):
    """The hooks that a commit calls on its table. ``store`` is the `TableStore` that carries the hooks."""

    def after_commit(
        self, store: Any, messages: Sequence[CommitMessage], identifier: int, newest: int | None
    ) -> AfterCommit:
        """Run the maintenance that the options configure; never raise, since the commit is published already.

        ``newest`` is the id of the last snapshot of the commit.
        """
        ...

    def compact_again(
        self,
        store: Any,
        buckets: Collection[tuple[bytes, int]],
        properties: Mapping[str, str],
        keeps_changelog: bool,
    ) -> tuple[Snapshot | None, list[CommitMessage]]:
        """Compact buckets on the newest version; return the snapshot, None if nothing was due, and its messages.

        Raises:
            CommitConflict: Another commit was faster at every attempt.
        """
        ...
