"""Report the figures: lines on the terminal and a page of the documentation."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tests.benchmarks.cases import ARROW, PYPAIMON, RUST, Case
from tests.benchmarks.measure import Comparison, Sample
from tests.benchmarks.misses import MISSES
from tests.benchmarks.remote import DELAY, STORE

NOTES = Path(__file__).with_name("notes.md")
"""Remarks on the recorded figures, written by hand. Update them before a run that records new ones."""

PEER_NAMES = {RUST: "pypaimon-rust", PYPAIMON: "pypaimon", ARROW: "plain pyarrow"}


@dataclass(frozen=True)
class Line:
    """One benchmark's result in words."""

    name: str
    cells: tuple[str, ...]
    missed: bool

    def __str__(self) -> str:
        title, peer, *figures = self.cells
        return f"{title:58} {peer:15} " + " ".join(f"{each:>13}" for each in figures)


_COMMON = ("work", "against", "ours", "theirs", "ratio", "bound", "")
HEADINGS = (*_COMMON, "CPU ratio", "peak MB: ours", "theirs")
REMOTE_HEADINGS = (*_COMMON, "requests: ours", "theirs")


def line(case: Case, comparison: Comparison) -> Line:
    """Return the line of a comparison, with its bounds."""
    ratio = comparison.ratio
    peak = max(each.peak for each in comparison.ours)
    requests = max(sum(each.requests.values()) for each in comparison.ours)
    limits, verdicts = [], []
    for value, bound, text in (
        (ratio, case.bound, f"≤ {case.bound}"),
        (peak, case.peak_bound, f"≤ {case.peak_bound} MB"),
        (requests, case.requests_bound, f"{requests} requests ≤ {case.requests_bound}"),
        (comparison.bytes_ratio, case.bytes_bound, f"bytes {comparison.bytes_ratio or 0:.3f} ≤ {case.bytes_bound}"),
    ):
        if bound is not None and value is not None:
            limits.append(text)
            verdicts.append(value <= bound)
    kept = all(verdicts)
    cells = (
        case.title,
        PEER_NAMES.get(case.peer, case.peer),
        _seconds(comparison.ours),
        _seconds(comparison.theirs),
        _number(ratio),
        ", ".join(limits),
        ("kept" if kept else "missed") if verdicts else "",
        *(_requests(comparison) if case.remote else _resources(comparison)),
    )
    return Line(case.name, cells, not kept)


def _resources(comparison: Comparison) -> tuple[str, ...]:
    peaks = (max((each.peak for each in side), default=None) for side in (comparison.ours, comparison.theirs))
    return (_number(comparison.processor_ratio), *("" if peak is None else f"{peak:.0f}" for peak in peaks))


def _requests(comparison: Comparison) -> tuple[str, ...]:
    """The requests of both sides by their kind, those of the last process."""
    return tuple(
        ", ".join(f"{number} {kind}" for kind, number in sorted(side[-1].requests.items()))
        for side in (comparison.ours, comparison.theirs)
    )


def _number(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def _seconds(samples: Sequence[Sample]) -> str:
    if not samples:
        return ""
    seconds = statistics.median(each.seconds for each in samples)
    return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s"


def write_report(path: Path, lines: Sequence[Line], python_of: Callable[[str], Path]) -> None:
    """Write the page of figures."""
    _write(path, _PAGE.format(notes=NOTES.read_text().strip()), HEADINGS, lines, python_of)


def write_remote_report(path: Path, lines: Sequence[Line], python_of: Callable[[str], Path]) -> None:
    """Write the page of figures of the remote part."""
    page = _REMOTE_PAGE.format(store=STORE.name, program=STORE.program, delay=round(DELAY * 1000))
    _write(path, page, REMOTE_HEADINGS, lines, python_of)


def _write(
    path: Path, introduction: str, headings: Sequence[str], lines: Sequence[Line], python_of: Callable[[str], Path]
) -> None:
    title, text = introduction.split("\n", 1)
    rule = ("---", "---", *["---:"] * (len(headings) - 2))
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in (headings, rule, *(each.cells for each in lines)))
    written = f"Written by `make bench` on {datetime.now(UTC).date()}. Machine: {_machine()}. {_versions(python_of)}."
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{title}\n\n{written}\n{text}\n{table}\n" + _missed([each for each in lines if each.missed]))


def _missed(lines: Sequence[Line]) -> str:
    def reason(missed: Line) -> str:
        work, peer, _, _, ratio, *_ = missed.cells
        return f"- **{work}** against {peer} ({ratio}): {MISSES.get(missed.name, 'not explained yet.')}"

    heading = "\n## Bounds that were missed, and why\n\n"
    return heading + "\n".join(map(reason, lines)) + "\n" if lines else ""


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return f"{len(os.sched_getaffinity(0))} cores / {memory:.0f} GiB"


def _versions(python_of: Callable[[str], Path]) -> str:
    here = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in ("pyarrow", "numpy"))]
    for peer, package in ((RUST, "pypaimon-rust"), (PYPAIMON, "pypaimon")):
        program = f"from importlib.metadata import version; print(version('{package}'))"
        answer = subprocess.run([str(python_of(peer)), "-c", program], capture_output=True, text=True, check=True)
        here.append(f"{package} {answer.stdout.strip()}")
    return ", ".join(here)


_PAGE = """# Benchmarks

Every figure comes from fresh processes that run the work once to warm up and then report the median of some
runs. The processes of the two sides take turns, and a ratio (ours through theirs: less is better) is the median
over the pairs. The CPU ratio is that of processor seconds, on all cores together. Peak memory is that of the
whole process, its input rows included. A figure counts only if both sides read the same number of rows.

Tables: append, 5 M rows in 8 columns; primary key, 2 M rows and 5 upserts of 400,000 random keys in 2 buckets,
`write-only`, so that 6 overlapping runs have to be merged, 6 columns. Merge-on-read reads the same files on both
sides, written by this library unless stated otherwise; other reads are of files that each side wrote.

{notes}
"""
_REMOTE_PAGE = """# Benchmarks on a store

The tables are on a server of this machine that imitates {store} ({program}), behind a proxy that adds {delay} ms to
each request and counts the requests; bandwidth is not limited. All engines reach the server through this proxy, with
the same options. Each figure is that of one run in a process which has used its packages and connections before. Each
run takes the table from a new catalog, and lines with *again* repeat the work on the same table. Plans and lists begin
with a table whose newest snapshot is known, as after the first line. A ratio (ours through theirs: less is better) is
that of two processes that ran one after the other. The server and the proxy need a few milliseconds of this machine's
processors for each request, which limits what parallel requests gain.

This library wrote the tables that are read. Each engine writes into a table that it created and wrote to once; both
peers check whether there is a snapshot and then write it, while commits of this library are conditional writes, of
which the store accepts only one. `PUT`, `POST` and `LIST` cost about ten times as much as `GET` and `HEAD` in most
price lists, and `DELETE` costs nothing. The figures on a disk are on [another page](benchmarks.md).
"""
