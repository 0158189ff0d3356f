"""The points of lines, bars and scatter charts: rows with the same position are combined, and too many points are
reduced to fewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.modules import pc
from workbench.lens.charts.choice import ChartChoice
from workbench.lens.charts.columns import ChartColumn, Role, drawable
from workbench.lens.charts.value import Axis, ChartSeries, ChartValue, Scale

# Limits that keep a saved notebook small and a chart readable.
MOST_POINTS = 2000
MOST_BARS = 30
LONGEST_LABEL = 200
_X, _Y, _COLOR = "x", "y", "color"


@dataclass
class _Notes:
    """What the readers of a chart have to know, each sentence once."""

    texts: dict[str, None] = field(default_factory=dict)

    def add(self, text: str) -> None:
        self.texts[text] = None


def point_chart(rows: pa.Table, choice: ChartChoice) -> ChartValue:
    """Return the line or scatter chart of the rows."""
    notes = _Notes()
    parts = _parts(rows, choice, notes)
    if choice.kind == "line":
        reduced = _thinned([(name, _sorted(_averaged(part, choice, notes))) for name, part in parts], notes)
    else:
        reduced = _sampled(parts, notes)
    scale: Scale = "time" if choice.x.role is Role.TIME else "number"
    series = tuple(ChartSeries(name, positions(part[_X], choice.x.role), _floats(part[_Y])) for name, part in reduced)
    return _value(choice, Axis(choice.x.name, scale), series, notes)


def bar_chart(rows: pa.Table, choice: ChartChoice) -> ChartValue:
    """Return the chart with a bar for each value of x."""
    notes = _Notes()
    labels = axis_labels(rows, choice.x)
    if not choice.y:
        return _counted(labels, choice, notes)
    parts = []
    for name, part in _parts(rows.append_column("", labels), choice, notes, rows.num_columns):
        parts.append((name, _averaged(part, choice, notes)))
    kept = _largest(parts, notes)
    place = {label: number for number, label in enumerate(kept)}
    series = []
    for name, part in parts:
        pairs = [pair for pair in zip(part[_X].to_pylist(), part[_Y].to_pylist(), strict=True) if pair[0] in place]
        series.append(ChartSeries(name, tuple(place[x] for x, _ in pairs), tuple(y for _, y in pairs)))
    return _value(choice, Axis(choice.x.name, "label", tuple(kept)), tuple(series), notes)


def label_histogram(rows: pa.Table, choice: ChartChoice) -> ChartValue:
    """Return the chart that counts the rows of each label."""
    return _counted(axis_labels(rows, choice.x), choice, _Notes())


def _counted(labels: pa.ChunkedArray, choice: ChartChoice, notes: _Notes) -> ChartValue:
    counted = pc.value_counts(labels).to_pylist()
    counted.sort(key=lambda each: -each["counts"])
    if len(counted) > MOST_BARS:
        notes.add(f"The {MOST_BARS} most frequent of {len(counted):,} values are drawn.")
    kept = counted[:MOST_BARS]
    series = ChartSeries("rows", tuple(range(len(kept))), tuple(float(each["counts"]) for each in kept))
    return _value(choice, Axis(choice.x.name, "label", tuple(each["values"] for each in kept)), (series,), notes)


def axis_labels(rows: pa.Table, column: ChartColumn) -> pa.ChunkedArray:
    """Return the values of a column as labels; times and numbers as the table below the chart shows them."""
    values = rows.column(column.index)
    if column.role is Role.LABEL:
        return pc.utf8_slice_codeunits(values.cast(pa.string()), 0, LONGEST_LABEL)
    encoded = drawable(values).combine_chunks().dictionary_encode()
    texts = (
        time_texts(encoded.dictionary)
        if column.role is Role.TIME
        else [f"{v:.15g}" for v in _floats(encoded.dictionary)]
    )
    return pa.chunked_array([pc.take(pa.array(texts, pa.string()), encoded.indices)])


def _parts(
    rows: pa.Table, choice: ChartChoice, notes: _Notes, x_index: int | None = None
) -> list[tuple[str, pa.Table]]:
    """Return x and y of each series, without the rows that have no value."""
    has_labels = x_index is not None
    x = rows.column(x_index) if x_index is not None else drawable(rows.column(choice.x.index))
    parts = []
    for y in choice.y:
        table = pa.table({_X: x, _Y: drawable(rows.column(y.index)).cast(pa.float64())})
        if choice.color is not None:
            color = drawable(rows.column(choice.color.index))
            table = table.append_column(_COLOR, color)
        known = pc.is_valid(table[_Y]) if has_labels else pc.and_(pc.is_valid(table[_X]), pc.is_valid(table[_Y]))
        filled = table.filter(known)
        left_out = table.num_rows - filled.num_rows
        if left_out:
            notes.add(left_out_text(y.name, left_out, table.num_rows))
        parts.append((y.name, filled))
    if choice.color is None:
        return parts
    (_, table), *_others = parts
    return [
        (_named(name), table.filter(_is(table[_COLOR], name)).drop_columns([_COLOR])) for name in _names(table[_COLOR])
    ]


def _names(labels: pa.ChunkedArray) -> list[str | None]:
    names: list[str | None] = pc.unique(labels).to_pylist()
    return sorted(names, key=lambda name: (name is None, name or ""))


def _named(name: str | None) -> str:
    return "NULL" if name is None else name[:LONGEST_LABEL]


def _is(labels: pa.ChunkedArray, name: str | None) -> pa.ChunkedArray:
    return pc.is_null(labels) if name is None else pc.fill_null(pc.equal(labels, name), False)


def _averaged(part: pa.Table, choice: ChartChoice, notes: _Notes) -> pa.Table:
    """Return one row for each x, with the mean of y, in the order in which the values of x first occur."""
    if pc.count_distinct(part[_X], mode="all").as_py() == part.num_rows:
        return part
    grouped = part.group_by(_X, use_threads=False).aggregate([(_Y, "mean")])
    notes.add(f"Rows with the same {choice.x.name} are averaged.")
    return pa.table({_X: grouped[_X], _Y: grouped[f"{_Y}_mean"]})


def _sorted(part: pa.Table) -> pa.Table:
    return part.sort_by(_X)


def _sampled(parts: Sequence[tuple[str, pa.Table]], notes: _Notes) -> list[tuple[str, pa.Table]]:
    """Return a random sample of all points, if there are too many."""
    total = sum(part.num_rows for _, part in parts)
    if total <= MOST_POINTS:
        return list(parts)
    notes.add(f"A random sample of {MOST_POINTS:,} of {total:,} points is drawn.")
    chosen = np.sort(np.random.default_rng(0).choice(total, MOST_POINTS, replace=False))
    sampled, start = [], 0
    for name, part in parts:
        inside = chosen[(chosen >= start) & (chosen < start + part.num_rows)] - start
        sampled.append((name, part.take(pa.array(inside))))
        start += part.num_rows
    return sampled


def _thinned(parts: Sequence[tuple[str, pa.Table]], notes: _Notes) -> list[tuple[str, pa.Table]]:
    """Return the lines; of a line with too many points, only the lowest and highest point of each stretch are kept."""
    stretches = MOST_POINTS // max(1, len(parts)) // 2
    thinned = []
    for name, part in parts:
        if part.num_rows > 2 * stretches:
            notes.add(f"Of many points, the lowest and highest of each of {stretches:,} stretches are drawn.")
            part = part.take(pa.array(_extremes(part[_Y].to_numpy(), stretches)))
        thinned.append((name, part))
    return thinned


def _extremes(values: np.ndarray[tuple[int], np.dtype[np.float64]], stretches: int) -> list[int]:
    chosen: set[int] = set()
    for stretch in np.array_split(np.arange(len(values)), stretches):
        chosen.add(int(stretch[values[stretch].argmin()]))
        chosen.add(int(stretch[values[stretch].argmax()]))
    return sorted(chosen)


def _largest(parts: Sequence[tuple[str, pa.Table]], notes: _Notes) -> list[str | None]:
    """Return the labels to draw, in the order of the rows: all of them, or those with the largest values."""
    sizes: dict[str | None, float] = {}
    for _, part in parts:
        for label, value in zip(part[_X].to_pylist(), part[_Y].to_pylist(), strict=True):
            sizes[label] = max(sizes.get(label, 0.0), abs(value))
    if len(sizes) <= MOST_BARS:
        return list(sizes)
    notes.add(f"The {MOST_BARS} largest of {len(sizes):,} bars are drawn.")
    kept = set(sorted(sizes, key=lambda label: -sizes[label])[:MOST_BARS])
    return [label for label in sizes if label in kept]


def left_out_text(name: str, count: int, rows: int) -> str:
    """Return the note about rows that have no value."""
    return f"{count:,} of {counted(rows, 'rows')} {'is' if count == 1 else 'are'} not drawn, for lack of {name}."


def positions(values: pa.ChunkedArray | pa.Array, role: Role) -> tuple[float | str, ...]:
    """Return the positions of drawable numbers or times on an axis."""
    return tuple(time_texts(values)) if role is Role.TIME else _floats(values)


def time_texts(micros: pa.ChunkedArray | pa.Array) -> list[str]:
    """Return local microseconds as text, without fractions of seconds, or times of day, that are zero in all of
    them."""
    texts: list[str] = micros.cast(pa.timestamp("us")).cast(pa.string()).to_pylist()
    for empty in (".000000", " 00:00:00"):
        if all(text is None or text.endswith(empty) for text in texts):
            texts = [text and text.removesuffix(empty) for text in texts]
    return texts


def _floats(values: pa.ChunkedArray | pa.Array) -> tuple[float, ...]:
    return tuple(values.cast(pa.float64()).to_pylist())


def _value(choice: ChartChoice, axis: Axis, series: tuple[ChartSeries, ...], notes: _Notes) -> ChartValue:
    y_title = ", ".join(each.name for each in choice.y) or "rows"
    title = f"{y_title} by {axis.title}" + (f" and {choice.color.name}" if choice.color else "")
    return ChartValue(choice.kind, title, choice.why, axis, y_title, series, tuple(notes.texts))
