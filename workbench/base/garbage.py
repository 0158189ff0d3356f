"""When Python looks for cycles of garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Let Python not look for cycles of garbage while very many objects are made that stay: it would look through all
    of them again and again, which takes longer than making them."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:
            # All objects are now old ones: the next look at the young would go through every one of those made here.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
