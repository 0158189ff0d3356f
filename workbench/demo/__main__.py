"""``python -m workbench.demo [WAREHOUSE]``: builds the demo warehouse once and shows its contents."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import workbench as wb
from workbench.base.errors import WorkbenchError
from workbench.base.progress import Progress
from workbench.demo.plan import LAST_MONTH
from workbench.demo.tables import DATABASE, FLIGHTS, State, state_of
from workbench.demo.terminal import ProgressLine

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

_STOPPED_BY_USER = 130
_FRESH = "--fresh (make demo FRESH=1)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    given = _parser().parse_args(arguments)
    warehouse = Path(given.warehouse).expanduser().absolute()
    try:
        _run(warehouse, given.months, given.fresh)
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nStopped. Start over with {_FRESH}.", file=sys.stderr)
        return _STOPPED_BY_USER
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m workbench.demo",
        description="Load the flights that left New York in 2013 into Paimon tables with Spark, and show the result.",
    )
    parser.add_argument("warehouse", nargs="?", default="demo-warehouse", help="directory (default: ./demo-warehouse)")
    parser.add_argument(
        "--fresh", action="store_true", help=f"drop the database '{DATABASE}' of the demo and build it again"
    )
    parser.add_argument(
        "--months",
        type=int,
        choices=range(1, LAST_MONTH + 1),
        default=LAST_MONTH,
        metavar="N",
        help="load only the last N months of the year (default: all 12)",
    )
    return parser


def _run(warehouse: Path, months: int, fresh: bool) -> None:
    from workbench.demo.report import report

    warehouse.mkdir(parents=True, exist_ok=True)
    catalog = wb.connect(warehouse)
    state = state_of(catalog)
    if state is State.FOREIGN:
        raise WorkbenchError(f"{warehouse} has a database '{DATABASE}' that is not this demo's.", "Choose another one.")
    if state is State.UNFINISHED and not fresh:
        raise WorkbenchError(f"The demo in {warehouse} is unfinished.", f"Start over with {_FRESH}.")
    if fresh and state is not State.ABSENT:
        catalog.drop_database(DATABASE, cascade=True)
    if state is State.WHOLE and not fresh:
        print(f"The demo already exists in {warehouse}. Rebuild it with {_FRESH}.\n")
    else:
        _build(catalog, months)
    print(report(catalog))
    print("\nContinue in Python:\n    import workbench as wb")
    print(f"    flights = wb.connect({str(warehouse)!r}).get_table({FLIGHTS.full_name!r})")


def _build(catalog: Catalog, months: int) -> None:
    from workbench.demo.pipeline import build

    # PySpark prints this in the middle of the progress line, but the demo does not use pandas.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    print(f"Starting Spark. The tables are written to {catalog.warehouse}.", flush=True)
    session = wb.spark.new_session("workbench demo", config={"spark.log.level": "ERROR"})
    try:
        build(catalog, session, months, Progress(ProgressLine(sys.stdout)))
    finally:
        session.stop()
    print()


if __name__ == "__main__":
    sys.exit(main())
