"""Rewriting the rows of buckets into another number of buckets, in this process or in Spark tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd

from workbench.base.parallel import worker_count
from workbench.base.progress import Progress
from workbench.format.spec.data_file import CommitMessage, ManifestEntry
from workbench.metadata.bucket_states import KnownBuckets
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.scan.split import Split
from workbench.scan.split_reader import SplitReader
from workbench.write.input import Rows
from workbench.write.rules import each_writer_compacts
from workbench.write.writer import TableWriter


@dataclass(frozen=True)
class BucketRescale:
    """Rewrites the rows of buckets of ``source`` into the buckets of ``target``, the same table with another value of
    option 'bucket'. ``sequence_limits``: see `TableWriter`. Picklable."""

    source: TableStore
    target: TableStore
    sequence_limits: Mapping[BucketId, int] = field(default_factory=dict)

    def messages(self, splits: Sequence[Split], progress: Progress, workers: int | None = None) -> list[CommitMessage]:
        """Return the messages of the new buckets. A failure leaves no files behind.

        The splits must contain all rows of the new buckets that they contribute to; see `independent_buckets`.
        """
        schema = self.source.schema
        # The writer starts without buckets, since all are replaced.
        writer = TableWriter(
            self.target,
            KnownBuckets(),
            progress,
            compacts=each_writer_compacts(self.target.schema, overwrite=True),
            keeps_changelog=False,
            sequence_limits=self.sequence_limits,
            workers=workers or worker_count(),
        )
        try:
            for table in SplitReader(self.source, schema, schema.field_names, overflows=None).stream(splits):
                writer.write_rows(Rows(table))
            return writer.prepare()
        except BaseException:
            writer.abort()
            raise


def independent_buckets(base: Iterable[ManifestEntry], buckets: int) -> list[list[ManifestEntry]]:
    """Divide the files of buckets into groups that share no bucket after the number of buckets has become ``buckets``.

    A bucket is the remainder of a hash. Rows of two buckets can get into the same new bucket only if the numbers of
    both buckets are congruent modulo the greatest common divisor of the old and new number of buckets: when 4 buckets
    become 8, each bucket is divided separately.
    """
    groups: defaultdict[tuple[bytes, int], list[ManifestEntry]] = defaultdict(list)
    numbers: defaultdict[bytes, set[int]] = defaultdict(set)
    entries = list(base)
    for entry in entries:
        numbers[entry.partition].add(max(entry.total_buckets, 1))
    for entry in entries:
        groups[entry.partition, entry.bucket % gcd(buckets, *numbers[entry.partition])].append(entry)
    return list(groups.values())
