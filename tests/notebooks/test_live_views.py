"""Live views in real kernels: the output of nbconvert, and a picture that follows a write in another cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient
from nbconvert import HTMLExporter, LatexExporter

VIEW_MIME = "application/vnd.jupyter.widget-view+json"
STATE_MIME = "application/vnd.jupyter.widget-state+json"

CONNECT = """
import workbench as wb
%load_ext workbench
%paimon connect {warehouse}
"""
CREATE = """
%%paimon
CREATE DATABASE shop;
CREATE TABLE shop.orders (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) TBLPROPERTIES ('bucket' = '1');
INSERT INTO shop.orders VALUES (1), (2), (3)
"""
OPEN = "catalog = wb.connect({warehouse!r})\norders = catalog.get_table('shop.orders')"

BUSY = """
import time
orders.write([{'id': 5}])
end = time.monotonic() + 10
while view._widget.value["snapshot"] != "3" and time.monotonic() < end:
    time.sleep(0.1)
"""


def notebook(warehouse: Path, *cells: str) -> Any:
    page = nbformat.v4.new_notebook()
    begin = (CONNECT.format(warehouse=warehouse), CREATE, OPEN.format(warehouse=str(warehouse)))
    page.cells = [nbformat.v4.new_code_cell(text.strip()) for text in (*begin, *cells)]
    return page


def as_page(document: Any) -> str:
    page, _ = HTMLExporter().from_notebook_node(document)
    return str(page)


def test_nbconvert_shows_the_static_picture(tmp_path: Path) -> None:
    book = notebook(tmp_path, "wb.levels(orders)", "wb.timeline(orders)", "wb.explore(catalog)", "wb.levels(orders, 9)")
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    assert STATE_MIME not in book.metadata.get("widgets", {})
    page = as_page(book)
    assert "Inserted 3 rows into shop.orders: snapshot 1." in page
    assert page.count('class="wb-levels"') == 2
    assert page.count('class="wb-timeline"') == 1
    assert "Databases and tables of" in page
    assert "widget-view" not in page
    assert "Traceback" not in page


def test_a_printed_notebook_has_the_pictures(tmp_path: Path) -> None:
    """LaTeX, from which nbconvert makes PDF, shows the PNG of a view instead of its HTML, or its text without one."""
    views = ("wb.levels(orders)", "wb.timeline(orders)", "wb.summary(orders)")
    book = notebook(tmp_path, *views, "wb.explore(catalog)", "%paimon levels shop.orders")
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    shown = [cell.outputs[-1] for cell in book.cells[-5:]]
    assert [("image/png" in output.data) for output in shown] == [True, True, True, False, True]
    assert all(output.metadata["image/png"]["width"] == 784 for output in shown if "image/png" in output.data)
    page, resources = LatexExporter().from_notebook_node(book)
    assert page.count(r"\adjustimage") == len(resources["outputs"]) == 4
    assert all(content.startswith(b"\x89PNG\r\n") for content in resources["outputs"].values())
    assert "Databases and tables of" in page


class Kernel:
    """A kernel whose client accepts input, as a browser's does."""

    def __init__(self, directory: Path) -> None:
        self.manager, self.client = start_new_kernel(cwd=str(directory))
        self.models: dict[str, dict[str, Any]] = {}
        self.errors: list[str] = []

    def run(self, source: str) -> list[dict[str, Any]]:
        """The outputs of a cell."""
        outputs: list[dict[str, Any]] = []
        reply = self.client.execute_interactive(
            source.strip(),
            timeout=60,
            allow_stdin=True,
            stdin_hook=pytest.fail,
            output_hook=lambda message: self._take(message, outputs),
        )
        assert reply["content"]["status"] == "ok", source
        return outputs

    def listen_until(self, true: Callable[[], bool], seconds: float = 10) -> None:
        """Receive messages of the kernel while no cell runs, until a condition is true."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, "timed out"
            try:
                self._take(self.client.get_iopub_msg(timeout=0.1), [])
            except Empty:
                continue

    def _take(self, message: dict[str, Any], outputs: list[dict[str, Any]]) -> None:
        content = message["content"]
        if message["msg_type"] in ("execute_result", "display_data"):
            outputs.append(content["data"])
        elif message["msg_type"] in ("comm_open", "comm_msg") and "state" in content["data"]:
            self.models.setdefault(content["comm_id"], {}).update(content["data"]["state"])
        elif message["msg_type"] == "stream" and content["name"] == "stderr":
            self.errors.append(content["text"])

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    running = Kernel(tmp_path)
    module = tmp_path / "views.js"
    module.write_text("export default { render() {} };\n")
    running.run(f"import pathlib, workbench.notebook.widget as w; w.MODULE = pathlib.Path({str(module)!r})")
    yield running
    running.close()


def test_a_picture_follows_a_write_of_another_cell(kernel: Kernel, tmp_path: Path) -> None:
    warehouse = tmp_path / "warehouse"
    for cell in notebook(warehouse).cells:
        kernel.run(cell.source)
    (shown,) = kernel.run("view = wb.levels(orders)\nview")
    assert "<svg" in shown["text/html"]
    model = kernel.models[shown[VIEW_MIME]["model_id"]]
    assert model["value"]["snapshot"] == "1"
    kernel.run("%%paimon\nINSERT INTO shop.orders VALUES (4)")
    kernel.listen_until(lambda: model["value"]["snapshot"] == "2")
    # The picture also follows writes of a cell that is still running.
    kernel.run(BUSY)
    assert model["value"]["snapshot"] == "3"
    kernel.run("import shutil\nshutil.rmtree(orders.location)")
    kernel.listen_until(lambda: bool(model["error"]))
    assert model["error"]["code"] == "table_not_found"
    assert model["value"]["snapshot"] == "3"
    assert kernel.errors == []


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.long
def test_a_notebook_with_live_outputs_converts(kernel: Kernel, tmp_path: Path, saved: bool) -> None:
    """A page shows widgets if JupyterLab saved their state, which it does on demand only, or else static pictures."""
    book = notebook(tmp_path / "warehouse", "wb.levels(orders)")
    for cell in book.cells:
        outputs = kernel.run(cell.source)
        cell.outputs = [nbformat.v4.new_output("display_data", data) for data in outputs]
    (shown,) = book.cells[-1].outputs
    model_id = shown.data[VIEW_MIME]["model_id"]
    if saved:
        state = kernel.models[model_id]
        models = {
            model_id: {
                "model_name": state["_model_name"],
                "model_module": state["_model_module"],
                "model_module_version": state["_model_module_version"],
                "state": state,
            }
        }
        book.metadata["widgets"] = {STATE_MIME: {"version_major": 2, "version_minor": 0, "state": models}}
    nbformat.validate(book)
    page = as_page(book)
    assert ('class="wb-levels"' in page) is not saved
    assert (f'"model_id": "{model_id}"' in page) is saved
