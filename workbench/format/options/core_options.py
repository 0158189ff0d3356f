"""Typed access to the options of a table, with Paimon's defaults (format Appendix C, `CoreOptions`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, cast

from workbench.base.errors import InvalidSchema
from workbench.format.options.catalog import OPTIONS, find_option
from workbench.format.options.merge_engine import MergeEngine, find_merge_engine
from workbench.format.options.values import parse_option

FALLBACK_BRANCH = "scan.fallback-branch"
OTHER_BRANCH_OPTIONS = (FALLBACK_BRANCH, "scan.primary-branch")
"""The options that name the other branch of a table that is read from two branches."""
Value = TypeVar("Value")


class Setting(Generic[Value]):
    """An attribute of `CoreOptions` that reads one option; the catalog defines its meaning and default."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, core: CoreOptions, owner: type[CoreOptions]) -> Value:
        return cast(Value, core.value(self.name))


class CoreOptions:
    """Typed view of a table's options. Sizes are in bytes, durations in milliseconds; options without a value are None.

    Every attribute raises `InvalidSchema`, naming option and value, if the stored text is invalid.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options = dict(options)
        self._values: dict[str, Any] = {}

    def text(self, name: str) -> str | None:
        """Return the stored text of an option, under its current or an older name; None if it is not set."""
        for key in (name, *OPTIONS[name].fallback_names):
            if key in self.options:
                return self.options[key]
        return None

    def value(self, name: str) -> Any:
        """Return the parsed value of an option of the catalog, its default if it is not set."""
        # Cached because some options are read for every file.
        if name not in self._values:
            option = OPTIONS[name]
            text = self.text(name)
            text = option.default if text is None else text
            self._values[name] = None if text is None else parse_option(name, option.kind, text)
        return self._values[name]

    def column_value(self, column: str, setting: str) -> Any:
        """Return the parsed value of ``fields.<column>.<setting>``, None if it is not set."""
        name = f"fields.{column}.{setting}"
        text = self.options.get(name)
        option = None if text is None else find_option(name)
        return None if text is None or option is None else parse_option(name, option.kind, text)

    def names(self, name: str) -> tuple[str, ...]:
        """Return the column names that an option lists, separated by commas."""
        return tuple(part.strip() for part in (self.text(name) or "").split(",") if part.strip())

    bucket = Setting[int]("bucket")
    bucket_function = Setting[str]("bucket-function.type")
    bucket_append_ordered = Setting[bool]("bucket-append-ordered")
    dynamic_bucket_target_row_num = Setting[int]("dynamic-bucket.target-row-num")
    dynamic_bucket_initial_buckets = Setting[int | None]("dynamic-bucket.initial-buckets")
    dynamic_bucket_max_buckets = Setting[int]("dynamic-bucket.max-buckets")
    postpone_default_bucket_num = Setting[int | None]("postpone.default-bucket-num")
    postpone_target_row_num_per_bucket = Setting[int | None]("postpone.target-row-num-per-bucket")
    postpone_target_size_per_bucket = Setting[int]("postpone.target-size-per-bucket")
    postpone_batch_write_fixed_bucket = Setting[bool]("postpone.batch-write-fixed-bucket")
    postpone_fixed_bucket_max_parallelism = Setting[int]("postpone.batch-write-fixed-bucket.max-parallelism")
    postpone_merge_on_read = Setting[bool]("postpone.merge-on-read")
    merge_engine = Setting[str]("merge-engine")
    changelog_producer = Setting[str]("changelog-producer")
    write_only = Setting[bool]("write-only")
    sequence_snapshot_ordering = Setting[bool]("sequence.snapshot-ordering")
    write_sequence_number_init_mode = Setting[str]("write.sequence-number-init-mode")
    data_file_path_directory = Setting[str | None]("data-file.path-directory")
    data_file_prefix = Setting[str]("data-file.prefix")
    changelog_file_prefix = Setting[str]("changelog-file.prefix")
    file_suffix_include_compression = Setting[bool]("file.suffix.include.compression")
    file_format = Setting[str]("file.format")
    file_compression = Setting[str]("file.compression")
    zstd_level = Setting[int]("file.compression.zstd-level")
    file_block_size = Setting[int | None]("file.block-size")
    thin_mode = Setting[bool]("data-file.thin-mode")
    target_file_size = Setting[int | None]("target-file-size")
    target_file_row_num = Setting[int]("target-file-row-num")
    write_buffer_size = Setting[int]("write-buffer-size")
    write_buffer_spillable = Setting[bool]("write-buffer-spillable")
    write_buffer_spill_max_disk_size = Setting[int]("write-buffer-spill.max-disk-size")
    local_sort_max_num_file_handles = Setting[int]("local-sort.max-num-file-handles")
    spill_compression = Setting[str]("spill-compression")
    spill_compression_level = Setting[int]("spill-compression.zstd-level")
    write_merge_schema = Setting[bool]("write.merge-schema")
    num_sorted_run_compaction_trigger = Setting[int]("num-sorted-run.compaction-trigger")
    max_size_amplification_percent = Setting[int]("compaction.max-size-amplification-percent")
    size_ratio = Setting[int]("compaction.size-ratio")
    offpeak_start_hour = Setting[int]("compaction.offpeak.start.hour")
    offpeak_end_hour = Setting[int]("compaction.offpeak.end.hour")
    offpeak_ratio = Setting[int]("compaction.offpeak-ratio")
    compaction_optimization_interval = Setting[int | None]("compaction.optimization-interval")
    compaction_total_size_threshold = Setting[int | None]("compaction.total-size-threshold")
    compaction_incremental_size_threshold = Setting[int | None]("compaction.incremental-size-threshold")
    compaction_small_file_ratio = Setting[float]("compaction.small-file-ratio")
    compaction_min_file_num = Setting[int]("compaction.min.file-num")
    compaction_delete_ratio_threshold = Setting[float]("compaction.delete-ratio-threshold")
    compaction_force_up_level_0 = Setting[bool]("compaction.force-up-level-0")
    compaction_force_rewrite_all_files = Setting[bool]("compaction.force-rewrite-all-files")
    full_compaction_delta_commits = Setting[int | None]("full-compaction.delta-commits")
    commit_timeout = Setting[int | None]("commit.timeout")
    commit_max_retries = Setting[int]("commit.max-retries")
    commit_min_retry_wait = Setting[int]("commit.min-retry-wait")
    commit_max_retry_wait = Setting[int]("commit.max-retry-wait")
    commit_user_prefix = Setting[str | None]("commit.user-prefix")
    commit_force_create_snapshot = Setting[bool]("commit.force-create-snapshot")
    commit_discard_duplicate_files = Setting[bool]("commit.discard-duplicate-files")
    commit_strict_mode_last_safe_snapshot = Setting[int | None]("commit.strict-mode.last-safe-snapshot")
    snapshot_ignore_empty_commit = Setting[bool | None]("snapshot.ignore-empty-commit")
    manifest_compression = Setting[str]("manifest.compression")
    manifest_target_file_size = Setting[int]("manifest.target-file-size")
    manifest_merge_min_count = Setting[int]("manifest.merge-min-count")
    manifest_full_compaction_threshold_size = Setting[int]("manifest.full-compaction-threshold-size")
    snapshot_num_retained_min = Setting[int]("snapshot.num-retained.min")
    snapshot_num_retained_max = Setting[int]("snapshot.num-retained.max")
    snapshot_time_retained = Setting[int]("snapshot.time-retained")
    snapshot_expire_limit = Setting[int]("snapshot.expire.limit")
    snapshot_clean_empty_directories = Setting[bool]("snapshot.clean-empty-directories")
    source_split_target_size = Setting[int]("source.split.target-size")
    source_split_open_file_cost = Setting[int]("source.split.open-file-cost")
    partition_default_name = Setting[str]("partition.default-name")
    partition_legacy_name = Setting[bool]("partition.legacy-name")
    dynamic_partition_overwrite = Setting[bool]("dynamic-partition-overwrite")
    metadata_stats_mode = Setting[str]("metadata.stats-mode")
    stats_keep_first_n_columns = Setting[int]("metadata.stats-keep-first-n-columns")
    file_index_in_manifest_threshold = Setting[int]("file-index.in-manifest-threshold")
    file_index_read_enabled = Setting[bool]("file-index.read.enabled")
    index_file_in_data_file_dir = Setting[bool]("index-file-in-data-file-dir")
    deletion_vectors_enabled = Setting[bool]("deletion-vectors.enabled")
    deletion_vectors_merge_on_read = Setting[bool]("deletion-vectors.merge-on-read")
    zorder_var_length_contribution = Setting[int]("zorder.var-length-contribution")
    deletion_vectors_bitmap64 = Setting[bool]("deletion-vectors.bitmap64")
    deletion_vector_target_size = Setting[int]("deletion-vector.index-file.target-size")
    row_tracking_enabled = Setting[bool]("row-tracking.enabled")
    data_evolution_enabled = Setting[bool]("data-evolution.enabled")
    blob_as_descriptor = Setting[bool]("blob-as-descriptor")
    orc_timestamp_ltz_legacy = Setting[bool]("orc.timestamp-ltz.legacy.type")
    consumer_expiration_time = Setting[int | None]("consumer.expiration-time")
    tag_default_time_retained = Setting[int | None]("tag.default-time-retained")
    partition_expiration_time = Setting[int | None]("partition.expiration-time")
    partition_expiration_strategy = Setting[str]("partition.expiration-strategy")
    partition_expiration_max_num = Setting[int]("partition.expiration-max-num")
    partition_timestamp_formatter = Setting[str | None]("partition.timestamp-formatter")
    partition_timestamp_pattern = Setting[str | None]("partition.timestamp-pattern")
    branch = Setting[str]("branch")
    ignore_delete = Setting[bool]("ignore-delete")
    ignore_update_before = Setting[bool]("ignore-update-before")
    rowkind_field = Setting[str | None]("rowkind.field")
    force_lookup = Setting[bool]("force-lookup")
    lookup_compact = Setting[str]("lookup-compact")
    record_level_expire_time = Setting[int | None]("record-level.expire-time")
    record_level_time_field = Setting[str | None]("record-level.time-field")
    changelog_row_deduplicate = Setting[bool]("changelog-producer.row-deduplicate")
    aggregation_remove_record_on_delete = Setting[bool]("aggregation.remove-record-on-delete")
    partial_update_remove_record_on_delete = Setting[bool]("partial-update.remove-record-on-delete")

    @property
    def engine(self) -> MergeEngine:
        """The merge engine of option ``merge-engine``, with its traits. Raises Unsupported for an unknown one."""
        return find_merge_engine(self.merge_engine)

    @property
    def bucket_key(self) -> tuple[str, ...]:
        """The columns of option ``bucket-key``; empty if it is not set."""
        return self.names("bucket-key")

    @property
    def upsert_key(self) -> tuple[str, ...]:
        """The columns of option ``upsert-key``; empty if it is not set."""
        return self.names("upsert-key")

    @property
    def sequence_field(self) -> tuple[str, ...]:
        """The columns of option ``sequence.field``; empty if it is not set."""
        return self.names("sequence.field")

    @property
    def sequence_field_is_descending(self) -> bool:
        """Whether the smaller value of option ``sequence.field`` is the newer one."""
        return bool(self.value("sequence.field.sort-order") == "descending")

    @property
    def sequence_groups(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """The columns protected by the sequence columns of each option ``fields.<names>.sequence-group``."""
        prefix, suffix = "fields.", ".sequence-group"
        return {
            tuple(name[len(prefix) : -len(suffix)].split(",")): tuple(part.strip() for part in text.split(","))
            for name, text in self.options.items()
            if name.startswith(prefix) and name.endswith(suffix) and len(name) > len(prefix) + len(suffix)
        }

    def aggregate_function(self, column: str) -> str | None:
        """Return the aggregate function of a column: its own, otherwise the default for all columns; None if neither is
        set.
        """
        own = self.column_value(column, "aggregate-function")
        return cast("str | None", self.value("fields.default-aggregate-function") if own is None else own)

    @property
    def other_branches(self) -> dict[str, str]:
        """The other branches that the table is read from, by option; a valid table has at most one."""
        named = {name: (self.text(name) or "").strip() for name in OTHER_BRANCH_OPTIONS}
        return {name: branch for name, branch in named.items() if branch}

    @property
    def merges_with_lookup(self) -> bool:
        """Whether compaction merges with higher levels, so that each level reflects all levels below it."""
        return self.changelog_producer == "lookup" or self.deletion_vectors_enabled or self.force_lookup

    @property
    def needs_lookup(self) -> bool:
        """Whether compaction looks up the older rows of the keys in level 0; if so, it moves level 0 up soon."""
        return self.engine.keeps_first or self.merges_with_lookup

    @property
    def lookup_compact_max_interval(self) -> int | None:
        """The number of triggers after which a gentle compaction moves level 0 up; None if every trigger does."""
        if self.lookup_compact != "GENTLE":
            return None
        trigger = self.num_sorted_run_compaction_trigger
        return max(trigger, self._or("lookup-compact.max-interval", 2 * trigger))

    @property
    def num_sorted_run_stop_trigger(self) -> int:
        """The number of sorted runs of a bucket at which writers wait: by default the compaction trigger plus 3."""
        return max(
            self.num_sorted_run_compaction_trigger,
            self._or("num-sorted-run.stop-trigger", self.num_sorted_run_compaction_trigger + 3),
        )

    @property
    def num_levels(self) -> int:
        """The number of levels of the tree, including level 0: by default the compaction trigger plus 1 (format
        §18.1).
        """
        levels: int | None = self.value("num-levels")
        return self.num_sorted_run_compaction_trigger + 1 if levels is None else levels

    def file_format_at(self, level: int, is_changelog: bool = False) -> str:
        """Return the format of the files of one level; changelog files use it too unless they have their own option."""
        own: str | None = self.value("changelog-file.format") if is_changelog else None
        return (own or self._per_level("file.format.per.level").get(level, self.file_format)).lower()

    def file_compression_at(self, level: int, is_changelog: bool = False) -> str:
        """Return the codec of the files of one level; changelog files use it too unless they have their own option."""
        own: str | None = self.value("changelog-file.compression") if is_changelog else None
        return own or self._per_level("file.compression.per.level").get(level, self.file_compression)

    def stats_mode(self, column: str, level: int | None = None, is_changelog: bool = False) -> str:
        """Return the statistics mode of a column: its own, otherwise that of changelog files, of the level, or of
        the table (format §10).
        """
        own: str | None = self.column_value(column, "stats-mode")
        if own is None and is_changelog:
            own = self.value("changelog-file.stats-mode")
        if own is not None:
            return own
        if level is not None:
            at_level = self._per_level("metadata.stats-mode.per.level").get(level)
            if at_level is not None:
                return cast(str, parse_option("metadata.stats-mode.per.level", "stats-mode", at_level))
        return self.metadata_stats_mode

    @property
    def changelog_num_retained_min(self) -> int:
        """Minimum number of long-lived changelogs to retain: by default, the same as for snapshots."""
        return self._or("changelog.num-retained.min", self.snapshot_num_retained_min)

    @property
    def changelog_num_retained_max(self) -> int:
        """Maximum number of long-lived changelogs to retain: by default, the same as for snapshots."""
        return self._or("changelog.num-retained.max", self.snapshot_num_retained_max)

    @property
    def changelog_time_retained(self) -> int:
        """Maximum age of long-lived changelogs: by default, the same as for snapshots."""
        return self._or("changelog.time-retained", self.snapshot_time_retained)

    def _or(self, name: str, default: int) -> int:
        value: int | None = self.value(name)
        return default if value is None else value

    def _per_level(self, name: str) -> dict[int, str]:
        pairs: dict[str, str] = self.value(name)
        try:
            return {int(level): value for level, value in pairs.items()}
        except ValueError:
            text = self.text(name)
            raise InvalidSchema(f"Option '{name}' cannot be '{text}'.", "Write pairs such as '0:avro'.") from None
