"""The funnel of a read as an SVG picture: a bar per step, as long as the bytes that it leaves."""

from __future__ import annotations

from workbench.base.markup import escape
from workbench.base.texts import size_text
from workbench.lens.explain.value import ExplainValue, SplitValue, StepValue
from workbench.notebook.drawings.drawing import FONT_SIZE, WIDTH, Drawing, Figure, Style
from workbench.notebook.drawings.letters import fitted
from workbench.sql.grid import count_text

_TITLE, _NUMBERS, _ROW, _BAR, _LEAST = 128, 214, 34, 20, 2
_MOST_SPLITS = 12

_STYLE = Style(
    "explain",
    (
        ("rect", "stroke-width:1.5"),
        (".wb-left", "fill:var(--wb-last);stroke:var(--wb-last-line)"),
        (".wb-gone", "fill:none;stroke:currentColor;stroke-opacity:.3;stroke-dasharray:3 3"),
        (".wb-merge", "fill:var(--wb-l0);stroke:var(--wb-l0-line)"),
    ),
)


def explain_drawings(value: ExplainValue) -> tuple[Drawing, ...]:
    """Return the funnel, and the splits that remain."""
    steps = [step for step in value.steps if step.size is not None or step.rows is not None]
    figures = [Figure("Bytes left after each step", _funnel(steps), len(steps) * _ROW + 4)]
    splits = value.splits.splits[:_MOST_SPLITS]
    if splits:
        more = value.splits.total - len(splits)
        note = f"{count_text(more, 'more split')} not drawn." if more else ""
        figures.append(Figure(splits_title(value), _splits(splits), len(splits) * _ROW + 4, note))
    version = "never written" if value.snapshot is None else f"snapshot {value.snapshot}"
    return (Drawing(_STYLE, tuple(figures), heading=f"{value.table}, {version}"),)


def funnel_title(value: ExplainValue) -> str:
    """Return how much of the table is read, in one sentence."""
    first = value.steps[0]
    files = f"{value.column_use.files:,} of {count_text(first.files or 0, 'file')}"
    sizes = [step for step in value.steps if step.size is not None]
    about = "" if sizes[-1].certainty == "exact" else f"{_SAID[sizes[-1].certainty]} "
    read = f"{about}{size_text(sizes[-1].size or 0)} of {size_text(first.size or 0)}"
    condition = f" where {value.where}" if value.where else ""
    return f"A read{condition} takes {files}, {read}"


def splits_title(value: ExplainValue) -> str:
    """Return how many splits are merged."""
    splits = value.splits
    merged = splits.total - splits.raw
    what = f"{merged:,} of them with merges or deleted rows" if merged else "each file is read as it is"
    return f"{count_text(splits.total, 'split')}, {what}"


_SAID = {"estimate": "about", "at most": "at most", "at least": "at least"}


def _funnel(steps: list[StepValue]) -> str:
    whole = max(1, steps[0].size or 0)
    return "".join(_step(step, number * _ROW, whole) for number, step in enumerate(steps))


def _step(step: StepValue, y: int, whole: int) -> str:
    span = WIDTH - _TITLE - _NUMBERS
    text = step_numbers(step)
    title = f'<text x="0" y="{y + 20}">{escape(fitted(step.title, FONT_SIZE, _TITLE - 6))}</text>'
    numbers = f'<text class="wb-dim" x="{WIDTH}" y="{y + 20}" text-anchor="end">{escape(text)}</text>'
    if step.size is None:
        return title + numbers
    left, gone = (max(_LEAST, size / whole * span) if size else 0 for size in (step.size, step.excluded_size))
    bars = f'<rect class="wb-left" x="{_TITLE}" y="{y + 5}" width="{left:.1f}" height="{_BAR}" rx="2"/>' if left else ""
    if gone:
        x = min(_TITLE + left, WIDTH - _NUMBERS - gone)
        bars += f'<rect class="wb-gone" x="{x:.1f}" y="{y + 5}" width="{gone:.1f}" height="{_BAR}" rx="2"/>'
    tooltip = f"{step.title}: left out {count_text(step.excluded_files, 'file')}, {size_text(step.excluded_size)}"
    return f"<g><title>{escape(tooltip)}</title>{title}{bars}{numbers}</g>"


def step_numbers(step: StepValue) -> str:
    """Return what a step leaves: ``3 files, 1.2 KiB, 40 rows``."""
    parts = [] if step.files is None else [count_text(step.files, "file")]
    parts += [] if step.size is None else [size_text(step.size)]
    parts.append("rows not counted" if step.rows is None else count_text(step.rows, "row"))
    said = _SAID.get(step.certainty)
    return f"{said} {', '.join(parts)}" if said else ", ".join(parts)


def _splits(splits: tuple[SplitValue, ...]) -> str:
    whole = max(1, *(split.size for split in splits))
    return "".join(_split(split, number * _ROW, whole) for number, split in enumerate(splits))


def _split(split: SplitValue, y: int, whole: int) -> str:
    span = WIDTH - _TITLE - _NUMBERS
    label = f"{split.partition}, bucket {split.bucket}" if split.partition else f"bucket {split.bucket}"
    runs = [("wb-left", split.raw_size)] if split.raw_size else []
    runs += [("wb-merge", run.size) for section in split.sections for run in section.runs]
    bars, x = "", float(_TITLE)
    for css, size in runs:
        width = max(_LEAST, size / whole * span)
        bars += f'<rect class="{css}" x="{x:.1f}" y="{y + 5}" width="{width:.1f}" height="{_BAR}" rx="2"/>'
        x += width
    numbers = f"{count_text(split.files, 'file')}, {size_text(split.size)}"
    return (
        f"<g><title>{escape(f'{label}: {split.reason}')}</title>"
        f'<text x="0" y="{y + 20}">{escape(fitted(label, FONT_SIZE, _TITLE - 6))}</text>{bars}'
        f'<text class="wb-dim" x="{WIDTH}" y="{y + 20}" text-anchor="end">{escape(numbers)}</text></g>'
    )
