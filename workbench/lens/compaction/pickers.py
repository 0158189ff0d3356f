"""The compaction pickers that the options of a table select, all as functions from files to picks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind
from workbench.lsm.append_compaction import (
    AppendCompactionOptions,
    FileVector,
    pick_bucketed,
    pick_unaware,
)
from workbench.lsm.compact_plan import plan_compaction
from workbench.lsm.compaction import (
    CompactionChoice,
    CompactionOptions,
    ForceUpLevel0Compaction,
    UniversalCompaction,
    estimate_last_full,
    pick_full,
)
from workbench.lsm.levels import Levels, key_of_schema

Vectors: TypeAlias = Mapping[str, FileVector]
Numbers: TypeAlias = Mapping[str, int | float]


@dataclass(frozen=True)
class Pick:
    """What a picker chooses: the files that are rewritten or moved, and the level of the result.

    ``on_request`` is whether the files would be picked by a requested full compaction, and not because a rule fired.
    """

    files: tuple[DataFileMeta, ...]
    output_level: int
    rule: str
    text: str
    numbers: Numbers
    on_request: bool = False


Picker: TypeAlias = Callable[[Sequence[DataFileMeta]], Iterator[Pick]]
"""Yields what would be picked from the files of a bucket: first by the rules, then by a requested full compaction."""


def picker_of(
    schema: TableSchema, vectors: Vectors, now_millis: int, written_levels: frozenset[int] = frozenset()
) -> Picker:
    """Return the picker of one bucket.

    Args:
        schema: The schema whose options decide.
        vectors: The deletion vectors of the bucket, or of the partition if it has no buckets.
        now_millis: The local wall clock of the compaction, in milliseconds.
        written_levels: If not empty, a requested full compaction is considered only if it would write to one of these
            levels, because evaluating it takes long: the keys of all files are compared.
    """
    picks = schema.kind.choose({KeyValueKind: _keyed_picks, AppendOnlyKind: _append_picks})
    return partial(picks, schema, vectors, now_millis, written_levels)


# --- primary-key tables -------------------------------------------------------------------------------------------


def _keyed_picks(
    schema: TableSchema,
    vectors: Vectors,
    now_millis: int,
    written_levels: frozenset[int],
    files: Sequence[DataFileMeta],
) -> Iterator[Pick]:
    if not files:
        return
    # The rules compare only the sizes of runs: keys are neither decoded nor sorted for them.
    levels = Levels(files, max(2, schema.core.num_levels), None)
    for choice in _rule_choices(schema.core, levels, now_millis):
        yield from _keyed_pick(schema, vectors, levels, choice, on_request=False)
    if not written_levels or levels.max_level in written_levels:
        yield from _keyed_pick(schema, vectors, levels, _full_choice(schema.core, levels, vectors), on_request=True)


def _rule_choices(core: CoreOptions, levels: Levels, now: int) -> Iterator[CompactionChoice]:
    """Yield what the rules choose. A rule that also counts triggers in memory is tried with each count that is
    possible."""
    options = CompactionOptions.of(core)
    universal, last_full = UniversalCompaction(options), estimate_last_full(levels.files, options)
    if core.needs_lookup:
        interval = core.lookup_compact_max_interval
        strategy = ForceUpLevel0Compaction(universal, interval)
        if interval is None:
            yield strategy.pick(levels, now, last_full)
            return
        waited = min(len(levels.level_0), interval) - 1
        yield strategy.pick(levels, now, last_full, waited)
        if waited != interval - 1:
            # Each writer counts its own triggers, and the writer may not have written all these files.
            yield strategy.pick(levels, now, last_full, interval - 1)
    elif core.compaction_force_up_level_0:
        yield ForceUpLevel0Compaction(universal).pick(levels, now, last_full)
    else:
        yield universal.pick(levels, now, last_full)


def _full_choice(core: CoreOptions, levels: Levels, vectors: Vectors) -> CompactionChoice:
    if core.compaction_force_rewrite_all_files:
        return pick_full(levels, lambda _: True)
    expires = core.record_level_expire_time is not None
    return pick_full(levels, lambda file: expires or file.file_name in vectors)


def _keyed_pick(
    schema: TableSchema, vectors: Vectors, levels: Levels, choice: CompactionChoice, *, on_request: bool
) -> Iterator[Pick]:
    unit = choice.unit
    if unit is None:
        return
    core, files = schema.core, unit.files
    if any(file.level == unit.output_level for file in files) and not unit.rewrite_each:
        # Files of the output level stay as they are, unless they overlap others or are small.
        forced = core.compaction_force_rewrite_all_files or core.record_level_expire_time is not None
        plan = plan_compaction(
            unit,
            levels.with_keys(key_of_schema(schema)),
            schema.kind.small_file_size,
            needs_rewrite=lambda _: forced,
            deletion_vectors=bool(vectors) or core.deletion_vectors_enabled,
        )
        kept = {file.file_name for file in plan.kept}
        files = tuple(file for file in files if file.file_name not in kept)
    yield Pick(files, unit.output_level, unit.reason.value, unit.explanation, unit.numbers, on_request)


# --- append tables ------------------------------------------------------------------------------------------------


def _append_picks(
    schema: TableSchema, vectors: Vectors, _: int, __: frozenset[int], files: Sequence[DataFileMeta]
) -> Iterator[Pick]:
    options = AppendCompactionOptions.of(schema.kind)
    for full in (False, True):
        choice = (
            pick_unaware(files, vectors, options, full=full)
            if schema.is_bucket_unaware
            else pick_bucketed(files, vectors.keys(), options, full=full)
        )
        for unit in choice.units:
            yield Pick(unit.files, 0, unit.reason.value, unit.explanation, unit.numbers, on_request=full)
