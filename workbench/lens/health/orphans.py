"""The files in the directories of a table that no version uses."""

from __future__ import annotations

from workbench.base.errors import CorruptFile, TableNotFound
from workbench.base.progress import Progress
from workbench.base.secrets import without_credentials
from workbench.lens.health.facts import OrphanFacts
from workbench.metadata.store import TableStore
from workbench.table.maintenance.orphan_files import remove_orphan_files


def collect_orphans(store: TableStore, progress: Progress) -> OrphanFacts:
    """List the directories of a table. Files younger than a day are not orphans: they may belong to a commit that is in
    progress."""
    try:
        found = remove_orphan_files(store, None, True, progress)
    except (CorruptFile, TableNotFound):
        # What is used cannot be determined; the damaged file is a finding of another check.
        return OrphanFacts()
    return OrphanFacts(tuple(map(without_credentials, found.files)), found.bytes)
