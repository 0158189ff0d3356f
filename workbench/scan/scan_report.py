"""The report of which files a plan left out and why: as text, as HTML in a notebook, and file by file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.lazy import cached_property
from workbench.base.markup import STYLE, escape
from workbench.expr.expressions import Expr
from workbench.expr.tree import referenced_columns
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore
from workbench.scan.kept import PrunedFile
from workbench.scan.split import Split

if TYPE_CHECKING:
    from workbench.expr.pruning import ColumnStatsBatch

_MAX_FILES = 100
_LONGEST_VALUE = 40
REASONS = {
    "no bucket yet": "their rows wait for a bucket",
    "level 0": "compaction has not processed them yet",
    "not the last level": "they are not compacted to the last level",
    "manifest": "their manifests hold no matching partition",
    "partition": "their partitions do not match",
    "bucket": "the requested keys belong in other buckets",
    "key range": "the requested keys are outside their key bounds",
    "value range": "the requested values are outside their bounds, or their NULL counts do not match",
    "file index": "their indexes exclude every matching row",
    "limit": "the files before them have enough rows",
}


@dataclass(frozen=True)
class FileOutcome:
    """The decision of a plan about one file. ``rule`` is empty for a file that is read; ``why`` holds the statistics of
    the relevant columns in its manifest entry."""

    partition: str
    bucket: int
    file: str
    level: int
    rows: int
    rule: str
    why: str


@dataclass(frozen=True)
class ScanReport:
    """The result of planning: how many manifests and files there are, which files were left out, and by which rule.

    Files of manifests that were left out are not among ``files``, as these manifests were not opened.
    """

    store: TableStore
    schema: TableSchema
    where: Expr | None
    snapshot_id: int | None
    manifests: int = 0
    manifests_pruned: int = 0
    files: int = 0
    pruned: tuple[PrunedFile, ...] = ()
    splits: Sequence[Split] = ()

    @property
    def files_pruned(self) -> dict[str, int]:
        """Files left out, counted by rule."""
        return dict(Counter(each.rule for each in self.pruned))

    @property
    def files_read(self) -> int:
        """The number of files that have to be read."""
        return self.files - len(self.pruned)

    @cached_property
    def outcomes(self) -> tuple[FileOutcome, ...]:
        """Every file, beginning with the files that are read."""
        read = [(split.partition, split.bucket, file, "") for split in self.splits for file in split.files]
        left_out = [(each.partition, each.bucket, each.file, each.rule) for each in self.pruned]
        everything = [*read, *left_out]
        bounds = self.known_statistics([(file, rule, self._columns) for _, _, file, rule in everything])
        return tuple(
            FileOutcome(
                self.store.partition_directory(partition),
                bucket,
                file.file_name,
                file.level,
                file.row_count,
                rule,
                why,
            )
            for (partition, bucket, file, rule), why in zip(everything, bounds, strict=True)
        )

    def __str__(self) -> str:
        lines = [self._title, *self._summary]
        lines += [f"  {count} left out by {rule}{_because(rule)}" for rule, count in self.files_pruned.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rules = [("read", str(self.files_read), "")]
        rules += [(rule, str(count), REASONS.get(rule, "")) for rule, count in self.files_pruned.items()]
        shown = self.outcomes[:_MAX_FILES]
        files = [
            (
                each.partition,
                str(each.bucket),
                each.file,
                str(each.level),
                f"{each.rows:,}",
                each.rule or "read",
                each.why,
            )
            for each in shown
        ]
        heading = (
            f"The first {len(shown)} of {len(self.outcomes)} files" if len(shown) < len(self.outcomes) else "Files"
        )
        names = ("Partition", "Bucket", "File", "Level", "Rows", "Outcome", "Known statistics")
        return (
            f'{STYLE}<div class="wb-grid"><p>{escape(self._title)}<br>{"<br>".join(map(escape, self._summary))}</p>'
            f"{_table('What happens to the files', ('Outcome', 'Files', 'Because'), rules)}"
            f"<details><summary>{heading}</summary>{_table('', names, files)}</details></div>"
        )

    @property
    def _title(self) -> str:
        version = "without a snapshot" if self.snapshot_id is None else f"at snapshot {self.snapshot_id}"
        condition = "" if self.where is None else f" where {self.where}"
        return f"Scan of {self.store.name} {version}{condition}"

    @property
    def _summary(self) -> list[str]:
        rows = sum(split.row_count for split in self.splits)
        return [
            f"Manifests: {self.manifests}, of which {self.manifests_pruned} left out by partition",
            f"Files: {self.files:,}, of which {self.files_read:,} to read with {rows:,} stored rows",
        ]

    @property
    def _columns(self) -> frozenset[str]:
        return frozenset() if self.where is None else referenced_columns(self.where)

    def known_statistics(self, files: Sequence[tuple[DataFileMeta, str, frozenset[str]]]) -> list[str]:
        """Return the statistics of columns of the predicate in each file, given with its rule and these columns:
        statistics of the key if the key range decided, otherwise of the values."""
        if self.where is None or not files:
            return [""] * len(files)
        # Loaded here, because only reports of predicates need them.
        from workbench.metadata.file_stats import FileStats

        stats = FileStats(self.store, self.schema, self._columns)
        texts = [""] * len(files)
        kinds: list[tuple[bool, Callable[[Sequence[DataFileMeta]], ColumnStatsBatch], Iterable[str]]] = [
            (True, stats.of_keys, self.schema.trimmed_primary_keys),
            (False, stats.of_values, self.schema.field_names),
        ]
        for of_keys, gather, columns in kinds:
            positions = [position for position, (_, rule, _) in enumerate(files) if (rule == "key range") == of_keys]
            found = gather([files[position][0] for position in positions]) if positions else None
            for number, position in enumerate(positions):
                assert found is not None
                known = (_range_text(name, found, number) for name in columns if name in files[position][2])
                texts[position] = "; ".join(filter(None, known))
        return texts


def _range_text(name: str, stats: ColumnStatsBatch, position: int) -> str:
    column = stats.columns.get(name)
    if column is None:
        return ""
    rows, nulls = stats.row_counts[position].as_py(), None
    if column.null_count is not None:
        nulls = column.null_count[position].as_py()
    if nulls == rows:
        return f"{name} is NULL"
    low, high = (None if each is None else each[position].as_py() for each in (column.minimum, column.maximum))
    values = "" if low is None or high is None else f"{_value(low)} to {_value(high)}"
    missing = "" if nulls is None else "no NULL" if nulls == 0 else f"{nulls} NULL"
    known = ", ".join(filter(None, (values, missing)))
    return f"{name}: {known}" if known else ""


def _value(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _because(rule: str) -> str:
    return f": {REASONS[rule]}" if rule in REASONS else ""


def _table(caption: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<table class="wb-table">{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
