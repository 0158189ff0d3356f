"""What would make a read cheaper, with the estimated saving: only changes that help, those that save most first."""

from __future__ import annotations

from collections.abc import Callable

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

_SUGGESTIONS: tuple[Callable[[ReadContext], SuggestionValue | None], ...] = (
    sort_by_column,
    bloom_filter,
    partition,
    bucket_key,
    compact_runs,
    deletion_vectors,
    read_optimized,
    compact_deleted_rows,
    compact_small_files,
)


def suggest(situation: ReadContext) -> tuple[SuggestionValue, ...]:
    """Return the suggestions for a read; none if no known change would help."""
    if not situation.kept:
        return ()
    found = [each for each in (suggestion(situation) for suggestion in _SUGGESTIONS) if each is not None]
    return tuple(sorted(found, key=lambda each: (-each.size, -each.files)))
