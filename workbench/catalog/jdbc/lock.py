"""The lock of catalogs in a database: a row that Java's writers insert and delete, too."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import CatalogError
from workbench.base.texts import duration_text
from workbench.catalog.jdbc.database import Database, DuplicateRowError, StatementConflictError, database_for, uses_lock
from workbench.catalog.jdbc.layout import LOCKS
from workbench.format.options.values import parse_option
from workbench.storage.lock import CatalogLock, NoLock, lock_for

_TYPE = "jdbc"
_FIRST_PAUSE_SECONDS = 0.05
DEFAULT_KEY = "jdbc"


class JdbcLock:
    """A row ``<catalog-key>.<database>.<table>`` in ``paimon_distributed_locks`` for each table that is locked.

    The row expires: a writer that waits deletes one that is older than ``timeout``, so that a holder that was killed
    does not lock the table forever. A holder that takes longer loses the lock without noticing it; the storage then
    decides which of two writers was first (`FileIO.put_if_absent`).

    Args:
        database: The database.
        key: The catalog key.
        timeout: How long writers wait, and after how long a row expires, in milliseconds.
        longest_pause: The longest time between two attempts, in milliseconds.
        clock: The clock by which pauses are measured; rows expire by that of the database.
    """

    def __init__(
        self, database: Database, key: str, timeout: int, longest_pause: int, clock: Clock | None = None
    ) -> None:
        self._database = database
        self._key = key
        self._timeout = timeout
        self._longest_pause = longest_pause / 1000
        self._clock = clock or SystemClock()

    @contextmanager
    def lock(self, database: str, table: str) -> Iterator[None]:
        """Hold the lock of a table, against other threads and processes.

        Raises:
            CatalogError: The lock was not free within the timeout, or the database cannot be reached.
        """
        name = f"{self._key}.{database}.{table}"
        if len(name) > self._database.lock_length:
            raise CatalogError(
                f"{database}.{table} cannot be locked: '{name}' has more than {self._database.lock_length} characters.",
                "Shorten the option 'catalog-key' or the name of the table.",
            )
        acquired = self._acquire(name)
        try:
            yield
        finally:
            self._release(name, acquired)

    def _acquire(self, name: str) -> float:
        """Wait for the lock, and return when the successful attempt began."""
        deadline = self._clock.monotonic() + self._timeout / 1000
        pause = _FIRST_PAUSE_SECONDS
        while True:
            began = self._clock.monotonic()
            if self._insert(name) or (self._delete_expired(name) and self._insert(name)):
                return began
            if began >= deadline:
                raise CatalogError(
                    f"The lock '{name}' was not free within {duration_text(self._timeout)}.",
                    "Another writer holds it; try again when it has finished. If it no longer runs, its row in "
                    f"{LOCKS} of {self._database.address} expires by itself.",
                )
            pause = min(2 * pause, self._longest_pause, max(deadline - began, _FIRST_PAUSE_SECONDS))
            self._clock.sleep(pause)

    def _insert(self, name: str) -> bool:
        statement = f"INSERT INTO {LOCKS} (lock_id,expire_time_seconds) VALUES (?,?)"
        try:
            self._database.execute((statement, (name, self._timeout // 1000)))
        except (DuplicateRowError, StatementConflictError):
            return False
        return True

    def _delete_expired(self, name: str) -> bool:
        expired = self._database.dialect.expired_lock
        try:
            return self._database.execute((f"DELETE FROM {LOCKS} WHERE {expired} and lock_id = ?", (name,))) != [0]
        except StatementConflictError:
            return False

    def _release(self, name: str, acquired: float) -> None:
        """Delete the row, unless it may have expired and be that of another writer by now."""
        try:
            if self._clock.monotonic() - acquired < self._timeout // 1000:
                self._database.execute((f"DELETE FROM {LOCKS} WHERE lock_id = ?", (name,)))
            else:
                self._delete_expired(name)
        except CatalogError as error:
            # What was done under the lock is valid, and must not be reported as failed.
            warnings.warn(
                f"The lock '{name}' was not released, and expires after {duration_text(self._timeout)}: {error}",
                stacklevel=4,
            )


def lock_of(options: Mapping[str, str], clock: Clock | None = None) -> CatalogLock:
    """Return the lock that the options of a catalog configure.

    Args:
        options: The options: ``lock.enabled``, by default true in object stores, ``lock.type``,
            ``lock-acquire-timeout`` and ``lock-check-max-sleep``.
        clock: The clock by which pauses are measured.
    """
    if not uses_lock(options):
        return NoLock()
    if options.get("lock.type", _TYPE) != _TYPE:
        return lock_for({**options, "lock.enabled": "true"})
    timeout = parse_option("lock-acquire-timeout", "duration", options.get("lock-acquire-timeout", "8 min"))
    pause = parse_option("lock-check-max-sleep", "duration", options.get("lock-check-max-sleep", "8 s"))
    return JdbcLock(database_for(options), options.get("catalog-key", DEFAULT_KEY), timeout, pause, clock)
