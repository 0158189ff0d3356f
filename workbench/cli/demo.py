"""``paimon-workbench demo``: a warehouse of real data, and a notebook about it in JupyterLab."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import workbench as wb
from workbench.base.errors import WorkbenchError
from workbench.base.progress import Progress
from workbench.cli.command import Command
from workbench.cli.lab import DemoFolder, check_jupyterlab, run_jupyterlab
from workbench.demo.board import time_of
from workbench.demo.build import build
from workbench.demo.local import ArrowLoader
from workbench.demo.stream import BoardStream
from workbench.demo.tables import BOARD, DATABASE, FLIGHTS, State, state_of
from workbench.demo.terminal import ProgressLine

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.commits.commit import Commit

_FOLDER = "paimon-demo"
_DESCRIPTION = """\
Create a warehouse from real data and open JupyterLab on a quickstart notebook about it.

The tables hold the flights that left New York in 2013, with the history of a lake: upserts, deletes, compactions, tags,
a branch, a new column, an overwrite, a rollback and a consumer. This takes some seconds and needs neither Spark nor a
network. Everything is written to one folder; an existing demo in it is opened again."""
_EPILOG = """\
examples:
  paimon-workbench demo                     open JupyterLab on the demo in ./paimon-demo
  paimon-workbench demo --stream            and let the departures board change every second
  paimon-workbench demo --no-lab --stream   only the stream, while JupyterLab runs elsewhere
  paimon-workbench demo -- --no-browser     do not open a browser
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--folder", type=Path, default=Path(_FOLDER), help=f"where to write (default: ./{_FOLDER})")
    parser.add_argument("--warehouse", type=Path, help="where to write the tables (default: warehouse in FOLDER)")
    parser.add_argument("--fresh", action="store_true", help="build the tables and the notebook again")
    parser.add_argument("--stream", action="store_true", help=f"commit to {BOARD.full_name} until it is stopped")
    parser.add_argument("--no-lab", action="store_true", help="do not open JupyterLab")
    parser.add_argument("--port", type=int, help="port of JupyterLab")
    parser.add_argument("jupyter", nargs="*", metavar="ARGUMENT", help="passed to JupyterLab; write '--' before them")


def _run(given: argparse.Namespace) -> int:
    if not given.no_lab:
        check_jupyterlab()
    root = given.folder.expanduser().absolute()
    folder = DemoFolder(root, (given.warehouse or root / "warehouse").expanduser().absolute())
    catalog = _prepare(folder, given.fresh)
    with BoardStream(catalog, listener=_Printer(catalog)) if given.stream else nullcontext() as stream:
        if not given.no_lab:
            print("Starting JupyterLab. Press Ctrl-C to stop it.", flush=True)
            port = [] if given.port is None else [f"--port={given.port}"]
            return run_jupyterlab(folder, [*port, *given.jupyter])
        _show_use(folder)
        if stream:
            print(f"Streaming into {BOARD.full_name}. Press Ctrl-C to stop.", flush=True)
            stream.wait()
    return 0


def _prepare(folder: DemoFolder, fresh: bool) -> Catalog:
    folder.warehouse.mkdir(parents=True, exist_ok=True)
    catalog = wb.connect(folder.warehouse)
    state = state_of(catalog)
    if state is State.FOREIGN:
        raise WorkbenchError(
            f"{folder.warehouse} has a database '{DATABASE}' that is not this demo's.", "Choose another one."
        )
    if state is State.UNFINISHED or (fresh and state is not State.ABSENT):
        catalog.drop_database(DATABASE, cascade=True)
    if fresh or state is not State.WHOLE:
        print(f"Creating the tables of the demo in {folder.warehouse}.", flush=True)
        build(catalog, ArrowLoader(), progress=Progress(ProgressLine(sys.stdout)))
    folder.prepare(fresh)
    return catalog


def _show_use(folder: DemoFolder) -> None:
    print(f"The demo is in {folder.root}. Open it in Python:\n    import workbench as wb")
    print(f"    flights = wb.connect({str(folder.warehouse)!r}).get_table({FLIGHTS.full_name!r})", flush=True)


@dataclass(frozen=True)
class _Printer:
    catalog: Catalog

    def __call__(self, commit: Commit) -> None:
        time = time_of(self.catalog.get_table(BOARD.full_name))
        ids = ", ".join(str(snapshot.id) for snapshot in commit.snapshots)
        print(f"{time:%H:%M}  snapshot {ids}", flush=True)


DEMO = Command("demo", "open JupyterLab on a warehouse of real data", _DESCRIPTION, _add_arguments, _run)
