"""Computing columns group by group, for files whose contents depend on the schema with which they were written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np
import pyarrow as pa

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


def in_groups(
    items: Sequence[Item], key_of: Callable[[Item], Key], texts_of: Callable[[Key, Sequence[Item]], pa.Array]
) -> pa.Array:
    """Return the strings of all items, in their order; ``texts_of`` computes them for all items of one key together."""
    groups: dict[Key, list[int]] = {}
    for position, item in enumerate(items):
        groups.setdefault(key_of(item), []).append(position)
    if not groups:
        return pa.array([], pa.string())
    if len(groups) == 1:
        (key,) = groups
        return texts_of(key, items)
    arrays = [texts_of(key, [items[position] for position in positions]) for key, positions in groups.items()]
    order = np.argsort([position for positions in groups.values() for position in positions])
    return pa.concat_arrays(arrays).take(pa.array(order))
