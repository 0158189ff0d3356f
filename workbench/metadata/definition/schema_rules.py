"""The rules that the options and columns of a table must satisfy together, modeled on Java's ``SchemaValidation``.

Java checks these rules whenever it loads a table, so it cannot open a table that violates one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from workbench.base.errors import InvalidSchema
from workbench.format.options.core_options import CoreOptions
from workbench.metadata.definition import schema_findings as find

if TYPE_CHECKING:
    from workbench.format.spec.schema import TableSchema

Subject = TypeVar("Subject")
_BOTH = "Options '{one}' and '{other}' cannot both be set."
_NOT_A_COLUMN = "Option '{option}' names '{column}', which is not a column."
_INDEX_NEEDS = "Option '{option}' needs {need}."


@dataclass(frozen=True)
class Rule(Generic[Subject]):
    """A rule. ``breaches`` yields the values for the placeholders in ``message`` and ``hint``, nothing if the rule
    holds.
    """

    name: str
    breaches: Callable[[Subject], Iterable[Mapping[str, object]]]
    message: str
    hint: str | None = None

    def check(self, subject: Subject) -> None:
        """Check the rule.

        Raises:
            InvalidSchema: The rule is violated; the message describes the first violation.
        """
        for breach in self.breaches(subject):
            raise InvalidSchema(self.message.format(**breach), self.hint and self.hint.format(**breach))


def _if(condition: Callable[[Subject], object]) -> Callable[[Subject], Iterable[Mapping[str, object]]]:
    return lambda subject: [{}] if condition(subject) else []


OPTION_RULES: tuple[Rule[CoreOptions], ...] = (
    Rule("retained", find.retained, "Option '{least}' is {low}, more than '{most}', which is {high}."),
    Rule(
        "num-levels",
        lambda core: [{"levels": core.num_levels}] if core.num_levels < 2 else [],
        "Option 'num-levels' cannot be {levels}.",
        "Use at least 2 levels.",
    ),
    Rule(
        "snapshot-ordering-sequence-field",
        _if(lambda core: core.sequence_snapshot_ordering and core.sequence_field),
        "Options 'sequence.snapshot-ordering' and 'sequence.field' cannot both be set.",
        "Remove one of them.",
    ),
    Rule(
        "snapshot-ordering-write-only",
        _if(lambda core: core.sequence_snapshot_ordering and not core.write_only),
        "Option 'sequence.snapshot-ordering' needs 'write-only' = 'true': the commit defines the order of rows, but a "
        "write that compacts needs it before.",
    ),
    Rule(
        "first-row-sequence-field",
        lambda core: [{"engine": core.merge_engine}] if core.engine.keeps_first and core.sequence_field else [],
        "A table with 'merge-engine' = '{engine}' cannot have option 'sequence.field'.",
    ),
    Rule(
        "first-row-changelog",
        lambda core: (
            [{"engine": core.merge_engine, "producer": core.changelog_producer}]
            if core.engine.keeps_first and core.changelog_producer not in ("none", "lookup")
            else []
        ),
        "A table with 'merge-engine' = '{engine}' cannot have 'changelog-producer' = '{producer}'.",
        "Use 'none' or 'lookup'.",
    ),
    # Java: PartialUpdateMergeFunction and FieldAggregatorFactory.
    Rule("deleted-rows", find.contradicting_deletes, _BOTH, "Remove one of them."),
    Rule(
        "first-row-deletion-vectors",
        lambda core: (
            [{"engine": core.merge_engine}]
            if core.deletion_vectors_enabled and core.engine.keeps_first and not core.value("pk-clustering-override")
            else []
        ),
        "A table with 'merge-engine' = '{engine}' cannot have 'deletion-vectors.enabled' = 'true'.",
        "Remove the option: rows of such a table never change.",
    ),
    Rule(
        "deletion-vectors-changelog",
        _if(lambda core: core.deletion_vectors_enabled and core.changelog_producer == "full-compaction"),
        "A table with 'deletion-vectors.enabled' = 'true' cannot have 'changelog-producer' = 'full-compaction'.",
        "Use 'lookup'.",
    ),
    Rule(
        "delta-commits-lookup",
        _if(lambda core: core.changelog_producer == "lookup" and core.full_compaction_delta_commits is not None),
        "Options 'full-compaction.delta-commits' and 'changelog-producer' = 'lookup' cannot both be set.",
        "Use 'changelog-producer' = 'full-compaction'.",
    ),
    Rule(
        "streaming-read-overwrite-changelog",
        lambda core: (
            [{"producer": core.changelog_producer}]
            if core.value("streaming-read-overwrite") and core.changelog_producer in ("full-compaction", "lookup")
            else []
        ),
        "Option 'streaming-read-overwrite' cannot be 'true' with 'changelog-producer' = '{producer}': streams would "
        "read the changes of an overwrite twice.",
        "Remove 'streaming-read-overwrite', or use another 'changelog-producer'.",
    ),
    Rule(
        "target-file-row-num",
        lambda core: [{"rows": core.target_file_row_num}] if core.target_file_row_num < 1 else [],
        "Option 'target-file-row-num' cannot be {rows}.",
        "Use at least 1 row per data file.",
    ),
    Rule(
        "levels",
        find.wrong_levels,
        "Option '{option}' cannot be '{text}': '{level}' is not a single distinct level.",
        "Write one pair per level, such as '0:avro,1:parquet'.",
    ),
    Rule("variant-shredding", find.variant_shredding, "Option '{option}' cannot be {value}.", "Use {allowed}."),
    Rule(
        "no-empty-value",
        find.empty_values,
        "Option '{option}' contains an empty name.",
        "Set a value, or remove the option.",
    ),
)

SCHEMA_RULES: tuple[Rule[TableSchema], ...] = (
    Rule(
        "changelog-needs-key",
        lambda schema: (
            [{"producer": schema.core.changelog_producer}]
            if not schema.primary_keys and schema.core.changelog_producer != "none"
            else []
        ),
        "Option 'changelog-producer' cannot be '{producer}' on a table without a primary key.",
        "Define a primary key, or remove the option.",
    ),
    Rule(
        "key-options",
        find.enabled_without_key,
        "Option '{option}' cannot be 'true' on a table without a primary key.",
        "{hint}",
    ),
    Rule(
        "delta-commits-need-buckets",
        _if(lambda schema: schema.is_bucket_unaware and schema.core.full_compaction_delta_commits is not None),
        "Option 'full-compaction.delta-commits' cannot be set on an append table with 'bucket' = '-1'.",
        "Remove the option, or set 'bucket' and 'bucket-key'.",
    ),
    Rule(
        "bucket-key-needs-buckets",
        _if(lambda schema: schema.core.bucket == -1 and "bucket-key" in schema.options),
        "Option 'bucket-key' requires a number of buckets.",
        "Set 'bucket', or remove 'bucket-key'.",
    ),
    Rule("exact-column", find.unknown_single_columns, _NOT_A_COLUMN, "Write the name of one column."),
    Rule(
        "sequence-field-across-partitions",
        _if(lambda schema: schema.core.sequence_field and schema.kind.crosses_partitions),
        "Option 'sequence.field' cannot be set if the primary key lacks partition columns.",
        "Add the partition columns to the primary key, or remove the option.",
    ),
    Rule(
        "sequence-field-aggregate",
        lambda schema: (
            {"column": name}
            for name in schema.core.sequence_field
            if f"fields.{name}.aggregate-function" in schema.options
        ),
        "Column '{column}' of option 'sequence.field' cannot have an aggregate function.",
        "Remove 'fields.{column}.aggregate-function'.",
    ),
    Rule(
        "aggregate-of-a-member",
        find.member_options,
        "Option '{option}' names a field of the ROW column '{column}', which options cannot address.",
        "Set the option for the whole column.",
    ),
    Rule(
        "aggregate-is-named",
        find.unnamed_aggregates,
        "Column '{column}' has an empty aggregate function.",
        "Name a function such as 'sum', or remove the option.",
    ),
    Rule("format-holds-type", find.unsupported_types, "{message}", "{hint}"),
    Rule("file-indexes", find.file_indexes, "{message}", "{hint}"),
    Rule(
        "vector-field",
        find.vector_fields,
        "Option 'vector-field' names '{column}', which is {what}.",
        "Name columns of type VECTOR.",
    ),
    Rule(
        "blob-fields",
        find.blob_fields,
        "Option '{option}' names '{column}', which is {what}.",
        "Name columns of type BLOB.",
    ),
    Rule("map-layout", find.map_layouts, "Option '{option}' cannot be set: {why}.", "Remove the option."),
    Rule(
        "upsert-key-or-primary-key",
        _if(lambda schema: schema.primary_keys and schema.options.get("upsert-key")),
        "Option 'upsert-key' cannot be set on a table with a primary key.",
        "Remove one of them.",
    ),
    Rule(
        "upsert-key",
        find.upsert_keys,
        "Option 'upsert-key' names '{column}', which is {what}.",
        "Name columns of simple types, without blanks around the commas.",
    ),
    Rule(
        "row-tracking-buckets",
        _if(lambda schema: schema.core.row_tracking_enabled and schema.core.bucket != -1),
        "Option 'row-tracking.enabled' needs 'bucket' = '-1'.",
        "Remove 'bucket' and 'bucket-key', or 'row-tracking.enabled'.",
    ),
    Rule(
        "data-evolution-row-tracking",
        _if(lambda schema: schema.core.data_evolution_enabled and not schema.core.row_tracking_enabled),
        "Option 'data-evolution.enabled' needs 'row-tracking.enabled' = 'true'.",
        "Set both.",
    ),
    Rule(
        "data-evolution-clustering",
        _if(lambda schema: schema.core.data_evolution_enabled and schema.core.value("clustering.incremental")),
        "Options 'data-evolution.enabled' and 'clustering.incremental' cannot both be set.",
        "Remove one of them.",
    ),
    Rule(
        "incremental-clustering",
        find.incremental_clustering,
        "Option 'clustering.incremental' cannot be 'true' {where}.",
        "{hint}",
    ),
    Rule(
        "clustering-override",
        find.clustering_override,
        "Option 'pk-clustering-override' needs {need}.",
        "Change that option, or remove 'pk-clustering-override'.",
    ),
    Rule(
        "manifest-sort-partitions",
        _if(
            lambda schema: (
                schema.core.value("manifest-sort.enabled")
                and not schema.partition_keys
                and not schema.core.data_evolution_enabled
            )
        ),
        "Option 'manifest-sort.enabled' cannot be 'true' on a table without partitions.",
        "Remove the option, or partition the table.",
    ),
    Rule(
        "manifest-sort-field",
        find.manifest_sort_field,
        "Option 'manifest-sort.partition-field' names '{column}', which is not a partition column.",
        "Name one of the partition columns.",
    ),
    Rule("key-indexes", find.key_indexes, _INDEX_NEEDS, "Change the table, or remove the option."),
    Rule("scan-mode", find.scan_positions, "Option {said} {problem}.", "{hint}"),
)


def check_option_rules(options: Mapping[str, str]) -> None:
    """Check options for contradictions.

    Raises:
        InvalidSchema: Options contradict each other; the message names them.
    """
    core = CoreOptions(options)
    for rule in OPTION_RULES:
        rule.check(core)


def check_schema_rules(schema: TableSchema) -> None:
    """Check options for contradictions with each other, with the columns, or with the keys.

    Raises:
        InvalidSchema: There is a contradiction; the message names the options.
    """
    check_option_rules(schema.options)
    for rule in SCHEMA_RULES:
        rule.check(schema)
