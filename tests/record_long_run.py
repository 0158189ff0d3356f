"""Run the long tests except those with a separate target, and record the outcome in docs/generated/long-tests.md.

Each file of tests runs in a separate process, two at a time: what one of them leaves behind, or a JVM that ends, does
not affect the others. With files or folders as arguments only these run, and with ``--resume`` only the files that have
not passed at this commit; the page shows the last run of all others, with its commit, also of those that ran in another
clone.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.support.outcomes import OUTCOMES, Outcomes, read_outcomes

ROOT = Path(__file__).resolve().parent.parent
# `make interop`, `make official`, `make stores` and `make catalogs` run these.
SEPARATE = ("tests/interop/matrix", "tests/spark/test_official_answers.py", "tests/stores", "tests/catalogs")
PAGE = ROOT / "docs" / "generated" / "long-tests.md"
# What the last run of each file left: its outcomes, its output, and the commit.
RESULTS = ROOT / ".cache" / "long-tests"
REPORTED_VERSIONS = ("paimon-workbench", "pyarrow", "numpy", "pyspark", "fastavro", "pytest")
MOST_SLOW = 20
# A line of the page about a file.
_ROW = re.compile(
    r"^\| `(?P<name>tests/\S+)` \| (?P<counts>[^|]+) \| (?P<seconds>[\d,]+) \| (?P<commit>[^|]+) \|$", re.MULTILINE
)
AT_A_TIME = 2
# A file that hangs is ended after this number of seconds.
LONGEST = 5_400


@dataclass(frozen=True)
class FileRun:
    """The last run of a file of tests."""

    name: str
    commit: str
    outcomes: Outcomes

    @property
    def seconds(self) -> float:
        return sum(self.outcomes.seconds.values())


def commit() -> str:
    """The commit that was tested, and whether files differed from it."""
    try:
        name = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/generated")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name} with local changes" if changed else name


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def versions() -> str:
    reported = [f"Python {platform.python_version()}"]
    for name in REPORTED_VERSIONS:
        try:
            reported.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(reported)


def long_tests() -> dict[str, int]:
    """Return the number of long tests of each file.

    Raises:
        SystemExit: Tests cannot be collected.
    """
    ignored = [f"--ignore={each}" for each in SEPARATE]
    command = [sys.executable, "-m", "pytest", "-m", "long", "--collect-only", "-q", *ignored]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"The long tests cannot be collected:\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
    names = [line.partition("::")[0] for line in done.stdout.splitlines() if line.startswith("tests/") and "::" in line]
    return {name: names.count(name) for name in dict.fromkeys(names)}


def last_run(name: str) -> FileRun:
    """Return the last run of a file: here, else the one on the page; without outcomes if there is none."""
    place = _place(name)
    if not (place / "commit").exists():
        return recorded_runs(PAGE.read_text(encoding="utf-8") if PAGE.exists() else "").get(
            name, FileRun(name, "", Outcomes())
        )
    return FileRun(name, (place / "commit").read_text(encoding="utf-8"), read_outcomes(place / "outcomes"))


def recorded_runs(text: str) -> dict[str, FileRun]:
    """Return the runs on a page, by file. Their tests have numbers instead of names, which the page does not list."""
    return {row["name"]: FileRun(row["name"], row["commit"], _numbered(row)) for row in _ROW.finditer(text)}


def _numbered(row: re.Match[str]) -> Outcomes:
    outcomes, selected = dict[str, str](), 0
    for part in row["counts"].split(", "):
        number, _, kind = part.partition(" ")
        selected += int(number)
        if kind in OUTCOMES:
            outcomes.update({f"{row['name']} {kind} {each}": kind for each in range(int(number))})
    return Outcomes(
        selected, outcomes, {each: int(row["seconds"].replace(",", "")) / len(outcomes) for each in outcomes}
    )


def _place(name: str) -> Path:
    return RESULTS / name.replace("/", ".")


def run(name: str, tested: str) -> FileRun:
    """Run the long tests of a file in a process, and end all that it started."""
    place = _place(name)
    place.mkdir(parents=True, exist_ok=True)
    (place / "outcomes").unlink(missing_ok=True)
    (place / "commit").write_text(tested, encoding="utf-8")
    noted = ["-p", "tests.support.outcomes", "--outcomes", str(place / "outcomes")]
    command = [sys.executable, "-m", "pytest", "-m", "long", "-v", *noted, name]
    with (place / "output").open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output, start_new_session=True)
        try:
            process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            print(f"{name} did not end within {LONGEST} seconds.", flush=True)
        finally:
            _end_group(process)
    return last_run(name)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):  # All of its processes may have ended.
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_all(names: Sequence[str], tested: str) -> None:
    """Run files, those that took longest first, and print a line for each."""
    ordered = sorted(names, key=lambda name: -last_run(name).seconds)
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        running = [pool.submit(run, name, tested) for name in ordered]
        try:
            for done, each in enumerate(as_completed(running), 1):
                result = each.result()
                print(
                    f"{done}/{len(names)} {result.name}: {result.outcomes.counts()}, {result.seconds:,.0f} s",
                    flush=True,
                )
                if not result.outcomes.passed:
                    print(
                        (_place(result.name) / "output").read_text(encoding="utf-8", errors="replace")[-6000:],
                        flush=True,
                    )
        except KeyboardInterrupt:
            for each in running:
                each.cancel()
            raise


def _described(result: FileRun) -> str:
    text = f"{result.name}: {result.outcomes.counts()}, {result.seconds:,.0f} s"
    if result.outcomes.passed:
        return text
    return f"{text}\n{(_place(result.name) / 'output').read_text(encoding='utf-8', errors='replace')[-6000:]}"


def page(runs: Sequence[FileRun], tested: str, when: datetime, seconds: float) -> str:
    """Return the page as Markdown. Test names are relative to the project, so the page contains no local paths."""
    total = Outcomes(sum(each.outcomes.selected for each in runs))
    for each in runs:
        total.outcomes.update(each.outcomes.outcomes)
        total.seconds.update(each.outcomes.seconds)
    slowest = sorted((name for name in total.outcomes if "::" in name), key=lambda name: -total.seconds[name])
    failed = [name for name in slowest if total.outcomes[name] in ("failed", "error")]
    other = sorted({each.commit or "no run" for each in runs} - {tested})
    facts = {
        "Date": f"{when:%Y-%m-%d %H:%M} UTC",
        "Commit": tested + (f"; some files at {', '.join(other)}" if other else ""),
        "Versions": versions(),
        "Result": total.counts(),
        "Seconds": f"{seconds:,.0f}, and {sum(total.seconds.values()):,.0f} of all tests",
    }
    return "\n".join(
        [
            "# The last run of the long tests",
            "",
            "Written by `make test-long`; do not edit.",
            "",
            *_table(("", ""), facts.items()),
            "",
            *_table(
                ("File", "Result", "Seconds", "Commit"),
                [(f"`{each.name}`", each.outcomes.counts(), f"{each.seconds:,.0f}", each.commit) for each in runs],
            ),
            "",
            "The failed tests and the slowest:",
            "",
            *_table(
                ("Test", "Result", "Seconds"),
                [
                    (f"`{name}`", total.outcomes[name], f"{total.seconds[name]:,.1f}")
                    for name in dict.fromkeys((*failed, *slowest[:MOST_SLOW]))
                ],
            ),
            "",
        ]
    )


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [_line(names), "|---" * len(names) + "|", *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make test-long", description=__doc__)
    parser.add_argument("paths", nargs="*", help="files or folders of tests, such as tests/faults; all by default")
    parser.add_argument("--resume", action="store_true", help="leave out files that have passed at this commit")
    given = parser.parse_args(arguments)
    # A shell starts jobs in the background without interrupts, and tests that send them would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tested, when, started, all_files = commit(), datetime.now(UTC), time.monotonic(), long_tests()
    chosen = [name for name in all_files if not given.paths or any(_is_below(name, path) for path in given.paths)]
    if not chosen:
        parser.error(f"{', '.join(given.paths)} contains no long test.")
    if given.resume:
        chosen = [name for name in chosen if last_run(name).commit != tested or not last_run(name).outcomes.passed]
    try:
        run_all(chosen, tested)
    finally:
        runs = [last_run(name) for name in all_files]
        for each in runs:
            each.outcomes.selected = max(each.outcomes.selected, all_files[each.name])
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(runs, tested, when, time.monotonic() - started), encoding="utf-8")
    return 0 if all(each.outcomes.passed for each in runs) else 1


def _is_below(name: str, path: str) -> bool:
    return name == path or name.startswith(f"{path.rstrip('/')}/")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
