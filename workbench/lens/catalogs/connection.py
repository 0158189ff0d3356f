"""Opening a catalog that nothing is known of: its service may not answer for a long time, or at all."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from workbench.base.errors import CatalogError
from workbench.base.progress import Progress
from workbench.base.secrets import without_credentials
from workbench.catalog.connect import connect
from workbench.catalog.kinds import kind_of

Result = TypeVar("Result")

TEST_SECONDS = 30.0
_CHECK_SECONDS = 0.05


@dataclass(frozen=True)
class ConnectionValue:
    """A catalog that could be opened: where it is, and how many databases it has."""

    address: str
    databases: int


def check_connection(
    options: Mapping[str, str], progress: Progress, seconds: float | None = TEST_SECONDS
) -> ConnectionValue:
    """Open a catalog and list its databases.

    Args:
        options: Paimon's catalog options.
        progress: Stops the waiting when it is cancelled.
        seconds: How long to wait; None to wait until it is cancelled.

    Raises:
        CatalogError: A required option is missing, the catalog cannot be opened, or does not answer in time.
        Cancelled: The waiting was cancelled.
    """

    def opened() -> ConnectionValue:
        kind_of(options).check(options)
        catalog = connect(options)
        return ConnectionValue(without_credentials(catalog.metastore.address), len(catalog.list_databases()))

    return _waited_for(opened, progress, seconds)


def _waited_for(work: Callable[[], Result], progress: Progress, seconds: float | None) -> Result:
    """Return the result of work on another thread. The thread is left behind if the wait ends first: a driver that
    waits for a service cannot be interrupted."""
    result: Future[Result] = Future()
    done = threading.Event()

    def run() -> None:
        try:
            result.set_result(work())
        except Exception as error:  # noqa: BLE001 - raised again where it is waited for
            result.set_exception(error)
        done.set()

    deadline = None if seconds is None else time.monotonic() + seconds
    threading.Thread(target=run, name="connection", daemon=True).start()
    while not done.wait(_CHECK_SECONDS):
        progress.check()
        if deadline is not None and time.monotonic() > deadline:
            raise CatalogError(
                f"The catalog did not answer within {seconds:g} seconds.",
                "Check its address, and that the machine of the Jupyter server can reach it.",
            )
    return result.result()
