"""The columns that a read needs, compared with all columns of the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workbench.base.counting import counted
from workbench.expr.tree import referenced_columns
from workbench.lens.explain.value import ColumnsReadValue, ColumnUseValue
from workbench.scan.explained.readings import Readings
from workbench.scan.scan import Scan

_MOST_COLUMNS = 500


def describe_columns(scan: Scan, readings: Readings) -> ColumnsReadValue:
    """Return which columns are read and why, with their bytes in the files whose footers were read."""
    sizes: Counter[str] = Counter()
    read_sizes: Counter[str] = Counter()
    for each in readings.files:
        if each.column_bytes is not None:
            sizes.update(each.column_bytes)
            read_sizes.update({name: each.column_bytes.get(name, 0) for name in each.columns})
    measured = [each for each in readings.files if each.column_bytes is not None]
    reasons = _reasons(scan, readings)
    names = list(dict.fromkeys([*scan.schema.field_names, *reasons, *sizes]))
    known = bool(measured)
    columns = [
        ColumnUseValue(name, name in reasons, reasons.get(name, ""), sizes.get(name, 0) if known else None)
        for name in names
        if name in scan.schema.field_names or sizes.get(name) or name in reasons
    ]
    columns.sort(key=lambda column: (not column.read, -(column.size or 0)))
    return ColumnsReadValue(
        tuple(columns[:_MOST_COLUMNS]),
        read_sizes.total(),
        sizes.total(),
        len(measured),
        readings.kept,
        _note(readings, len(measured)),
    )


def _reasons(scan: Scan, readings: Readings) -> dict[str, str]:
    selected: Sequence[str] = scan.schema.field_names if scan.columns is None else scan.columns
    filtered = frozenset() if scan.where is None else referenced_columns(scan.where)
    reasons = {}
    for name in dict.fromkeys([*selected, *sorted(filtered), *(n for each in readings.files for n in each.columns)]):
        why = [("selected", name in selected), ("condition", name in filtered)]
        reasons[name] = " and ".join(text for text, applies in why if applies) or "merge"
    return reasons


def _note(readings: Readings, measured: int) -> str:
    described = len(readings.files)
    notes = []
    if not readings.is_complete:
        notes.append(f"The footers of {described:,} of {counted(readings.kept, 'files')} were read.")
    if measured < described:
        formats = {each.file.file_name.rpartition(".")[2] for each in readings.files if each.column_bytes is None}
        kinds = " and ".join(sorted(formats))
        notes.append(
            f"The sizes of columns in {counted(described - measured, 'files')} of format {kinds} are not known."
        )
    return " ".join(notes)
