"""The files of a section as sorted runs ordered by age, as a merge requires (format §16)."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.format.spec.data_file import DataFileMeta
from workbench.lsm.levels import KeyOf
from workbench.scan.split import Run


def runs_by_age(files: Iterable[DataFileMeta], key_of: KeyOf) -> tuple[Run, ...]:
    """Return the runs, oldest first. Each file of level 0 is a run, and so is each higher level.

    Fewer runs could be formed, but files of one level were written together: their sequence numbers rarely interleave
    with those of another level, and then the order of the runs alone determines which row is newer.
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
