"""Runs two sides as processes in turn, and compares each pair, so that other load on the machine affects both sides."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Sample:
    """One process: wall and processor seconds of a run, peak MB, and the result.

    ``span`` is when the last run began and ended, in the time of `time.monotonic`, which all processes share.
    ``requests`` are those that it sent to a store, by their kind.
    """

    seconds: float
    processor: float
    peak: float
    rows: int | None = None
    bytes: int = 0
    span: tuple[float, float] = (0.0, 0.0)
    requests: Mapping[str, int] = field(default_factory=dict)


class Side(Protocol):
    """One side of a benchmark."""

    def measure(self) -> Sample:
        """Run it in a fresh process."""
        ...


@dataclass(frozen=True)
class Worker:
    """A task of the worker, by one engine; ``per`` is how many operations a run makes."""

    python: Path
    order: dict[str, Any]
    per: int = 1

    def measure(self) -> Sample:
        command = [str(self.python), str(HERE / "worker.py"), json.dumps(self.order)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=_environment())
        if done.returncode:
            raise SystemExit(f"A benchmark process failed: {self.order}")
        reported = json.loads(done.stdout.splitlines()[-1])
        return Sample(
            reported["seconds"] / self.per,
            reported["processor"] / self.per,
            reported["peak"],
            reported["rows"],
            reported["bytes"],
            tuple(reported["span"]),
        )


@dataclass(frozen=True)
class WholeProcess:
    """A Python program from its start to its end; its output is its result."""

    python: Path
    program: str

    def measure(self) -> Sample:
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(self.python), "-c", self.program], stdout=subprocess.PIPE, text=True, env=_environment()
        )
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"A benchmark process failed: {self.program}")
        return Sample(
            seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, int(output) if output.strip() else None
        )


@dataclass(frozen=True)
class Comparison:
    """All rounds of one benchmark."""

    ours: Sequence[Sample]
    theirs: Sequence[Sample]

    @property
    def ratio(self) -> float | None:
        """The median over the rounds of our wall seconds divided by theirs."""
        return _median_ratio([(a.seconds, b.seconds) for a, b in self._pairs])

    @property
    def processor_ratio(self) -> float | None:
        """The same for processor seconds, which other programs disturb less."""
        return _median_ratio([(a.processor, b.processor) for a, b in self._pairs])

    @property
    def bytes_ratio(self) -> float | None:
        """The same for bytes written."""
        return _median_ratio([(a.bytes, b.bytes) for a, b in self._pairs if b.bytes])

    @property
    def _pairs(self) -> list[tuple[Sample, Sample]]:
        return list(zip(self.ours, self.theirs, strict=False))


def _environment() -> dict[str, str]:
    """Allow Python to write bytecode: pip compiles the packages that it installs, but not this checkout."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(HERE.parents[1])}


def _median_ratio(pairs: Sequence[tuple[float, float]]) -> float | None:
    return statistics.median(a / b for a, b in pairs) if pairs else None


def compare(ours: Side, theirs: Side | None, rounds: int) -> Comparison:
    """Measure both sides in turn, alternating which is first; exit if they disagree about the number of rows."""
    mine: list[Sample] = []
    others: list[Sample] = []
    for number in range(rounds):
        sides = [(ours, mine), (theirs, others)]
        for side, samples in sides if number % 2 == 0 else reversed(sides):
            if side is not None:
                samples.append(side.measure())
    counts = {each.rows for each in (*mine, *others)}
    if len(counts) > 1:
        raise SystemExit(f"The two sides disagree about the number of rows: {counts}")
    return Comparison(mine, others)


OUR_PYTHON = Path(sys.executable)
