"""The cards of long statements in a saved notebook: results take their places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

# Each statement takes long enough for a card.
SLOW = """
%load_ext workbench
import time
from workbench.notebook.cells import script
from workbench.notebook.jobs import watched

run, watched._SHOW_AFTER_SECONDS = script.execute, 0

def slow(*given):
    time.sleep(0.4)
    return run(*given)

script.execute = slow
"""
ASSIGNED = "kept = get_ipython().run_cell_magic('paimon', '', 'SELECT 3 AS three')"


def texts(cell: Any) -> list[str]:
    return [each.data["text/plain"] for each in cell.outputs if "data" in each]


def test_results_take_the_places_of_cards(tmp_path: Path) -> None:
    cells = (
        SLOW,
        f"%paimon connect {tmp_path}",
        "%%paimon --out answer\nSELECT 1 AS one;\nSELECT 2 AS two",
        "print(_ is answer, Out[3] is answer)\nanswer",
        ASSIGNED,
        "kept",
        f"{ASSIGNED}\nkept",
        "%%paimon\nSELECT nothing FROM nowhere",
    )
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text.strip()) for text in cells])
    NotebookClient(book, timeout=120, kernel_name="python3", allow_errors=True).execute()
    _, _, two, again, assigned, kept, shown, failed = book.cells
    first, second = texts(two)
    assert ("one" in first, "two" in second) == (True, True)
    assert again.outputs[0].text == "True True\n"
    assert "two" in again.outputs[1].data["text/plain"]
    # Nothing fills the output of a result that the cell keeps to itself; a later cell shows it in its own output.
    assert texts(assigned) == [""]
    for cell in (kept, shown):
        (text,) = texts(cell)
        assert "three" in text
    (card,) = texts(failed)
    assert card.startswith("Failed · ")
    assert failed.outputs[1].output_type == "error"
    nbformat.validate(book)
