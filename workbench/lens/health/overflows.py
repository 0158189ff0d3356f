"""The decimal columns whose totals overflow, found by statistics and by merging the rows that may overflow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_UP, Context, Decimal, localcontext
from math import prod

from workbench.format.types import AtomicType, DataField
from workbench.lens.health.facts import OverflowFacts
from workbench.metadata.file_stats import FileStats
from workbench.scan.overflows import Overflows
from workbench.scan.scan import Scan
from workbench.scan.split import Section, Split
from workbench.table.readable_table import ReadableTable

# The most rows to merge, over all sections that may overflow.
_MOST_ROWS = 1_000_000
# The most files to read, for the check of totals and for the estimate of rows, where every request takes long.
REMOTE_FILES = 4
_MOST_DIGITS = 38
_UPWARD = Context(prec=_MOST_DIGITS, rounding=ROUND_UP)


def collect_overflows(table: ReadableTable) -> tuple[OverflowFacts, ...] | None:
    """Return the columns whose totals overflow; None if no decimal column has an aggregate function.

    Raises:
        CorruptFile: A file cannot be read.
        Unsupported: The rows cannot be merged.
    """
    schema = table.schema
    totals = {
        each.name: each
        for each in schema.fields
        if isinstance(each.type, AtomicType)
        and each.type.root == "DECIMAL"
        and each.name not in schema.primary_keys
        and schema.core.aggregate_function(each.name) is not None
    }
    if not totals:
        return None
    scan = table.scan(list(totals))
    bounds = _Bounds(scan, list(totals.values()))
    merging = _Silent()
    reader = replace(scan.reader, overflows=merging)
    most_files = None if scan.store.is_local else REMOTE_FILES
    for split in _within(bounds.doubtful(scan.plan()), most_files):
        for _ in reader.stream([split]):
            pass
    merged = {
        name: _facts(totals[name], each.function, f"in the rows of key {key}")
        for name, (each, key) in merging.found.items()
    }
    stored = {
        name: _facts(totals[name], schema.core.aggregate_function(name) or "", f"in file {file}")
        for name, file in bounds.exceeded(scan.plan()).items()
    }
    found = stored | merged
    return tuple(found[name] for name in totals if name in found)


class _Silent(Overflows):
    """Overflows that become a finding instead of a warning."""

    def warn(self, table: str) -> None:
        pass


class _Bounds:
    """The largest stored numbers of columns, by file; absent if unknown."""

    def __init__(self, scan: Scan, fields: Sequence[DataField]) -> None:
        self._fields = fields
        files = [file for split in scan.plan() for file in split.files]
        stats = FileStats(scan.store, scan.schema, [each.name for each in fields]).of_values(files).columns
        self._sizes: dict[tuple[str, str], Decimal] = {}
        for name, known in stats.items():
            if known.minimum is None or known.maximum is None:
                continue
            for file, least, most in zip(files, known.minimum.to_pylist(), known.maximum.to_pylist(), strict=True):
                if least is not None and most is not None:
                    # Other operations would round the numbers to 28 digits.
                    self._sizes[file.file_name, name] = max(least.copy_abs(), most.copy_abs())

    def exceeded(self, splits: Sequence[Split]) -> dict[str, str]:
        """Return the columns with stored numbers that exceed their type, each with a file."""
        return {
            each.name: file.file_name
            for each in self._fields
            for split in splits
            for file in split.files
            if self._sizes.get((file.file_name, each.name), 0) >= _limit(each)
        }

    def doubtful(self, splits: Sequence[Split]) -> Iterator[Split]:
        """Yield the sections with keys whose totals may exceed a type."""
        for split in splits:
            for section in split.sections:
                if len(section) > 1 and any(self._may_exceed(section, each) for each in self._fields):
                    yield replace(split, sections=(section,))

    def _may_exceed(self, section: Section, field: DataField) -> bool:
        # A run holds a key at most once, so its largest number bounds what it adds, or multiplies by.
        sizes = [[self._sizes.get((file.file_name, field.name)) for file in run] for run in section]
        if any(size is None for run in sizes for size in run):
            return True
        largest = [max(size for size in run if size is not None) for run in sizes]
        with localcontext(_UPWARD):
            total = sum(largest, Decimal(0))
            product = prod(max(size, Decimal(1)) for size in largest)
        return max(total, product) >= _limit(field)


def _within(splits: Iterator[Split], most_files: int | None) -> Iterator[Split]:
    """Yield the smallest sections, up to a number of rows and of files."""
    rows = files = 0
    for split in sorted(splits, key=lambda each: each.row_count):
        rows += split.row_count
        files += len(split.files)
        if rows > _MOST_ROWS or (most_files is not None and files > most_files):
            return
        yield split


def _limit(field: DataField) -> Decimal:
    assert isinstance(field.type, AtomicType)
    return Decimal(10) ** ((field.type.precision or 0) - (field.type.scale or 0))


def _facts(field: DataField, function: str, where: str) -> OverflowFacts:
    assert isinstance(field.type, AtomicType)
    widest = replace(field.type, precision=_MOST_DIGITS)
    return OverflowFacts(
        field.name,
        str(field.type.as_nullable()),
        function,
        where,
        None if widest == field.type else str(widest),
    )
