"""Connections to DuckDB: one for each query, without access to files, within a memory limit, and interruptible."""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression, WorkbenchError
from workbench.base.progress import Progress
from workbench.base.session import session_options
from workbench.sql.engines.duckdb_macros import macros
from workbench.sql.engines.tables import Stream
from workbench.sql.translate.values import ERROR_MARK, SPARK_MARK, NotTranslated

if TYPE_CHECKING:
    import duckdb

_CHECK_SECONDS = 0.05
_CONDITIONS = {
    "OutOfRangeException": ("ARITHMETIC_OVERFLOW", "A value is out of the range of its type."),
    "ConversionException": ("CAST_OVERFLOW", "A value cannot be converted to the type."),
}


def require_duckdb() -> Any:
    """Return the module.

    Raises:
        WorkbenchError: If DuckDB is not installed.
    """
    try:
        import duckdb
    except ImportError as error:
        raise WorkbenchError("DuckDB is not installed.", "Run: pip install 'paimon-workbench[lab]'.") from error
    return duckdb


@contextmanager
def connection(progress: Progress) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection that is closed at the end, and interrupted when the work is canceled."""
    library = require_duckdb()
    with tempfile.TemporaryDirectory(prefix="workbench-duckdb-") as spill:
        settings = {
            "memory_limit": f"{_memory_megabytes()}MB",
            "temp_directory": spill,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        with library.connect(":memory:", config=settings) as opened:
            opened.execute(f"SET TimeZone = '{session_options.timezone}'")
            opened.execute("SET python_enable_replacements = false")
            # In notebooks, DuckDB shows a bar of its own, which stays above the result.
            opened.execute("SET enable_progress_bar = false")
            for macro in macros(session_options.timezone):
                opened.execute(macro)
            opened.execute("SET enable_external_access = false")
            opened.execute("SET lock_configuration = true")
            with _interrupted_by(progress, opened):
                yield opened


def _memory_megabytes() -> int:
    """Return half of the machine's memory."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (ValueError, OSError, AttributeError):
        return 2048
    return max(512, physical // 2)


@contextmanager
def _interrupted_by(progress: Progress, opened: duckdb.DuckDBPyConnection) -> Iterator[None]:
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_CHECK_SECONDS):
            if progress.cancelled:
                opened.interrupt()

    watcher = threading.Thread(target=watch, name="workbench-duckdb", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def fetch(opened: duckdb.DuckDBPyConnection, text: str, streams: Mapping[str, Stream], progress: Progress) -> pa.Table:
    """Return the rows of a query over the streams, which are registered by their names.

    Raises:
        Cancelled: If the work was canceled.
        NotTranslated: If DuckDB treats a value differently than Spark.
        InvalidExpression: If the query raises an error.
    """
    for name, stream in streams.items():
        opened.register(name, stream)
    library = require_duckdb()
    try:
        rows: pa.Table = opened.sql(text).to_arrow_table()
    except library.Error as error:
        progress.check()
        for stream in streams.values():
            if stream.error is not None:
                raise stream.error from error
        raise _meaning(error) from error
    return rows


def _meaning(error: Exception) -> WorkbenchError:
    """Return what an error of DuckDB means to a user of Spark's SQL."""
    message = str(error)
    if SPARK_MARK in message:
        construct, _, reason = message.partition(SPARK_MARK)[2].splitlines()[0].partition("|")
        return NotTranslated(construct, reason)
    if ERROR_MARK in message:
        return InvalidExpression(message.partition(ERROR_MARK)[2].splitlines()[0])
    kind = type(error).__name__
    first = message.splitlines()[0] if message else kind
    if kind == "OutOfMemoryException":
        return WorkbenchError("The query needs more memory than DuckDB may use.", "Use --engine spark.")
    if "more than one row" in first.lower():
        return InvalidExpression("[SCALAR_SUBQUERY_TOO_MANY_ROWS] A scalar subquery returned more than one row.")
    if kind in _CONDITIONS:
        condition, sentence = _CONDITIONS[kind]
        if "DECIMAL" in first.upper():
            condition = "NUMERIC_VALUE_OUT_OF_RANGE"
        elif condition == "ARITHMETIC_OVERFLOW" and re.search(r"INT(8|16)\b", first):
            condition = "BINARY_ARITHMETIC_OVERFLOW"
        return InvalidExpression(f"[{condition}] {sentence}")
    return NotTranslated("The query", f"DuckDB does not run its translation ({first})")
