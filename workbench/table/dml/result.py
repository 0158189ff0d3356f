"""The result of a statement that changes rows."""

from __future__ import annotations

from dataclasses import dataclass, fields

from workbench.base.counting import counted
from workbench.table.commits.commit import Commit


@dataclass(frozen=True, repr=False)
class RowChanges(Commit):
    """A commit that changed rows.

    ``deleted``, ``updated`` and ``inserted`` count rows as readers saw them; ``deleted`` is None if whole partitions of
    a primary-key table were dropped without counting. ``rewritten`` counts the removed data files, whether or not their
    remaining rows were written to other files; ``marked`` counts the data files that were kept, but have more rows in
    their deletion vectors.
    """

    deleted: int | None = 0
    updated: int = 0
    inserted: int = 0
    rewritten: int = 0
    marked: int = 0

    def __repr__(self) -> str:
        return f"<RowChanges of {self}>"

    def __str__(self) -> str:
        names = " and ".join(f"snapshot {each.id} ({each.commit_kind})" for each in self.snapshots)
        deleted = "all rows of some partitions" if self.deleted is None else counted(self.deleted, "rows")
        return (
            f"{self.table}: {names or 'nothing to commit'}, {deleted} deleted, {self.updated:,} updated, "
            f"{self.inserted:,} inserted, {counted(self.rewritten, 'files')} removed, {self.marked} marked, "
            f"{self.seconds:.1f} s"
        )


def row_changes(
    commit: Commit,
    seconds: float,
    *,
    deleted: int | None = 0,
    updated: int = 0,
    inserted: int = 0,
    rewritten: int = 0,
    marked: int = 0,
) -> RowChanges:
    """Return the commit with its row counts."""
    known = {each.name: getattr(commit, each.name) for each in fields(Commit)}
    known |= {"seconds": seconds, "rows": (deleted or 0) + updated + inserted}
    return RowChanges(**known, deleted=deleted, updated=updated, inserted=inserted, rewritten=rewritten, marked=marked)
