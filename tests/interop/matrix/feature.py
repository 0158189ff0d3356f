"""A row of the matrix: a small table, how it is created, and the questions about it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

# ---- steps of a table's life ----


@dataclass(frozen=True)
class Write:
    """Rows in one commit. ``kinds``: a kind for each row, +I by default; ``branch``: the target, main when empty."""

    data: pa.Table
    kinds: tuple[str, ...] | None = None
    overwrite: bool = False
    branch: str = ""


@dataclass(frozen=True)
class Compact:
    """A full compaction of every bucket."""


@dataclass(frozen=True)
class Alter:
    """Schema changes in one commit: ("add", name, type), ("drop", name), ("rename", old, new), ("type", name, type),
    ("set", option, value)."""

    changes: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Tag:
    """A tag on a snapshot."""

    name: str
    snapshot: int


@dataclass(frozen=True)
class Branch:
    """A branch, from a tag or empty."""

    name: str
    tag: str = ""


@dataclass(frozen=True)
class FastForward:
    """A fast-forward of the main branch to another branch."""

    branch: str


@dataclass(frozen=True)
class Expire:
    """All but the newest snapshots expire; the newest ``changelogs`` of their changelogs are kept."""

    retain: int
    changelogs: int | None = None


@dataclass(frozen=True)
class RollBack:
    """All snapshots after this one are removed."""

    snapshot: int


@dataclass(frozen=True)
class Erase:
    """Every ``step``-th row of every file of an append table, from row ``first``, is deleted by deletion vectors."""

    first: int
    step: int


@dataclass(frozen=True)
class DropPartition:
    """One partition is dropped."""

    column: str
    value: str


@dataclass(frozen=True)
class Watermark:
    """An empty commit that carries a watermark, in milliseconds."""

    millis: int


@dataclass(frozen=True)
class Consumer:
    """A streaming reader records the snapshot at which it will continue."""

    name: str
    snapshot: int


@dataclass(frozen=True)
class SortCompact:
    """All rows written again in an order: ``order``, ``zorder`` or ``hilbert`` by some columns."""

    strategy: str
    columns: str


@dataclass(frozen=True)
class Analyze:
    """Statistics of all columns are gathered."""


Step = (
    Write
    | Compact
    | Alter
    | Tag
    | Branch
    | FastForward
    | Expire
    | RollBack
    | Erase
    | DropPartition
    | Watermark
    | Consumer
    | SortCompact
    | Analyze
)

# ---- questions ----


@dataclass(frozen=True)
class Question:
    """What to read: rows, a system table or a branch (``suffix``), at a version (Java's options), or changes.

    In versions and in the ends of changes, ``@n`` is the time of snapshot n; in the ends of changes, ``-n`` is the n-th
    newest snapshot. ``of_catalog``: a table of the whole catalog instead.
    """

    suffix: str = ""
    version: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[str, str, str] | None = None
    of_catalog: str = ""

    def __str__(self) -> str:
        reported = [
            self.of_catalog,
            self.suffix,
            *(f"{key}={value}" for key, value in self.version.items()),
            *(self.changes or ()),
        ]
        return " ".join(filter(None, reported)) or "rows"


ROWS = Question()


def system(*names: str) -> tuple[Question, ...]:
    """Return questions about system tables."""
    return tuple(Question(f"${name}") for name in names)


def at(**version: str) -> Question:
    """Return a question at a ``snapshot_id``, ``tag_name``, ``timestamp_millis``, ``watermark`` or ``version``."""
    return Question(version={f"scan.{key.replace('_', '-')}": value for key, value in version.items()})


def changes(start: int | str, end: int | str, mode: str = "auto") -> Question:
    """Return a question about the changes after one version up to another, with row kinds."""
    return Question(changes=(str(start), str(end), mode))


# ---- features and cells ----

FORMATS = ("parquet", "orc", "avro")
DIMENSIONS: dict[str, tuple[str, ...]] = {
    "format": FORMATS,
    "fine format": ("parquet", "orc"),
    "partitioned": ("plain", "partitioned"),
    "buckets": ("2", "1"),
    "append": ("unaware", "bucketed"),
    "keyed": ("append", "keyed"),
}
PARTITION = "part"


@dataclass(frozen=True)
class Feature:
    """A row of the matrix.

    Attributes:
        line: the line of the inventory that it tests, a name in `lines.LINES`.
        columns: Paimon's types in JSON form.
        varies: names of `DIMENSIONS`; every combination is a cell for each maker.
        every_version: whether every snapshot is read, in addition to the questions.
        only: the makers that can make it; None means all that support its steps and types.
        lacks: makers that cannot make it, or cannot read what they made, and why.
        refused: a pattern of the message with which we may refuse it; empty if we must read it.
        fails: whether the maker itself may fail to merge the rows when it compacts or reads.
        unordered: columns whose lists represent sets.
        plain: for columns whose text can have several forms, a function that returns a comparable one.
    """

    line: str
    name: str
    columns: Mapping[str, Any]
    steps: tuple[Step, ...]
    primary_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    questions: tuple[Question, ...] = (ROWS,)
    varies: tuple[str, ...] = ()
    every_version: bool = True
    only: tuple[str, ...] | None = None
    lacks: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
    fails: bool = False
    unordered: tuple[str, ...] = ()
    plain: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)

    def variants(self) -> Iterator[tuple[str, Feature]]:
        """Yield every combination of its dimensions: the name of the combination, and the feature in it."""
        for chosen in itertools.product(*(DIMENSIONS[name] for name in self.varies)):
            result = self
            for dimension, value in zip(self.varies, chosen, strict=True):
                result = result._with(dimension, value)
            yield "-".join(chosen), result

    def _with(self, dimension: str, value: str) -> Feature:
        match dimension, value:
            case "format" | "fine format", _:
                return self._also({"file.format": value})
            case "partitioned", "partitioned":
                return self._partitioned()
            case "buckets", _:
                return self._also({"bucket": value})
            case "append", "bucketed":
                return self._also({"bucket": "2", "bucket-key": "id"})
            case "keyed", "keyed":
                columns = {**self.columns, "id": f"{self.columns['id']} NOT NULL"}
                return replace(self, columns=columns, primary_key=("id",))._also({"bucket": "2"})
        return self

    def _also(self, options: Mapping[str, str]) -> Feature:
        return replace(self, options={**self.options, **options})

    def _partitioned(self) -> Feature:
        """Return the feature with a partition column, first in the key, whose value depends on the id of a row."""

        def widened(step: Step) -> Step:
            if not isinstance(step, Write):
                return step
            parts = ["odd" if number and number % 2 else "even" for number in step.data["id"].to_pylist()]
            return replace(step, data=step.data.append_column(PARTITION, pa.array(parts)))

        kind = "STRING NOT NULL" if self.primary_key else "STRING"
        keys = (PARTITION, *self.primary_key) if self.primary_key else ()
        return replace(
            self,
            columns={**self.columns, PARTITION: kind},
            steps=tuple(map(widened, self.steps)),
            primary_key=keys,
            partition_by=(PARTITION,),
        )


@dataclass(frozen=True)
class Cell:
    """A combination of a feature's dimensions for one maker."""

    feature: Feature
    maker: str
    variant: str
    made: Feature

    def __str__(self) -> str:
        return "-".join(filter(None, (self.maker, self.feature.name, self.variant)))
