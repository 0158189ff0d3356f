"""The comparison of two states as a plain value."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.format.spec.table_kind import KindName
from workbench.lens.diff.counts import DiffCountsValue
from workbench.lens.diff.files import FilesDiffValue
from workbench.lens.diff.filters import DiffFilter
from workbench.lens.diff.pages import DiffRowsValue
from workbench.lens.error import ErrorValue
from workbench.lens.schema import SchemaChangeValue
from workbench.lens.wire import Int64


@dataclass(frozen=True)
class RefValue:
    """A tag, or a branch with its earliest snapshot. ``kind`` is tag or branch."""

    kind: str
    name: str
    snapshot: Int64


@dataclass(frozen=True)
class EndValue:
    """One of the compared states: ``ref`` names it in requests (``snapshot:3``, ``tag:v1``), ``text`` to people."""

    table: str
    ref: str
    text: str
    snapshot: Int64
    time_millis: Int64 | None


@dataclass(frozen=True)
class DiffValue:
    """Two compared states.

    ``mode`` is where rows come from (diff, delta or changelog), and ``source`` explains it; ``requested`` is the mode
    in the request. ``schema``, ``files`` and ``refs`` are differences of metadata, ``files`` None if they cannot be
    compared. ``counts`` and ``page`` cover the changed rows that ``filter`` keeps, None until they are read;
    ``rows_error`` is why rows cannot be compared. ``choices`` are versions that may be compared instead. ``python`` and
    ``magic`` make the same comparison in a notebook.
    """

    table: str
    kind: KindName
    before: EndValue
    after: EndValue
    mode: str
    requested: str
    source: str
    notes: tuple[str, ...]
    partition_keys: tuple[str, ...]
    schema: tuple[SchemaChangeValue, ...]
    files: FilesDiffValue | None
    refs: tuple[RefValue, ...]
    choices: tuple[EndValue, ...]
    filter: DiffFilter
    counts: DiffCountsValue | None = None
    page: DiffRowsValue | None = None
    rows_error: ErrorValue | None = None
