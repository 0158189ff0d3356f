"""Cleaning up after failed publications: deleting the files that no snapshot refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from workbench.base.errors import CommitConflict, CorruptFile, SchemaMismatch
from workbench.commit.written import Written
from workbench.format.spec.data_file import CommitMessage
from workbench.metadata.index_files import index_file_path
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore

_UNPUBLISHED = (SchemaMismatch, CommitConflict, CorruptFile)
"""The errors of publications that certainly published nothing. After any other error, such as one of the storage, the
snapshot may exist."""


@contextmanager
def undone_if_unpublished(undo: Callable[[], None]) -> Iterator[None]:
    """Call ``undo`` if the publication in the block fails and certainly published nothing."""
    try:
        yield
    except _UNPUBLISHED:
        undo()
        raise


def removed_if_unpublished(store: TableStore, messages: Sequence[CommitMessage]) -> AbstractContextManager[None]:
    """Delete the files of the messages if the publication in the block fails and certainly published nothing."""
    return undone_if_unpublished(lambda: remove_files(store, messages))


@contextmanager
def metadata_files(manifests: ManifestFiles) -> Iterator[Written]:
    """Yield the record of the metadata files that are written in the block. After an error they are deleted, unless a
    snapshot may refer to them."""
    written = Written()
    try:
        yield written
    except BaseException:
        if not written.in_doubt:
            manifests.delete(written.names)
        raise


def remove_files(store: TableStore, messages: Sequence[CommitMessage], written: bool = True) -> None:
    """Delete the files that a compaction created and, if ``written``, those of the write itself; upgraded files are
    kept."""
    for message in messages:
        known = {file.file_name for file in message.compact_before}
        created = [file for file in message.compact_after if file.file_name not in known]
        created += message.compact_changelog
        indexes = list(message.compact_new_index_files)
        if written:
            created += (*message.new_files, *message.changelog_files)
            indexes += message.new_index_files
        for file in created:
            store.discard_data_file(message.partition, message.bucket, file)
        for entry in indexes:
            store.discard(index_file_path(store, entry))
