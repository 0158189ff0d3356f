"""The departures board in motion: a thread that commits the next minutes until it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.base.errors import CommitConflict
from workbench.demo.board import advance_board

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.commits.commit import Commit

Listener = Callable[["Commit"], None]


class BoardStream:
    """A running stream into the departures board. Open the table's page, or `wb.levels(board)`, to watch it.

    Args:
        catalog: The catalog of the demo.
        seconds: The pause between two commits. Each commit is five minutes of the board's day.
        listener: Called with each commit, in the thread of the stream.
    """

    def __init__(self, catalog: Catalog, seconds: float = 1.0, listener: Listener | None = None) -> None:
        self._catalog = catalog
        self._seconds = seconds
        self._listener = listener
        self._stopped = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="paimon-demo-stream", daemon=True)
        self._thread.start()

    def __enter__(self) -> BoardStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return "BoardStream(running; stop it with .stop())" if self.running else "BoardStream(stopped)"

    @property
    def running(self) -> bool:
        """Whether the stream is still committing."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop after the current commit. A failure that ended the stream is raised here."""
        self._stopped.set()
        self.wait()

    def wait(self) -> None:
        """Wait until the stream ends. A failure that ended it is raised here."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            while not self._stopped.wait(self._seconds):
                self._commit()
        except Exception as failure:  # noqa: BLE001 - it is raised in the thread that stops the stream
            self._failure = failure

    def _commit(self) -> None:
        try:
            commits = advance_board(self._catalog)
        except CommitConflict:
            # A compaction of the same files was committed first; the rows are written, or will be by the next commit.
            return
        if self._listener is not None:
            for commit in commits:
                self._listener(commit)


def stream_board(catalog: Catalog, seconds: float = 1.0) -> BoardStream:
    """Start a stream of small commits into the departures board, and return it; `BoardStream.stop` ends it."""
    return BoardStream(catalog, seconds)
