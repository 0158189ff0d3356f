"""What users see on the shell and in cells of a storage that is slow, and of one that does not answer."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import workbench as wb
from tests.stores.proxy import Proxy, proxied
from tests.stores.servers import SERVERS, RunningStore

pytestmark = [
    pytest.mark.long,
    pytest.mark.parametrize("store", SERVERS[:1], ids=lambda server: server.name, indirect=True),
]
SLOW_SECONDS = 0.7
ERROR_SECONDS = 10


@pytest.fixture
def proxy(store: RunningStore) -> Iterator[Proxy]:
    with proxied(store.port) as proxy:
        yield proxy


@pytest.fixture
def table(catalog: wb.FileSystemCatalog) -> wb.Table:
    """A table that its storage answers for directly."""
    table = catalog.create_table("shop.t", {"id": "BIGINT NOT NULL"}, primary_key="id", options={"bucket": "1"})
    table.write([{"id": 1}])
    return table


def _on_terminal(*arguments: str) -> tuple[int, str]:
    """Run Python in a terminal; return the exit code and everything that it wrote there."""
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [sys.executable, *arguments])
    written = bytearray()
    try:
        while block := os.read(terminal, 4096):
            written += block
    except OSError:
        # Linux reports the end of the last process of a terminal as an error.
        pass
    finally:
        os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), written.decode()


def test_the_shell(store: RunningStore, proxy: Proxy, warehouse: str, table: wb.Table) -> None:
    options = [f"--option={key}={value}" for key, value in store.options_behind(proxy.port).items()]
    command = ["-m", "workbench.cli", "health", warehouse, table.name, *options]
    proxy.delay = SLOW_SECONDS / 4
    code, shown = _on_terminal(*command)
    assert re.search(r"Waiting for s3://lake: \d+ s", shown)
    assert "\x1b[Kshop.t: " in shown, "the result begins where the line was"
    assert code == 0
    with proxy.dead():
        code, shown = _on_terminal(*command)
    assert f"The storage 127.0.0.1:{proxy.port} does not answer" in shown
    assert "Traceback" not in shown
    assert code == 1


def test_cells(store: RunningStore, proxy: Proxy, warehouse: str, table: wb.Table) -> None:
    options = store.options_behind(proxy.port)
    connect = " ".join(f"{key}={value}" for key, value in options.items())
    cells = [
        f"%load_ext workbench\n%paimon connect {warehouse} {connect}\n%paimon use shop",
        f"import workbench as wb\ncatalog = wb.connect({warehouse!r}, **{options!r})",
        "len(catalog.get_table('shop.t').snapshots())",
        "%%paimon\nSELECT count(*) AS n FROM t",
        "catalog.list_databases()",
        "%paimon databases",
        "%%paimon\nINSERT INTO t VALUES (2)",
    ]
    ran = _Notebook(cells, proxy)
    ran.run()
    assert "Waiting for s3://lake: " in ran.updates[2]
    assert ran.updates[2].count("s3://lake") < 20, "at most two updates a second"
    # The outputs are those of a fast storage.
    assert [each.get("text", each.get("data", {}).get("text/plain")) for each in ran.outputs(2)] == ["", "1"]
    assert "paimon-job" in ran.updates[3]
    assert "Waiting for" not in ran.updates[3], "the card shows the work"
    for cell in (4, 5, 6):
        (error,) = (each for each in ran.outputs(cell) if each.output_type == "error")
        assert f"The storage 127.0.0.1:{proxy.port} does not answer" in error.evalue
        assert ran.seconds[cell] < ERROR_SECONDS
    assert len(ran.outputs(5)[-1].traceback) == 1, "one line"
    assert [row["id"] for row in table.to_arrow().to_pylist()] == [1]


class _Notebook(NotebookClient):
    """Runs cells: the third and fourth on a slow storage, those after them without it."""

    def __init__(self, cells: list[str], proxy: Proxy) -> None:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        super().__init__(notebook, timeout=120, kernel_name="python3", allow_errors=True)
        self._proxy = proxy
        self.updates = [""] * len(cells)
        self.seconds = [0.0] * len(cells)
        self.on_cell_start = self._prepare
        self.on_cell_executed = self._note_time

    def run(self) -> None:
        """Run all cells."""
        try:
            self.execute()
        except CellExecutionError as error:
            raise AssertionError(str(error)) from None
        finally:
            if not self._proxy.is_listening:
                self._proxy.start()

    def outputs(self, cell: int) -> list[Any]:
        """Return the outputs of a cell after it ended."""
        return list(self.nb.cells[cell].outputs)

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        """Keep what the cell showed while it ran."""
        if msg["msg_type"] in ("display_data", "update_display_data"):
            self.updates[cell_index] += json.dumps(msg["content"]) + "\n"
        return super().process_message(msg, cell, cell_index)

    def _prepare(self, cell: Any, cell_index: int) -> None:  # noqa: ARG002
        self._proxy.delay = SLOW_SECONDS if cell_index in (2, 3) else 0.0
        if cell_index == 4:
            self._proxy.stop()
        self.seconds[cell_index] = -time.monotonic()

    def _note_time(self, cell: Any, cell_index: int, execute_reply: Any) -> None:  # noqa: ARG002
        self.seconds[cell_index] += time.monotonic()
