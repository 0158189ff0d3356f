"""Write rows in one process: both phases, one after the other (format §4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.overwrite import Overwrite
from workbench.commit.publication import Publication
from workbench.format.spec.snapshot import Operation
from workbench.metadata.bucket_states import BucketStates
from workbench.metadata.ids import new_commit_user
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore
from workbench.table.commits.commit import Commit
from workbench.table.commits.commit_messages import commit_messages
from workbench.write.batch import batch_writer
from workbench.write.input import as_rows


@measured("write")
def write(
    store: TableStore,
    buckets: BucketStates,
    data: Any,
    row_kind: str | None,
    overwrite: Overwrite | None,
    progress: Progress,
    properties: Mapping[str, str],
) -> Commit:
    """Run both phases in this process. If an error certainly occurred before the commit, the new files are deleted."""
    started = store.clock.monotonic()
    if overwrite is not None:
        overwrite.check_keys()
    user = new_commit_user(store)
    writer = batch_writer(store, buckets, user, progress, is_overwrite=overwrite is not None)
    try:
        with progress.step(f"Writing {store.name}", _known_rows(data), "rows"):
            for rows in as_rows(data, store.schema, row_kind, overwrite.static if overwrite else None):
                writer.write_rows(rows)
            messages = writer.prepare()
    except BaseException:
        writer.abort()
        raise
    if overwrite is None:
        publication = Publication(store, user, properties=properties, operation=Operation.WRITE)
        commit = commit_messages(publication, messages, publish.commit_written)
    else:
        publication = Publication.by_new_user(store, properties, Operation.OVERWRITE)
        commit = commit_messages(publication, messages, partial(publish.overwrite_written, spec=overwrite))
    return replace(commit, rows=writer.rows_written, seconds=store.clock.monotonic() - started)


def _known_rows(data: Any) -> int | None:
    rows = getattr(data, "num_rows", None)
    return rows if isinstance(rows, int) else None
