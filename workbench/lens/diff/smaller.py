"""Forms of a comparison with less detail, for notebooks that save it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.lens.diff.value import DiffValue


def smaller_diffs(diff: DiffValue) -> Iterator[DiffValue]:
    """Yield forms with less and less detail: no other versions to choose, then fewer rows, then neither buckets nor
    partitions."""
    diff = replace(diff, choices=())
    yield diff
    while diff.page is not None and diff.page.rows:
        page = replace(diff.page, rows=diff.page.rows[: len(diff.page.rows) // 2])
        diff = replace(diff, page=page)
        yield diff
    if diff.files is not None:
        diff = replace(diff, files=replace(diff.files, levels=()))
        yield diff
    if diff.counts is not None:
        yield replace(diff, counts=replace(diff.counts, partitions=()))
