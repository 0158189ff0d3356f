"""DataFrames that stay lazy while their tables may be dropped: each use first checks that the tables still exist.

Spark reports a missing file by its path, and returns no rows of a frame that was planned over an empty table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from workbench.metadata.schemas import same_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.metadata.store import TableStore

# The methods of a DataFrame that run a job. All other methods only describe rows.
_ACTIONS = frozenset(
    [
        *("checkpoint", "collect", "count", "describe", "first", "foreach", "foreachPartition", "head", "isEmpty"),
        *("localCheckpoint", "show", "summary", "tail", "take", "toArrow", "toJSON", "toLocalIterator", "toPandas"),
        *("write", "writeTo", "_collect_as_arrow"),
    ]
)
_OWN = ("_watched_frame", "_watched_stores")


def watched(frame: DataFrame, stores: Sequence[TableStore]) -> DataFrame:
    """Return a frame that is refused once a table of it is gone, and so are the frames that are derived from it.

    Args:
        frame: The frame, which may be one of Spark Connect.
        stores: The tables that it reads, as they were when it was planned.

    Returns:
        The same rows. Jobs raise TableNotFound if a table was dropped, renamed or created again.
    """
    kind: Any = type(frame)
    made: DataFrame = object.__new__(_watched_class(kind))
    made.__dict__.update({**vars(frame), "_watched_frame": frame, "_watched_stores": tuple(stores)})
    return made


def watched_like(frame: DataFrame, other: DataFrame) -> DataFrame:
    """Return a frame that checks the tables of another one, if that one checks any.

    Args:
        frame: The frame, with the rows of ``other``.
        other: A frame of `watched`, or a plain one.
    """
    stores = vars(other).get("_watched_stores", ())
    return watched(frame, stores) if stores else frame


@lru_cache
def _watched_class(kind: type) -> type:
    """Return the class of DataFrames of a kind that check their tables; users see the name that they know."""
    return type(kind.__name__, (_Watched, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})


class _Watched:
    def __getattribute__(self, name: str) -> Any:
        if name in _OWN or (name.startswith("_") and name not in _ACTIONS):
            return super().__getattribute__(name)
        frame, stores = self._watched_frame, self._watched_stores
        if name in _ACTIONS:
            _check(stores)
        found = getattr(frame, name)
        return partial(_call, self, found) if callable(found) and not isinstance(found, type(frame)) else found


def _call(owner: Any, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    frame, stores = owner._watched_frame, owner._watched_stores
    try:
        found = method(*args, **kwargs)
    except Exception:
        # Spark fails in many ways, of which a missing table explains more than the path of a file.
        _check(stores)
        raise
    if found is frame:
        return owner
    return watched(found, stores) if isinstance(found, type(frame)) else found


def _check(stores: Sequence[TableStore]) -> None:
    for store in stores:
        same_table(store)
