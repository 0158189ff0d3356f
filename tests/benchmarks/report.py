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


HEADINGS = ("work", "against", "ours", "theirs", "ratio", "bound", "", "CPU ratio", "peak MB: ours", "theirs")


def line(case: Case, comparison: Comparison) -> Line:
    """Return the line of a comparison, with its bounds."""
    ratio, processor = comparison.ratio, comparison.processor_ratio
    peak = max(each.peak for each in comparison.ours)
    limits, verdicts = [], []
    for value, bound, text in (
        (ratio, case.bound, f"≤ {case.bound}"),
        (peak, case.peak_bound, f"≤ {case.peak_bound} MB"),
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
        _number(processor),
        f"{peak:.0f}",
        f"{max(each.peak for each in comparison.theirs):.0f}" if comparison.theirs else "",
    )
    return Line(case.name, cells, not kept)


def _number(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def _seconds(samples: Sequence[Sample]) -> str:
    if not samples:
        return ""
    seconds = statistics.median(each.seconds for each in samples)
    return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s"


def write_report(path: Path, lines: Sequence[Line], python_of: Callable[[str], Path]) -> None:
    """Write the page of figures."""
    rule = ("---", "---", *["---:"] * (len(HEADINGS) - 2))
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in (HEADINGS, rule, *(each.cells for each in lines)))
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        _PAGE.format(
            when=datetime.now(UTC).date(),
            machine=_machine(),
            versions=_versions(python_of),
            notes=NOTES.read_text().strip(),
            table=table,
        )
        + _missed([each for each in lines if each.missed])
    )


def _missed(lines: Sequence[Line]) -> str:
    def reason(missed: Line) -> str:
        return f"- **{missed.cells[0]}** ({missed.cells[4]}): {MISSES.get(missed.name, 'not explained yet.')}"

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

Written by `make bench` on {when}. Machine: {machine}. {versions}.

Every figure comes from fresh processes that run the work once to warm up and then report the median of some
runs. The processes of the two sides take turns, and a ratio (ours through theirs: less is better) is the median
over the pairs. The CPU ratio is that of processor seconds, on all cores together. Peak memory is that of the
whole process, its input rows included. A figure counts only if both sides read the same number of rows.

Tables: append, 5 M rows in 8 columns; primary key, 2 M rows and 5 upserts of 400,000 random keys in 2 buckets,
`write-only`, so that 6 overlapping runs have to be merged, 6 columns. Merge-on-read reads the same files on both
sides, written by this library unless stated otherwise; other reads are of files that each side wrote.

{notes}

{table}
"""
