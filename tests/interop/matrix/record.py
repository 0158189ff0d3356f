"""The outcomes of the matrix: a table at the end of a run, docs/generated/interop.md, and summaries in features.md."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from tests.interop.matrix.feature import Cell
from tests.interop.matrix.fitting import MAKERS, TITLES
from tests.interop.matrix.lines import LINES, name_of
from tests.interop.matrix.table import FEATURES, cells, written_cells

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "generated" / "interop.md"
FEATURES_PAGE = ROOT / "docs" / "features.md"
KINDS = SAME, REFUSED, FAILED = "same", "refused", "failed"
COUNT = re.compile(r"(\d+)(?: (\w+))?")
# Paths, and the databases of makers that use SQL, differ from run to run; names of columns, from feature to feature.
PLACE, DATABASE, COLUMN = re.compile(r"\S*/\S+"), re.compile(r"\bc\d+\.t\b"), re.compile(r"^Column '\w+'")


@dataclass(frozen=True)
class Direction:
    """Half of the matrix. ``property`` is the name of the property by which a test reports its cell."""

    name: str
    property: str
    cells: Callable[[], Iterator[Cell]]
    title: str
    intro: tuple[str, ...]
    head: str

    @property
    def begin(self) -> str:
        """The mark before its summary in docs/features.md."""
        return f"<!-- {self.name}: generated from docs/generated/interop.md -->"

    @property
    def end(self) -> str:
        """The mark after its summary in docs/features.md."""
        return f"<!-- end of {self.name} -->"


READING = Direction(
    "reading",
    "cell",
    cells,
    "Reading: tables of each maker, read by us and by the maker itself",
    (
        "A number counts cells read the same: a feature in combination with file formats, partitions, buckets.",
        "`refused`: our library says by name what it does not read.",
        "A dot: the maker cannot make such a table, or none was looked at yet.",
    ),
    "| Area | Features read the same | Refused | Read differently |",
)
WRITING = Direction(
    "writing",
    "written cell",
    written_cells,
    "Writing: tables of ours, read by us and by each engine",
    (
        "A number counts cells that the engine reads as we do. Java 2.0.0 also makes each table by itself, of the same",
        "rows, and both Javas append to ours, compact and expire it, and we read it back.",
        "`refused`: our library says by name what it does not write.",
        "A dot: the engine does not read such a table, or none was looked at yet.",
    ),
    "| Area | Features read back the same | Refused | Read back differently |",
)
DIRECTIONS = (READING, WRITING)


@dataclass
class Outcomes:
    """How often each feature of each maker was read identically, was refused, or failed; and messages of refusals."""

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sentences: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def note(self, feature: str, maker: str, outcome: str) -> None:
        """Record the outcome of one cell."""
        kind, _, sentence = outcome.partition(": ")
        self.counts[feature, maker][kind] += 1
        if sentence:
            plain = COLUMN.sub("A column", DATABASE.sub("db.t", PLACE.sub("…", sentence)))
            self.sentences.setdefault(feature, plain)


def outcomes_of(stats: dict[str, list[Any]], direction: Direction) -> Outcomes:
    """Return the outcomes of cells in the reports of a run. A skipped cell is one that its maker refuses."""
    outcomes = Outcomes()
    for report in chain.from_iterable(stats.values()):
        reported = dict(getattr(report, "user_properties", ()))
        if direction.property not in reported or report.when != "call":
            continue
        cell = tuple(reported[direction.property])
        if report.skipped:
            outcomes.counts.setdefault(cell, Counter())
        else:
            outcomes.note(*cell, reported.get("outcome", FAILED))
    return outcomes


def cell_text(counts: Counter[str]) -> str:
    """Return ``6`` for six identical cells, ``6, 2 refused`` if two more are refused, or a dot if there are none."""
    reported = [str(counts[SAME])] if counts[SAME] else []
    reported += [f"{counts[kind]} {kind}" for kind in (REFUSED, FAILED) if counts[kind]]
    return ", ".join(reported) or "·"


def rows(outcomes: Outcomes) -> Iterator[list[str]]:
    """Yield for each feature its line, priority and name, and a cell for each maker."""
    seen = {feature for (feature, _), counts in outcomes.counts.items() if counts}
    for line in LINES:
        for each in FEATURES:
            if each.line == name_of(line) and each.name in seen:
                texts = [cell_text(outcomes.counts[each.name, maker]) for maker in MAKERS]
                yield [each.line, line.priority, each.name, *texts]


def printed(outcomes: Outcomes) -> str:
    """Return the matrix as text for a terminal."""
    table = [["feature", *(TITLES[maker] for maker in MAKERS)]]
    table += [[f"{priority} {name}", *texts] for _, priority, name, *texts in rows(outcomes)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in table]
    total: Counter[str] = sum(outcomes.counts.values(), Counter())
    return "\n".join([*lines, f"{total.total()} cells: {cell_text(total)}", ""])


def page(result: Mapping[str, Outcomes], tested: str, when: datetime) -> str:
    """docs/generated/interop.md, from the outcomes of both directions by name."""
    head = ["# The interop matrix", "", "Written by `make interop`; do not edit.", ""]
    head += [f"Commit {tested}, {when:%Y-%m-%d %H:%M} UTC.", ""]
    return "\n".join([*head, *chain.from_iterable(_section(each, result[each.name]) for each in DIRECTIONS)])


def _section(direction: Direction, outcomes: Outcomes) -> list[str]:
    titles = [TITLES[maker] for maker in MAKERS]
    result = list(rows(outcomes))
    refusals = [f"- {name}: {outcomes.sentences[name]}" for _, _, name, *_ in result if name in outcomes.sentences]
    return [
        f"## {direction.title}",
        "",
        *direction.intro,
        "",
        f"| Line | Priority | Feature | {' | '.join(titles)} |",
        "|---" * (3 + len(titles)) + "|",
        *(f"| {' | '.join(row)} |" for row in result),
        "",
        *(["### Refused", "", *refusals, ""] if refusals else []),
    ]


def recorded(direction: Direction) -> list[list[str]]:
    """The rows of docs/generated/interop.md of one direction."""
    lines = _recorded_section(direction).splitlines()
    result = [line.strip("|").split("|") for line in lines if line.startswith("| ")][1:]
    return [[text.strip() for text in row] for row in result]


def _recorded_section(direction: Direction) -> str:
    return PAGE.read_text(encoding="utf-8").partition(f"## {direction.title}\n")[2].partition("\n## ")[0]


def renewed(outcomes: Outcomes, direction: Direction) -> Outcomes:
    """Return the outcomes, with the recorded outcomes of cells that this run did not check."""
    there = {(cell.feature.name, cell.maker) for cell in direction.cells()}
    for _, _, name, *texts in recorded(direction):
        for maker, text in zip(MAKERS, texts, strict=True):
            if (name, maker) in there and (name, maker) not in outcomes.counts:
                for number, kind in COUNT.findall(text):
                    outcomes.counts[name, maker][kind or SAME] = int(number)
    for name, sentence in re.findall(r"^- (.+?): (.+)$", _recorded_section(direction), re.MULTILINE):
        outcomes.sentences.setdefault(name, sentence)
    return outcomes


def summary(direction: Direction) -> str:
    """Return the summary of one direction for docs/features.md, from the recorded matrix.

    A line of the inventory counts as supported if its first feature, which is its usual form, is supported, and none
    of its features differs. Other refusals of its features are corner cases, which are listed below the table.
    """
    result = recorded(direction)
    areas = []
    for area in dict.fromkeys(line.area for line in LINES):
        verdicts = {line.name: _verdict(name_of(line), result) for line in LINES if line.area == area}
        of_kind = {kind: [name for name, verdict in verdicts.items() if verdict == kind] for kind in KINDS}
        total = sum(map(len, of_kind.values()))
        if total:
            counted = f"{len(of_kind[SAME])} of {total}"
            areas.append(f"| {area} | {counted} | {'; '.join(of_kind[REFUSED])} | {'; '.join(of_kind[FAILED])} |")
    corners = [f"- {words} ({', '.join(names)})" for words, names in _corner_cases(direction, result).items()]
    notes = ["", "Refused in corner cases:", "", *corners] if corners else []
    return "\n".join([direction.begin, direction.head, "|---|---|---|---|", *areas, *notes, direction.end])


def _verdict(name: str, result: list[list[str]]) -> str | None:
    """Return the outcome of one line of the inventory; None if nothing of it was recorded."""
    features = [[COUNT.findall(text) for text in texts] for line, _, _, *texts in result if line == name]
    makers = [[outcome or SAME for _, outcome in counts] for feature in features for counts in feature if counts]
    if not makers:
        return None
    if any(FAILED in outcomes for outcomes in makers):
        return FAILED
    usual = [[outcome for _, outcome in counts] for counts in features[0] if counts]
    return SAME if all("" in outcomes for outcomes in usual) else REFUSED


def _corner_cases(direction: Direction, result: list[list[str]]) -> dict[str, list[str]]:
    """Return the messages of refusals, each with the names of the features that it refuses."""
    names = {name for _, _, name, *_ in result}
    corners: dict[str, list[str]] = defaultdict(list)
    for name, sentence in re.findall(r"^- (.+?): (.+)$", _recorded_section(direction), re.MULTILINE):
        if name in names:
            corners[sentence].append(name)
    return corners


def with_summaries(page: str) -> str:
    """Return docs/features.md with the summaries of both directions renewed."""
    for direction in DIRECTIONS:
        before, _, rest = page.partition(direction.begin)
        _, _, after = rest.partition(direction.end)
        page = f"{before}{summary(direction)}{after}"
    return page
