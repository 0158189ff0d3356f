"""The merge engines by name, each with the traits that decide how its tables are treated (Java `CoreOptions`).

An engine is registered with a line here and implemented in ``lsm/<engine>.py``. Code that depends on the engine of a
table reads a trait of ``core.engine`` and never compares names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from workbench.base.errors import AlreadyExists, Unsupported, did_you_mean


class ExistingProcessor(Enum):
    """What happens to a row whose key exists in another partition (Java `ExistingProcessor`)."""

    DELETE = "delete"
    """The existing row is deleted, and the new row is written to its own partition."""
    USE_OLD = "use-old"
    """The new row is written to the partition of the existing row."""
    SKIP_NEW = "skip-new"
    """The new row is dropped."""


@dataclass(frozen=True)
class MergeEngine:
    """A merge engine and its traits.

    Example:
        >>> register_merge_engine(MergeEngine("keep-longest", "my_engines.keep_longest:create", takes_updates=True))

    Args:
        name: The value of option ``merge-engine``.
        factory: ``module:function``, imported when the first rows are merged. The function is called with the
            `TableSchema` and the names of the columns that are read, and returns a `lsm.merge_function.MergeFunction`.
        existing_processor: What happens to a row whose key exists in another partition.
        keeps_newest: The newest row of a key replaces all older rows, regardless of their values.
        keeps_first: The first row of a key is kept unchanged; no later row affects it.
        combines_rows: The row of a key may combine columns of several rows, each by its aggregate function.
        updates_partially: A NULL leaves the value of a column unchanged, and sequence groups order columns separately.
        takes_updates: Rows that UPDATE and MERGE write replace the rows that they were computed from.
        takes_deletes: A row of kind -D can remove the row of its key.
        delete_options: Options, one of which must be set before rows can be deleted; empty if no option is needed.
    """

    name: str
    factory: str
    existing_processor: ExistingProcessor = ExistingProcessor.USE_OLD
    keeps_newest: bool = False
    keeps_first: bool = False
    combines_rows: bool = False
    updates_partially: bool = False
    takes_updates: bool = False
    takes_deletes: bool = False
    delete_options: tuple[str, ...] = ()


_BUILT_IN = (
    MergeEngine(
        "deduplicate",
        "workbench.lsm.deduplicate:deduplicate_of",
        ExistingProcessor.DELETE,
        keeps_newest=True,
        takes_updates=True,
        takes_deletes=True,
    ),
    MergeEngine(
        "partial-update",
        "workbench.lsm.sequence_groups:partial_update_of",
        combines_rows=True,
        updates_partially=True,
        takes_updates=True,
        takes_deletes=True,
        delete_options=("partial-update.remove-record-on-delete", "partial-update.remove-record-on-sequence-group"),
    ),
    MergeEngine(
        "aggregation",
        "workbench.lsm.aggregation:aggregation_of",
        combines_rows=True,
        takes_deletes=True,
        delete_options=("aggregation.remove-record-on-delete",),
    ),
    MergeEngine(
        "first-row",
        "workbench.lsm.first_row:first_row_of",
        ExistingProcessor.SKIP_NEW,
        keeps_first=True,
    ),
)
_ENGINES = {engine.name: engine for engine in _BUILT_IN}


def register_merge_engine(engine: MergeEngine) -> None:
    """Make an engine available to all tables of this process; Spark executors need the same call.

    Raises:
        AlreadyExists: If another engine is registered under this name.
    """
    if _ENGINES.setdefault(engine.name, engine) != engine:
        raise AlreadyExists(f"Merge engine '{engine.name}' is already registered.", "Choose another name.")


def find_merge_engine(name: str) -> MergeEngine:
    """Return the engine of that name, ignoring case.

    Raises:
        Unsupported: If no such engine is registered; the message names the option and its value.
    """
    engine = _ENGINES.get(name.strip().lower())
    if engine is None:
        known = merge_engine_names()
        raise Unsupported(
            f"Option 'merge-engine' = '{name}' is not supported.",
            did_you_mean(name, known) or f"Use one of {', '.join(known)}.",
        )
    return engine


def merge_engine_names(has: Callable[[MergeEngine], bool] = lambda _: True) -> tuple[str, ...]:
    """Return the names of the registered engines that have a trait; by default, of all engines."""
    return tuple(engine.name for engine in _ENGINES.values() if has(engine))
