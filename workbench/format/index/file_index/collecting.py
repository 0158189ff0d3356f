"""Collects the indexes of one file while it is written (Java ``DataFileIndexWriter``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.modules import pc
from workbench.format.index.file_index.container import write_file_index
from workbench.format.index.file_index.requests import IndexRequest
from workbench.format.types import to_arrow


class IndexCollector:
    """Keeps the columns that have indexes, and builds the indexes from all rows at the end."""

    def __init__(self, requests: Sequence[IndexRequest]) -> None:
        self._requests = [(each, each.builder()) for each in requests]
        self._chunks: dict[str, list[Any]] = {each.field.name: [] for each in requests}

    def update(self, table: pa.Table) -> None:
        """Add the rows of the columns that have indexes."""
        for name, chunks in self._chunks.items():
            chunks.extend(table.column(name).chunks)

    def container(self) -> bytes:
        """Return the container of the indexes.

        Raises:
            Unsupported: If an index cannot hold a value.
        """
        bodies: dict[str, dict[str, bytes | None]] = {}
        for request, build in self._requests:
            column = pa.chunked_array(self._chunks[request.field.name], to_arrow(request.field.type))
            if request.map_key is not None:
                column = pa.chunked_array([_under(column.combine_chunks(), request.map_key)])
            try:
                bodies.setdefault(request.name, {})[request.kind] = build(column)
            except ValueError as error:
                what = f"Column '{request.name}' cannot have file index '{request.kind}': {error}."
                raise Unsupported(what) from error
        return write_file_index(bodies)


def _under(maps: Any, key: str) -> Any:
    """Return the value that each map has for a key, null if it lacks the key."""
    offsets = maps.offsets.to_numpy()
    is_key = pc.equal(maps.keys, key).to_numpy(zero_copy_only=False)
    positions = np.flatnonzero(is_key)
    positions = positions[(positions >= offsets[0]) & (positions < offsets[-1])] if len(maps) else positions[:0]
    rows = np.searchsorted(offsets, positions, side="right") - 1
    elements, present = np.zeros(len(maps), np.int64), np.zeros(len(maps), bool)
    elements[rows], present[rows] = positions, True
    present &= maps.is_valid().to_numpy(zero_copy_only=False)
    return maps.items.take(pa.array(elements, mask=~present))
