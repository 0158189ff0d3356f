"""Run the benchmarks: ``python -m tests.benchmarks [names…]``, names as ``--list`` shows them or shell patterns.

Peers are installed in separate environments below ``.peers``, which are created when they are missing.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.benchmarks.cases import CASES, Case, Setting
from tests.benchmarks.measure import Comparison, compare
from tests.benchmarks.remote import remote_warehouse
from tests.benchmarks.report import Line, line, write_remote_report, write_report
from tests.interop.provision import peer_python

PROJECT = Path(__file__).resolve().parents[2]
PAGES = PROJECT / "docs" / "generated"


def main() -> None:
    arguments = _arguments()
    chosen = _chosen(arguments.names, arguments.part, arguments.large)
    if arguments.list:
        print("\n".join(f"{case.name:32} {case.title}" for case in CASES))
        return
    # No run profits from copies that an earlier one has left on the disk.
    os.environ["PAIMON_WORKBENCH_DISK_CACHE"] = ""
    directory = arguments.directory.resolve() / f"{arguments.scale:g}"
    if not arguments.keep:
        shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)
    tables = [table for case in chosen for table in (case.table, *(name for _, name in case.needs)) if table]
    for table in dict.fromkeys(tables):
        _make_rows(directory, table, arguments.scale)
    setting = Setting(directory, arguments.scale, arguments.runs, functools.cache(peer_python))
    local = [_run(case, setting, arguments.rounds) for case in chosen if not case.remote]
    remote = _run_remote([case for case in chosen if case.remote], setting, arguments.rounds)
    if not arguments.keep:
        shutil.rmtree(directory)
    missed = [each for each in (*local, *remote) if each.missed]
    print(f"\n{len(chosen)} benchmarks, {len(missed)} past their bounds" + "".join(f"\n  {each}" for each in missed))
    if not arguments.names and arguments.scale == 1:
        if local:
            write_report(PAGES / "benchmarks.md", local, setting.python_of)
        if remote:
            write_remote_report(PAGES / "remote-benchmarks.md", remote, setting.python_of)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="which benchmarks; all without names")
    parser.add_argument("--part", choices=["local", "remote"], help="one part only: on this disk, or on a store")
    parser.add_argument("--list", action="store_true", help="list the names")
    parser.add_argument("--large", action="store_true", help="also those of tens of millions of rows")
    parser.add_argument("--rounds", type=int, default=3, help="pairs of processes for each benchmark")
    parser.add_argument("--runs", type=int, default=3, help="runs inside a process, after one to warm up")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full row numbers, to try things out")
    parser.add_argument("--keep", action="store_true", help="use the tables of an earlier run, and keep them")
    parser.add_argument(
        "--directory", type=Path, default=PROJECT / ".cache" / "benchmarks", help="where tables are written"
    )
    return parser.parse_args()


def _chosen(names: Sequence[str], part: str | None, large: bool) -> list[Case]:
    cases = [case for case in CASES if part in (None, "remote" if case.remote else "local")]
    if not names:
        return [case for case in cases if large or not case.optional]
    chosen = [case for case in cases if any(fnmatch.fnmatch(case.name, name) for name in names)]
    if not chosen:
        raise SystemExit("There is no such benchmark; --list shows the names.")
    return chosen


def _run(case: Case, setting: Setting, rounds: int) -> Line:
    for engine, table in case.needs:
        _provide(setting, engine, table)
    theirs = case.theirs(setting) if case.theirs else None
    comparison: Comparison = compare(case.ours(setting), theirs, case.rounds or rounds)
    result = line(case, comparison)
    print(result, flush=True)
    return result


def _run_remote(cases: Sequence[Case], setting: Setting, rounds: int) -> list[Line]:
    """Run cases on a store; their tables are made on this disk and copied. One run is enough: the delay decides."""
    if not cases:
        return []
    with remote_warehouse() as warehouse:
        needed = dict.fromkeys((engine, table, case.remote) for case in cases for engine, table in case.needs)
        for engine, table, folders in needed:
            _provide(setting, engine, table)
            warehouse.copy(setting.directory / engine / "db.db" / table, folders)
        setting = replace(setting, remote=warehouse, runs=1)
        return [_run(case, setting, rounds) for case in cases]


def _make_rows(directory: Path, table: str, scale: float) -> None:
    """Use a separate process: all processes that this one starts would inherit its peak memory."""
    subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.rows", str(directory), table, str(scale)], check=True, cwd=PROJECT
    )


def _provide(setting: Setting, engine: str, table: str) -> None:
    """Have an engine write a table, unless it has already done so."""
    home = setting.directory / engine
    done = home / f"{table}.done"
    if not done.exists():
        home.mkdir(exist_ok=True)
        shutil.rmtree(home / "db.db" / table, ignore_errors=True)
        setting.worker(engine, "make", table=table).measure()
        done.touch()


if __name__ == "__main__":
    main()
