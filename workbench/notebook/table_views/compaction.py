"""``wb.compaction``: the compactions of a table, each with its rule, its files before and after, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from textwrap import fill
from typing import Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.texts import size_text, time_text
from workbench.charts.costs import costs_figure
from workbench.lens.compaction.collect import DEFAULT_COMPACTIONS, collect_compactions
from workbench.lens.compaction.costs import collect_costs
from workbench.lens.compaction.replay import DEFAULT_STEPS, collect_replay
from workbench.lens.compaction.smaller import smaller_compactions
from workbench.lens.compaction.story import collect_story
from workbench.lens.compaction.value import CompactionStory, CompactionsValue, CompactionValue, CostsAnswer, CostsValue
from workbench.notebook.charts.chart import CHART_MIME, CHART_VERSION, PLOTLY_MIME
from workbench.notebook.definition import TableView, ViewArguments, ViewCommand, ViewDefinition
from workbench.notebook.drawings.compaction import compaction_drawings
from workbench.notebook.saved import SavedForm
from workbench.notebook.views import MAX_ROWS, View, without_types
from workbench.sql.grid import Shown, count_text, grid_html, grid_of, grid_text

_REASON_WIDTH = 64
_POINTS = 300


@dataclass(frozen=True)
class CompactionArguments(ViewArguments):
    """``selected`` is the id of the compaction whose story is shown, or of its snapshot. ``limit`` is the number of
    compactions in the list, ``replayed`` the bucket of the replay and ``steps`` the number of its commits. ``costs`` is
    whether the costs are shown."""

    story: str | None = None
    limit: int = field(default_factory=lambda: DEFAULT_COMPACTIONS)
    replayed: str | None = None
    steps: int = DEFAULT_STEPS
    costs: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class CompactionCosts(Shown):
    """What the compactions of a table cost: a figure of write, read and space amplification, and a table."""

    value: CostsValue

    def to_arrow(self) -> pa.Table:
        """Return one row per commit: bytes, and amplifications after it."""
        costs = self.value
        return pa.table(
            {
                "snapshot": pa.array(costs.ids, pa.int64()),
                "time": pa.array(costs.times, pa.timestamp("ms", "UTC")),
                "compactions": pa.array(costs.compactions, pa.int64()),
                "bytes_written": pa.array(costs.written, pa.int64()),
                "bytes_compacted": pa.array(costs.compacted, pa.int64()),
                "bytes_read": pa.array(costs.read, pa.int64()),
                "write_amplification": pa.array(costs.write_amplification, pa.float64()),
                "read_amplification": pa.array(costs.read_amplification, pa.float64()),
                "space_amplification": pa.array(costs.space_amplification, pa.float64()),
            }
        )

    def to_pandas(self) -> Any:
        """Return the same rows as a pandas DataFrame."""
        return self.to_arrow().to_pandas()

    @property
    def figure(self) -> dict[str, Any]:
        """The plotly figure as JSON."""
        return costs_figure(self.value)

    def _sentence(self) -> str:
        costs = self.value
        if not costs.ids:
            return "The table was never written."
        written, compacted = sum(costs.written), sum(costs.compacted)
        last = costs.write_amplification[-1]
        amplified = "" if last is None else f", a write amplification of {last:.2f}"
        return (
            f"Since snapshot {costs.first}, writes added {size_text(written)} and compactions wrote "
            f"{size_text(compacted)}{amplified}."
        )

    def _grid(self) -> Any:
        rows = self.to_arrow().slice(max(0, len(self.value.ids) - MAX_ROWS))
        times = pa.array([time_text(each) for each in self.value.times[-rows.num_rows or len(self.value.times) :]])
        shown = rows.set_column(1, "time", times)
        for name in ("write_amplification", "read_amplification", "space_amplification"):
            texts = ["" if each is None else f"{each:.2f}" for each in rows[name].to_pylist()]
            shown = shown.set_column(shown.schema.get_field_index(name), name, pa.array(texts, pa.string()))
        caption = f"Costs of the compactions of {self.value.table}"
        return without_types(grid_of(shown, caption, MAX_ROWS, len(self.value.ids), [self._sentence()], "commit"))

    def _text(self) -> str:
        return grid_text(self._grid())

    def _html(self) -> str:
        return grid_html(self._grid())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        title = f"Costs of the compactions of {self.value.table}"
        described = {"version": CHART_VERSION, "title": title, "text": self._sentence()}
        forms = super()._repr_mimebundle_(include, exclude)
        return {**forms, CHART_MIME: described, PLOTLY_MIME: self.figure} if self.value.ids else forms


class Compaction(TableView[CompactionsValue, CompactionArguments]):
    """The compactions of a table. ``to_arrow`` returns one row per compaction, the newest first."""

    def costs(self) -> CompactionCosts:
        """Return what the compactions cost: write, read and space amplification over time.

        Example:
            >>> wb.compaction(table).costs()  # doctest: +SKIP
        """
        return CompactionCosts(collect_costs(self.table, _POINTS))

    @property
    def selected(self) -> str | None:
        """The id of the selected compaction, such as ``12@:0`` of snapshot 12 and bucket 0."""
        return self.arguments.selected


@checked(table="workbench.Table")
def compaction(table: Any, snapshot: int | None = None, bucket: int | str | None = None) -> Compaction:
    """Return the compactions of a table: why each ran, what it read and wrote, and for one of them the files before and
    after.

    In a notebook it is a picture that follows new snapshots.

    Args:
        table: The table.
        snapshot: The compaction to show, by the id of its snapshot; by default the newest one.
        bucket: The bucket of that compaction: its number, or its id in `CompactionValue` if the table has partitions;
            by default the one with the most compacted bytes.
    """
    story = None
    if snapshot is not None:
        name = f":{bucket}" if isinstance(bucket, int) else bucket
        story = str(snapshot) if name is None else f"{snapshot}@{name}"
    return Compaction(COMPACTION, table, CompactionArguments(selected=story, story=story))


def _collect(table: Any, arguments: CompactionArguments) -> CompactionsValue:
    value = collect_compactions(table, limit=arguments.limit)
    newest = value.compactions[0].id if value.compactions else None
    chosen = arguments.story or newest
    return replace(
        value,
        story=None if chosen is None else _story(table, chosen),
        replay=None if arguments.replayed is None else collect_replay(table, arguments.replayed, arguments.steps),
        costs=_costs(table) if arguments.costs else None,
    )


def _story(table: Any, compaction: str) -> CompactionStory:
    snapshot, _, bucket = compaction.partition("@")
    return collect_story(table, int(snapshot), bucket or None)


def _costs(table: Any) -> CostsAnswer:
    costs = collect_costs(table, _POINTS)
    return CostsAnswer(costs, json.dumps(costs_figure(costs)))


def _on_event(arguments: CompactionArguments, event: Mapping[str, Any]) -> CompactionArguments:
    match event:
        case {"kind": "select-compaction", "id": str(chosen)} if chosen.partition("@")[0].isdecimal():
            return replace(arguments, selected=chosen, story=chosen)
        case {"kind": "more-compactions"}:
            return replace(arguments, limit=arguments.limit + DEFAULT_COMPACTIONS)
        case {"kind": "replay", "bucket": str(bucket), "limit": int(limit)}:
            return replace(arguments, replayed=bucket, steps=max(1, limit))
        case {"kind": "costs"}:
            return replace(arguments, costs=True)
    return arguments


def compaction_view(value: CompactionsValue, limit: int = MAX_ROWS) -> View:
    """Return the picture of the chosen compaction, and a table of compactions, the newest first."""
    rows = _rows(value)
    times = pa.array([time_text(each.time_millis) for each in value.compactions], pa.string())
    whys = pa.array([fill(_why(each), _REASON_WIDTH) for each in value.compactions], pa.string())
    levels = pa.array([_levels(each) for each in value.compactions], pa.string())
    shown = rows.set_column(1, "time", times)
    shown = shown.set_column(shown.schema.get_field_index("why"), "why", whys)
    shown = shown.set_column(shown.schema.get_field_index("output_level"), "levels", levels)
    empty = [name for name in ("partition", "millis", "files_moved") if not any(shown[name].to_pylist())]
    hidden = ["origin", "rows_read", "rows_written", "user", *empty]
    if not value.keys:
        hidden.append("levels")
    notes = [f"Times in {value.zone}."]
    if value.unread:
        notes.append(f"The manifests of {count_text(len(value.unread), 'snapshot')} cannot be read.")
    caption = f"Compactions of {value.table}"
    total = len(value.compactions)
    grid = without_types(grid_of(shown.drop_columns(hidden), caption, limit, total, notes, "compaction"))
    return View((grid,), rows, value, compaction_drawings(value.story))


def _why(compaction: CompactionValue) -> str:
    return f"{compaction.text} (recomputed)" if compaction.origin == "recomputed" else compaction.text


def _levels(compaction: CompactionValue) -> str:
    levels = ", ".join(f"L{level}" for level in compaction.input_levels)
    return f"{levels} → L{compaction.output_level}"


def _rows(value: CompactionsValue) -> pa.Table:
    items = value.compactions

    def whole(name: str) -> pa.Array:
        return pa.array([getattr(each, name) for each in items], pa.int64())

    def text(name: str) -> pa.Array:
        return pa.array([getattr(each, name) for each in items], pa.string())

    return pa.table(
        {
            "snapshot": whole("snapshot"),
            "time": pa.array([each.time_millis for each in items], pa.timestamp("ms", "UTC")),
            "partition": text("partition"),
            "bucket": whole("bucket"),
            "rule": text("rule"),
            "origin": text("origin"),
            "output_level": whole("output_level"),
            **{
                f"{kind}_{side}": whole(f"{kind}_{side}")
                for side in ("read", "written")
                for kind in ("files", "bytes", "rows")
            },
            "files_moved": whole("files_moved"),
            "rows_dropped": whole("rows_dropped"),
            "millis": whole("millis"),
            "why": text("text"),
            "user": text("user"),
        }
    )


def _other_stories(table: Any, value: CompactionsValue) -> Iterator[CompactionStory]:
    """Return the stories of other compactions, for readers without a kernel."""
    shown = value.story and value.story.compaction.id
    return (_story(table, each.id) for each in value.compactions if each.id != shown)


COMPACTION: ViewDefinition[CompactionsValue, CompactionArguments] = ViewDefinition(
    "compaction",
    _collect,
    compaction_view,
    CompactionArguments(),
    _on_event,
    ViewCommand(
        "compaction",
        "why compactions ran, and what they read and wrote",
        lambda table, limit: Compaction(COMPACTION, table, CompactionArguments(limit=limit)),
    ),
    saved=SavedForm(smaller_compactions, _other_stories),
)
