"""The result of a write or a compaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.card import Card, HasCard
from workbench.base.counting import counted
from workbench.base.metrics import Metrics
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.listings import SnapshotList

if TYPE_CHECKING:
    from workbench.table.maintenance.after_commit import AfterCommit


@dataclass(frozen=True, repr=False)
class Commit(HasCard):
    """The result of a write or a compaction.

    Args:
        table: The name of the table.
        snapshots: The new snapshots: one, two (append and compact), or none if nothing changed.
        rows: The number of written rows, before merging.
        files: The number of new data files.
        compactions: For each compaction, the rule that selected it, and its figures.
        abandoned: If the compaction that accompanied the write was abandoned: the reason, and what to do if rows are
            not visible until they are compacted. The rows are committed in any case.
        seconds: Wall time.
        after: What was done after the commit, such as expiry and automatic tags.
        metrics: Counts of files, bytes, phases and requests.
        writer: Which program of Spark made the files, and why; None without Spark.
    """

    table: str
    snapshots: tuple[Snapshot, ...]
    rows: int = 0
    files: int = 0
    compactions: tuple[Mapping[str, Any], ...] = ()
    abandoned: str | None = None
    seconds: float = 0.0
    after: AfterCommit | None = None
    metrics: Metrics | None = field(default=None, compare=False)
    writer: str | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"<Commit of {self}>"

    def _card(self) -> Card:
        """Return what was written, and the new snapshots."""
        facts = (
            ("written", f"{counted(self.rows, 'rows')} in {counted(self.files, 'files')}, {self.seconds:.1f} s"),
            ("written by", self.writer or ""),
            ("compaction", "" if self.abandoned is None else f"given up: {self.abandoned}"),
            ("after it", "" if not (self.after and self.after.failure) else f"failed: {self.after.failure}"),
        )
        listed = SnapshotList(self.snapshots)._card()
        notes = () if self.snapshots else ("There was nothing to commit, so there is no new snapshot.",)
        shown = tuple(fact for fact in facts if fact[1])
        return Card(f"Commit of {self.table}", shown, listed.headings, listed.rows, listed.numbers, notes)

    def __str__(self) -> str:
        names = (
            " and ".join(f"snapshot {each.id} ({each.commit_kind})" for each in self.snapshots) or "nothing to commit"
        )
        failed = f"; follow-up maintenance failed: {self.after.failure}" if self.after and self.after.failure else ""
        abandoned = f"; compaction given up: {self.abandoned}" if self.abandoned else ""
        written = f"{counted(self.rows, 'rows')} in {counted(self.files, 'files')}, {self.seconds:.1f} s"
        return f"{self.table}: {names}, {written}{abandoned}{failed}"
