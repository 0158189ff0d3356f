"""Pausing the garbage collector while millions of objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Pause the garbage collector while a very large number of long-lived objects is created: the collector would scan
    all of them repeatedly, which takes longer than creating them."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:
            # Moves all objects to the old generation: otherwise the next young collection would scan all objects
            # created here.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
