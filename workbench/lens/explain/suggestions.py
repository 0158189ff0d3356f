"""What would make a read cheaper, with the estimated saving: only changes that help, those that save most first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.format.spec.table_kind import AppendOnlyKind, DataEvolutionKind, KeyValueKind, TableKind
from workbench.lens.explain.by_index import bloom_filter
from workbench.lens.explain.by_layout import bucket_key, partition, sort_by_column
from workbench.lens.explain.by_merging import (
    compact_deleted_rows,
    compact_runs,
    compact_small_files,
    deletion_vectors,
    read_optimized,
)
from workbench.lens.explain.situation import ReadContext
from workbench.lens.explain.value import SuggestionValue

Suggestion = Callable[[ReadContext], SuggestionValue | None]
_SUGGESTIONS: Mapping[type[TableKind], tuple[Suggestion, ...]] = {
    KeyValueKind: (bloom_filter, bucket_key, compact_runs, deletion_vectors, read_optimized, compact_deleted_rows),
    AppendOnlyKind: (
        sort_by_column,
        bloom_filter,
        partition,
        bucket_key,
        compact_deleted_rows,
        compact_small_files,
    ),
    DataEvolutionKind: (bloom_filter, bucket_key, compact_deleted_rows),
}


def suggest(situation: ReadContext) -> tuple[SuggestionValue, ...]:
    """Return the suggestions for a read; none if no known change would help."""
    if not situation.kept:
        return ()
    suggestions = situation.schema.kind.choose(_SUGGESTIONS)
    found = [each for each in (suggestion(situation) for suggestion in suggestions) if each is not None]
    return tuple(sorted(found, key=lambda each: (-each.size, -each.files)))
