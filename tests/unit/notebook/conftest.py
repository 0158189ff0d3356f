from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from workbench.notebook.extension import load_ipython_extension, unload_ipython_extension


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A separate shell with the extension loaded and a warehouse of one table open."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    # The file of a history is removed before the shell closes it, which is at the end of the process.
    new_shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    load_ipython_extension(new_shell)
    new_shell.run_line_magic("paimon", f"connect {tmp_path}/warehouse")
    new_shell.run_cell_magic(
        "paimon",
        "",
        "CREATE DATABASE shop; USE shop;"
        "CREATE TABLE orders (id BIGINT, item STRING, PRIMARY KEY (id) NOT ENFORCED) TBLPROPERTIES ('bucket' = '1');"
        "INSERT INTO orders VALUES (1, 'pen'), (2, 'ink'), (3, NULL)",
    )
    yield new_shell
    unload_ipython_extension(new_shell)


@pytest.fixture(autouse=True)
def _without_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide a Spark session that another test of this process may have started, because writes would run on it."""
    monkeypatch.setattr("workbench.sql.engines.choice.session_is_up", lambda: False)
