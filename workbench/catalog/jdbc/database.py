"""The connections to a database, and the statements that run on them."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from workbench.base.errors import CatalogError, NoAnswer
from workbench.base.secrets import HIDDEN, keep_out_of_messages, without_credentials
from workbench.catalog.jdbc.dialects import Dialect, dialect_of
from workbench.catalog.jdbc.layout import DATABASE_PROPERTIES, LOCKS, TABLE_PROPERTIES, TABLES, VIEWS, creation
from workbench.catalog.jdbc.url import parse_url
from workbench.catalog.waits import waits
from workbench.format.options.values import parse_option
from workbench.storage.read_only import is_read_only
from workbench.storage.stores.registry import is_object_store

Result = TypeVar("Result")
Statement = tuple[str, tuple[object, ...]]
"""A statement with ``?`` for each of its values, and the values."""

_ATTEMPTS = 5


class DuplicateRowError(CatalogError):
    """A row with the same key exists."""


class StatementConflictError(CatalogError):
    """Another statement at the same time prevented this one."""


class _LostConnectionError(NoAnswer):
    """The server closed the connection."""


class Database:
    """The database of a catalog. It is safe for threads, and for processes that are forked.

    Connections are opened when they are needed, and kept. Tables that are missing are created before the first
    statement, unless the catalog is read-only.

    Args:
        options: The options of the catalog.

    Raises:
        CatalogError: There is no ``uri``, or there is no such kind of database.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self.url = parse_url(options)
        # It may be a part of the URL, and not an option.
        keep_out_of_messages([self.url.password])
        self.dialect = dialect_of(self.url)
        self._is_read_only = is_read_only(options)
        self._has_locks = uses_lock(options) and not self._is_read_only
        self._lock_length: int = parse_option("lock-key-max-length", "int", options.get("lock-key-max-length", "255"))
        self._size: int = parse_option("client-pool-size", "positive", options.get("client-pool-size", "2"))
        self._preparing = threading.Lock()
        self._is_prepared = False
        self._pool = _Pool(self._size, self.dialect)

    @property
    def address(self) -> str:
        """Where the database is, without credentials."""
        return self.url.address

    @property
    def lock_length(self) -> int:
        """How many characters the name of a lock can have."""
        return self._lock_length

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query. It is repeated once if the server had closed an idle connection.

        Raises:
            NoAnswer: The database cannot be reached, or the connection was lost.
            CatalogError: The database refuses the user or the query.
        """
        self._prepare()
        return self._run(lambda connection: self._rows(connection, sql, values), is_repeatable=True)

    def execute(self, *statements: Statement) -> list[int]:
        """Run statements that change rows, all or none of them, and return how many rows each one changed.

        Raises:
            DuplicateRowError: A row with the same key exists.
            StatementConflictError: Other statements at the same time prevented this several times.
            NoAnswer: The database cannot be reached, or the connection was lost.
            CatalogError: The database refuses the user or a statement.
        """
        self._prepare()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._run(lambda connection: self._change(connection, statements), is_repeatable=False)
            except StatementConflictError:
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    def replace(self, *statements: Statement) -> None:
        """Run statements that delete rows and insert others in their place, all or none of them.

        Raises:
            NoAnswer: The database cannot be reached, or the connection was lost.
            CatalogError: The database refuses the user or a statement.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self.execute(*statements)
            except DuplicateRowError:
                # Another writer inserted the rows after they were deleted here. The next deletion finds them.
                if attempt == _ATTEMPTS:
                    raise
            else:
                return

    # --- tables of the catalog ------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Create the tables that are missing, whatever other processes create at the same time."""
        self._pool_here()
        if self._is_prepared:
            return
        with self._preparing:
            if self._is_prepared:
                return
            tables = [TABLES, DATABASE_PROPERTIES, TABLE_PROPERTIES, VIEWS, *([LOCKS] if self._has_locks else [])]
            probe = f"SELECT 1 FROM {', '.join(tables)} WHERE 1 = 0"
            if not self._run(lambda connection: self._has_tables(connection, probe), is_repeatable=True):
                if self._is_read_only:
                    raise CatalogError(
                        f"There is no catalog of Paimon in {self.address}: its tables are missing.",
                        "Open it without read_only once to create them.",
                    )
                for table in tables:
                    sql = creation(table, self.dialect.table_suffix, self._lock_length)
                    self._run(lambda connection, sql=sql: self._create(connection, sql), is_repeatable=True)  # type: ignore[misc]
            self._is_prepared = True

    def _has_tables(self, connection: Any, probe: str) -> bool:
        try:
            self._rows(connection, probe, ())
        except self.dialect.driver().Error as error:
            if self.dialect.is_missing_table(error):
                return False
            raise
        return True

    def _create(self, connection: Any, sql: str) -> None:
        try:
            self._cursor(connection, sql, ()).close()
        except self.dialect.driver().Error as error:
            # "IF NOT EXISTS" does not suffice: of two sessions of PostgreSQL that create a table at once, one fails.
            if not self.dialect.is_duplicate(error):
                raise

    # --- statements -----------------------------------------------------------------------------------------------

    def _cursor(self, connection: Any, sql: str, values: tuple[object, ...]) -> Any:
        cursor = connection.cursor()
        text = sql.replace("?", self.dialect.placeholder) if values else sql
        cursor.execute(text, values) if values else cursor.execute(text)
        return cursor

    def _rows(self, connection: Any, sql: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        cursor = self._cursor(connection, sql, values)
        rows = list(cursor.fetchall())
        cursor.close()
        return rows

    def _change(self, connection: Any, statements: tuple[Statement, ...]) -> list[int]:
        if len(statements) == 1:
            return [self._cursor(connection, *statements[0]).rowcount]
        self._cursor(connection, self.dialect.begin, ()).close()
        try:
            counts = [self._cursor(connection, *each).rowcount for each in statements]
            self._cursor(connection, "COMMIT", ()).close()
        except BaseException:
            if self.dialect.is_open(connection):
                self._cursor(connection, "ROLLBACK", ()).close()
            raise
        return counts

    # --- connections ----------------------------------------------------------------------------------------------

    def _run(self, work: Callable[[Any], Result], *, is_repeatable: bool) -> Result:
        """Run ``work`` with a connection. If it cannot be repeated, the connection is tried before."""
        pool = self._pool_here()
        with pool.places, waits.waiting(f"Waiting for {self.address}"):
            connection = pool.take()
            if connection is not None and is_repeatable:
                try:
                    return self._run_on(pool, connection, work)
                except _LostConnectionError:
                    # The server closed it while it was idle, and probably all others.
                    pool.close_idle()
                    connection = None
            elif connection is not None and not self._answers(connection):
                pool.close_idle()
                connection = None
            return self._run_on(pool, self._connect() if connection is None else connection, work)

    def _answers(self, connection: Any) -> bool:
        """Return whether the server still answers on an idle connection; close the connection if not."""
        try:
            with self.dialect.patience(connection):
                self._rows(connection, "SELECT 1", ())
        except self.dialect.driver().Error:
            self.dialect.close(connection)
            return False
        return True

    def _run_on(self, pool: _Pool, connection: Any, work: Callable[[Any], Result]) -> Result:
        try:
            with self.dialect.patience(connection):
                result = work(connection)
        except self.dialect.driver().Error as error:
            if self.dialect.is_open(connection):
                pool.idle.append(connection)
                self._refuse(error)
            self.dialect.close(connection)
            raise _LostConnectionError(
                f"The connection to {self.address} was lost: {self._cause(error)}.", "Check that the server runs."
            ) from error
        except BaseException:
            # Nothing is known about the state of the connection.
            self.dialect.close(connection)
            raise
        pool.idle.append(connection)
        return result

    def _pool_here(self) -> _Pool:
        """Return the connections of this process: those of the process that it was forked from belong to that one."""
        if self._pool.process != os.getpid():
            _ABANDONED.append(self._pool)
            self._pool, self._preparing = _Pool(self._size, self.dialect), threading.Lock()
        return self._pool

    def _connect(self) -> Any:
        driver = self.dialect.driver()
        try:
            return self.dialect.connect(self.url, is_read_only=self._is_read_only)
        except (driver.Error, OSError, ValueError, RuntimeError) as error:
            cause = self._cause(error)
            # Not chained: the error of the driver may contain the password.
            kind, hint = _meaning(cause)
            raise kind(f"Cannot connect to {self.address}: {cause}.", hint) from None

    def _refuse(self, error: Exception) -> NoReturn:
        cause, kind, hint = self._cause(error), CatalogError, None
        if self.dialect.is_duplicate(error):
            kind = DuplicateRowError
        elif self.dialect.is_conflict(error):
            kind = StatementConflictError
        elif "database is locked" in cause:
            kind, hint = NoAnswer, "Another program is writing to the file. End it, or wait until it is done."
        raise kind(f"{self.address} refused a statement: {cause}.", hint) from error

    def _cause(self, error: Exception) -> str:
        """Return the message of a driver, in one line and without the password, however short that is."""
        last = error.args[-1] if len(error.args) == 2 else error
        text = without_credentials(" ".join(str(last).split())).rstrip(".")
        return text.replace(self.url.password, HIDDEN) if self.url.password else text


class _Pool:
    """Connections that are idle, and places for those in use."""

    def __init__(self, size: int, dialect: Dialect) -> None:
        self.process = os.getpid()
        self.places = threading.BoundedSemaphore(size)
        self.idle: deque[Any] = deque()
        self._dialect = dialect
        weakref.finalize(self, _close_all, self.process, self.idle, dialect)

    def take(self) -> Any:
        """Return an idle connection; None if there is none."""
        try:
            return self.idle.pop()
        except IndexError:
            return None

    def close_idle(self) -> None:
        """Close the idle connections."""
        _close_all(self.process, self.idle, self._dialect)


# Connections that were opened before this process was forked. Closing them here would disturb the other process.
_ABANDONED: list[_Pool] = []
_KNOWN: weakref.WeakValueDictionary[frozenset[tuple[str, str]], Database] = weakref.WeakValueDictionary()
_KNOWN_LOCK = threading.Lock()


def database_for(options: Mapping[str, str]) -> Database:
    """Return the database of a catalog: one for all catalogs with these options in this process, while it is in use.

    Raises:
        CatalogError: As for `Database`.
    """
    key = frozenset(options.items())
    with _KNOWN_LOCK:
        found = _KNOWN.get(key)
        if found is None:
            found = _KNOWN[key] = Database(options)
        return found


def uses_lock(options: Mapping[str, str]) -> bool:
    """Return whether the writers of a catalog lock tables: by default if its warehouse is in an object store, where
    Java's writers need it."""
    given = options.get("lock.enabled")
    if given is None:
        return is_object_store(options.get("warehouse", ""))
    return bool(parse_option("lock.enabled", "bool", given))


def _close_all(process: int, connections: deque[Any], dialect: Dialect) -> None:
    while connections and process == os.getpid():
        dialect.close(connections.pop())


def _meaning(cause: str) -> tuple[type[CatalogError], str]:
    """Return what it means that a connection could not be opened, and what to do. Only a database that may be reached
    later does not answer."""
    lower = cause.lower()
    if "package is required" in lower:
        return CatalogError, "Run: pip install 'paimon-workbench[jdbc]'."
    if "authentication" in lower or "access denied" in lower or "password" in lower:
        return CatalogError, "Check the options 'jdbc.user' and 'jdbc.password'."
    if "does not exist" in lower or "unknown database" in lower:
        return CatalogError, "Create the database, or correct the option 'uri'."
    if "unable to open" in lower:
        return NoAnswer, "Create the directory of the file, or correct the option 'uri'."
    return NoAnswer, "Check that the server runs, and that the option 'uri' names it."
