"""The registry of checks."""

from __future__ import annotations

from workbench.lens.health.check import Check
from workbench.lens.health.checks.bucket_count import BUCKET_COUNT
from workbench.lens.health.checks.damage import DAMAGE
from workbench.lens.health.checks.deletes import DELETES
from workbench.lens.health.checks.expiry import EXPIRY
from workbench.lens.health.checks.formats import FORMATS
from workbench.lens.health.checks.hidden_rows import HIDDEN_ROWS
from workbench.lens.health.checks.holders import HOLDERS
from workbench.lens.health.checks.manifests import MANIFESTS
from workbench.lens.health.checks.missing_files import MISSING_FILES
from workbench.lens.health.checks.options import OPTIONS
from workbench.lens.health.checks.orphan_files import ORPHAN_FILES
from workbench.lens.health.checks.overflows import OVERFLOWS
from workbench.lens.health.checks.partitions import PARTITIONS
from workbench.lens.health.checks.read_amplification import READ_AMPLIFICATION
from workbench.lens.health.checks.retention import RETENTION
from workbench.lens.health.checks.schemas import SCHEMAS
from workbench.lens.health.checks.skew import BUCKET_SKEW, PARTITION_SKEW
from workbench.lens.health.checks.small_files import SMALL_FILES
from workbench.lens.health.checks.sorted_runs import SORTED_RUNS
from workbench.lens.health.checks.space_amplification import SPACE_AMPLIFICATION
from workbench.lens.health.checks.statistics import STATISTICS
from workbench.lens.health.checks.tiny_commits import TINY_COMMITS
from workbench.lens.health.checks.tiny_files import TINY_FILES
from workbench.lens.health.checks.writers import WRITERS

CHECKS: dict[str, Check] = {}


def register_check(check: Check) -> None:
    """Add a check.

    Raises:
        ValueError: There is already a check of that name.
    """
    if check.name in CHECKS:
        raise ValueError(f"There is already a check '{check.name}'.")
    CHECKS[check.name] = check


for _check in (
    DAMAGE,
    MISSING_FILES,
    OVERFLOWS,
    SORTED_RUNS,
    SMALL_FILES,
    TINY_FILES,
    HIDDEN_ROWS,
    READ_AMPLIFICATION,
    SPACE_AMPLIFICATION,
    DELETES,
    BUCKET_SKEW,
    PARTITION_SKEW,
    BUCKET_COUNT,
    PARTITIONS,
    FORMATS,
    HOLDERS,
    EXPIRY,
    RETENTION,
    TINY_COMMITS,
    MANIFESTS,
    SCHEMAS,
    STATISTICS,
    OPTIONS,
    WRITERS,
    ORPHAN_FILES,
):
    register_check(_check)
