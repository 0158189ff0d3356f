"""The files of a section as sorted runs in the order of their age, which is how a merge wants them (format §16)."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.format.data_file import DataFileMeta
from workbench.format.schema import TableSchema
from workbench.lsm.levels import KeyOf, comparable_keys
from workbench.table.split import Run


def key_of_schema(schema: TableSchema) -> KeyOf:
    """Makes the serialized keys of a table comparable."""
    return comparable_keys([each.type for each in schema.key_fields])


def runs_by_age(files: Iterable[DataFileMeta], key_of: KeyOf) -> tuple[Run, ...]:
    """Oldest run first. Each file of level 0 is a run, each higher level one.

    Fewer runs could be formed, but files of one level were made together: their sequence numbers rarely interleave
    with those of another level, and then the order of the runs alone tells which row is newer.
    """
    levels: dict[int | str, list[DataFileMeta]] = {}
    for file in files:
        levels.setdefault(file.level or file.file_name, []).append(file)
    runs = sorted(levels.values(), key=_age)
    return tuple(tuple(sorted(run, key=lambda file: key_of(file.min_key))) for run in runs)


def _age(run: list[DataFileMeta]) -> tuple[int, int, int, str]:
    return (
        max(file.max_sequence_number for file in run),
        min(file.min_sequence_number for file in run),
        max(file.creation_time or 0 for file in run),
        run[0].file_name,
    )
