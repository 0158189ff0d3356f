"""The sequence numbers of a snapshot: the largest one in use, for tables whose writers continue from it; and the
snapshot's own id as the number of all its rows, for tables that order rows by snapshot (format §16, Java
``SequenceSnapshotProperties``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import FileKind, ManifestEntry
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.metadata.manifests import ManifestFiles

MAX_SEQUENCE_PROPERTY = "sequence.generation.max-sequence-number"


def recorded_sequence(snapshot: Snapshot | None) -> int | None:
    """Return the largest sequence number that the snapshot records as in use; None if it records none."""
    text = snapshot.properties.get(MAX_SEQUENCE_PROPERTY) if snapshot else None
    return None if text is None else int(text)


def with_noted_sequence(
    properties: Mapping[str, str],
    core: CoreOptions,
    latest: Snapshot | None,
    delta: Sequence[ManifestEntry],
    manifests: ManifestFiles,
) -> dict[str, str]:
    """Return the properties of the next snapshot: the given ones, plus the largest sequence number if the table's
    option requires it or the previous snapshot records it."""
    known = recorded_sequence(latest)
    numbers = [] if known is None else [known]
    if known is None:
        if core.write_sequence_number_init_mode != "snapshot":
            return dict(properties)
        numbers += _numbers(manifests.live_files(latest)) if latest is not None else []
    numbers += _numbers(delta)
    return {**properties, MAX_SEQUENCE_PROPERTY: str(max(numbers))} if numbers else dict(properties)


def stamped(delta: Iterable[ManifestEntry], kind: CommitKind, snapshot_id: int) -> tuple[ManifestEntry, ...]:
    """Return new files with the id of their snapshot as the sequence number of all their rows. Files of a compaction
    store a number with each row."""
    if kind == CommitKind.COMPACT:
        return tuple(delta)
    return tuple(_stamped(entry, snapshot_id) if entry.kind == FileKind.ADD else entry for entry in delta)


def _stamped(entry: ManifestEntry, number: int) -> ManifestEntry:
    return replace(entry, file=replace(entry.file, min_sequence_number=number, max_sequence_number=number))


def _numbers(entries: Iterable[ManifestEntry]) -> list[int]:
    return [entry.file.max_sequence_number for entry in entries if entry.kind == FileKind.ADD]
