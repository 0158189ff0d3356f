"""What a process does after it has changed rows of a table, such as refreshing the caches of its Spark session."""

from __future__ import annotations

from collections.abc import Callable

Observer = Callable[[str], None]
_observers: list[Observer] = []


def observe_changes(observer: Observer) -> None:
    """Call a function after each change of rows in this process, in the thread that made the change.

    Args:
        observer: Receives the table as ``database.table``. It must not raise, because the change is published already.
            A function that is registered again is called only once.

    Example:
        >>> observe_changes(print)
    """
    if observer not in _observers:
        _observers.append(observer)


def report_change(table: str) -> None:
    """Call the observers after rows of a table were changed.

    Args:
        table: The table as ``database.table``.

    Example:
        >>> report_change("shop.orders")
        shop.orders
    """
    for observer in _observers:
        observer(table)
