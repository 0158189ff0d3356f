"""Computing columns group by group, where the contents of files depend on the schema that wrote them."""

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
    """Return the strings of all items, in their order, computed at once for the items of each key."""
    groups: dict[Key, list[int]] = {}
    for place, item in enumerate(items):
        groups.setdefault(key_of(item), []).append(place)
    if not groups:
        return pa.array([], pa.string())
    if len(groups) == 1:
        (key,) = groups
        return texts_of(key, items)
    arrays = [texts_of(key, [items[place] for place in places]) for key, places in groups.items()]
    order = np.argsort([place for places in groups.values() for place in places])
    return pa.concat_arrays(arrays).take(pa.array(order))
