"""The lock of a table in a Hive Metastore (Java ``HiveCatalogLock``)."""

from __future__ import annotations

import getpass
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from workbench.base.clock import Clock, SystemClock
from workbench.base.counting import counted
from workbench.base.errors import CatalogError
from workbench.catalog.hive.client import client_for, thrift_types
from workbench.catalog.hive.settings import HiveSettings

_FIRST_PAUSE = 0.1


@dataclass(frozen=True)
class HiveLock:
    """An exclusive lock of a table, which the metastore gives to one writer at a time, of Java or of this library.

    A lock has no heartbeats, as in Java: it is held only while a snapshot or a schema is published. A metastore may
    remove one that is older than its ``hive.txn.timeout``. A writer that stalls for longer then loses the lock, but not
    put-if-absent.
    """

    settings: HiveSettings
    """Where the metastore is, and how long to wait."""

    clock: Clock = field(default_factory=SystemClock, compare=False)
    """The clock that the waiting uses."""

    @contextmanager
    def lock(self, database: str, table: str) -> Iterator[None]:
        """Hold the lock of a table.

        Raises:
            CatalogError: The lock was not free within ``lock-acquire-timeout``, or the metastore does not answer.
        """
        lock_id = self._acquired(database, table)
        try:
            yield
        finally:
            self._unlock(lock_id)

    def _acquired(self, database: str, table: str) -> int:
        """Return the id of the lock once it is held."""
        types, client = thrift_types(), client_for(self.settings)
        began = self.clock.monotonic()
        answer = client.call("lock", _request(types, database, table))
        lock_id, pause = int(answer.lockid), _FIRST_PAUSE
        try:
            while answer.state == types.LockState.WAITING:
                left = began + self.settings.lock_timeout - self.clock.monotonic()
                if left <= 0:
                    raise CatalogError(
                        f"The lock of {database}.{table} in {self.settings.address} was not free within "
                        f"{counted(round(self.settings.lock_timeout), 'seconds')}: {self._holder(database, table)}.",
                        "Try again when that writer has finished. If it was killed, see 'Locks' in docs/connect.md.",
                    )
                self.clock.sleep(min(pause, self.settings.lock_max_sleep, left))
                pause *= 2
                answer = client.call("check_lock", types.CheckLockRequest(lockid=lock_id))
            if answer.state != types.LockState.ACQUIRED:
                raise CatalogError(
                    f"Hive Metastore did not give the lock of {database}.{table}: it is {_state(types, answer.state)}.",
                    "Try again.",
                )
        except BaseException:
            self._unlock(lock_id)
            raise
        return lock_id

    def _holder(self, database: str, table: str) -> str:
        """Return who holds the lock of a table."""
        types = thrift_types()
        request = types.ShowLocksRequest(dbname=database, tablename=table)
        found = client_for(self.settings).call("show_locks", request).locks or ()
        holders = [
            f"lock {each.lockid} is held by {each.user} at {each.hostname}"
            for each in found
            if each.state == types.LockState.ACQUIRED
        ]
        return "; ".join(holders) or "its holder has just released it"

    def _unlock(self, lock_id: int) -> None:
        """Release a lock. What it protected has happened already, so a failure is only a warning."""
        try:
            client_for(self.settings).call("unlock", thrift_types().UnlockRequest(lockid=lock_id))
        except CatalogError as error:
            warnings.warn(
                f"Lock {lock_id} in {self.settings.address} was not released: {error} "
                "The metastore removes it after its 'hive.txn.timeout', if it is set up for that: see 'Locks' in "
                "docs/connect.md.",
                RuntimeWarning,
                stacklevel=4,
            )


def _request(types: Any, database: str, table: str) -> Any:
    component = types.LockComponent(
        type=types.LockType.EXCLUSIVE,
        level=types.LockLevel.TABLE,
        dbname=database,
        tablename=table,
        operationType=types.DataOperationType.NO_TXN,
    )
    return types.LockRequest(component=[component], user=user_name(), hostname=socket.gethostname())


def _state(types: Any, state: int) -> str:
    return str(types.LockState._VALUES_TO_NAMES.get(state, state)).lower()


def user_name() -> str:
    """Return the name of the user, as owner of tables and of locks."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
