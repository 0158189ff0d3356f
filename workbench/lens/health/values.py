"""The values of a table's health that views show."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.format.spec.table_kind import KindName
from workbench.lens.error import ErrorValue
from workbench.lens.health.check import Severity
from workbench.lens.wire import Int64


@dataclass(frozen=True)
class HealthPlaceValue:
    """A bucket or partition that a finding concerns; see `Place`."""

    label: str
    amount: float
    text: str
    severity: Severity
    bucket: str | None


@dataclass(frozen=True)
class FixValue:
    """What fixes a finding, both as Python, with the variables ``table`` and ``catalog``, and as SQL.

    ``loss`` is what it deletes for good, '' if nothing.
    """

    python: str
    sql: str
    loss: str


@dataclass(frozen=True)
class FindingValue:
    """A finding with its number, why it matters, what it costs, and what fixes it; see `Finding`.

    ``id`` identifies it among the findings of the table; ``places`` are the worst places, out of ``places_total``.
    ``fix`` is None if no statement fixes it; ``advice`` then says what to do.
    """

    id: str
    check: str
    severity: Severity
    title: str
    amount: float
    amount_text: str
    limit: float | None
    limit_text: str
    why: str
    read: str
    write: str
    gain: str
    advice: str
    fix: FixValue | None
    places: tuple[HealthPlaceValue, ...]
    places_total: int


@dataclass(frozen=True)
class HealthCheckValue:
    """A check, and what it saw, as one sentence in ``text``. ``severity`` is the severity of its worst finding.
    ``text`` is '' if the check was not run: it does not apply, or it needs directories to be listed, which is done on
    demand (``on_demand``)."""

    check: str
    title: str
    group: str
    severity: Severity
    text: str
    on_demand: bool


@dataclass(frozen=True)
class HealthStateValue:
    """A table before or after a fix. ``runs`` is the largest number of sorted runs in a bucket."""

    snapshot: Int64 | None
    files: Int64
    size: Int64
    stored_rows: Int64
    runs: int
    read_amplification: float
    snapshots: Int64
    condition: Severity


@dataclass(frozen=True)
class FixPreviewValue:
    """What a fix changed in a sandbox. The table itself is unchanged.

    ``files_written`` and ``bytes_written`` count new files of data and metadata; ``files_deleted`` and
    ``bytes_deleted`` the files of the table that the fix deletes. ``gone`` is whether the finding is gone afterwards,
    ``remaining`` are the titles of the findings that are left.
    """

    finding: str
    title: str
    fix: FixValue
    before: HealthStateValue
    after: HealthStateValue
    files_written: Int64
    bytes_written: Int64
    files_deleted: Int64
    bytes_deleted: Int64
    seconds: float
    gone: bool
    remaining: tuple[str, ...]


@dataclass(frozen=True)
class HealthValue:
    """The health of a version of a table.

    ``condition`` is the severity of the worst finding. ``findings`` are sorted by severity, ``checked`` are all checks.
    ``read_amplification`` is the number of bytes that a read of the whole table merges, as a multiple of those of the
    largest sorted run of each bucket. ``storage`` is whether the directories were listed. ``previews`` are the fixes
    that were tried in a sandbox.
    """

    table: str
    kind: KindName
    snapshot: Int64 | None
    condition: Severity
    text: str
    files: Int64
    size: Int64
    stored_rows: Int64
    buckets: Int64
    read_amplification: float
    findings: tuple[FindingValue, ...]
    checked: tuple[HealthCheckValue, ...]
    storage: bool
    damage: ErrorValue | None
    previews: tuple[FixPreviewValue, ...] = ()
