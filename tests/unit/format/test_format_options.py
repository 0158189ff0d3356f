"""The option catalog, and the values of options that tables store."""

from __future__ import annotations

import pytest

from workbench.base.errors import InvalidSchema
from workbench.format.options.catalog import OPTIONS, PATTERNS, find_option
from workbench.format.options.core_options import CoreOptions
from workbench.format.options.support import CHANGES_MEANING
from workbench.format.options.values import KIND_NAMES, parse_duration, parse_memory, parse_option

MEBIBYTE = 1024 * 1024


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("128 mb", 128 * MEBIBYTE),
        ("128MB", 128 * MEBIBYTE),
        ("1 gb", 1024 * MEBIBYTE),
        ("2g", 2048 * MEBIBYTE),
        ("1 tebibytes", 1024**4),
        ("64 k", 65536),
        ("500 B", 500),
        ("7 bytes", 7),
        (" 12 ", 12),
        ("9223372036854775807 b", 2**63 - 1),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "mb", "-1 mb", "1.5 gb", "1 xb", "1 mb 2", "99999999999999999999", "١ mb"])
def test_wrong_sizes(text: str) -> None:
    with pytest.raises(InvalidSchema, match="is not a size"):
        parse_memory(text)


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("1 h", 3_600_000),
        ("10 ms", 10),
        ("1 d", 86_400_000),
        ("30s", 30_000),
        ("2 DAYS", 172_800_000),
        ("5 min", 300_000),
        ("5m", 300_000),
        ("3 hours", 10_800_000),
        ("4 secs", 4_000),
        ("250", 250),
        ("1500 micros", 1),
        ("1500 µs", 1),
        ("2000000 ns", 2),
        ("7 millis", 7),
    ],
)
def test_durations(text: str, millis: int) -> None:
    assert parse_duration(text) == millis


@pytest.mark.parametrize("text", ["", "h", "-1 h", "1.5 h", "1 week", "PT1H"])
def test_wrong_durations(text: str) -> None:
    with pytest.raises(InvalidSchema, match="is not a duration"):
        parse_duration(text)


def test_every_line_of_the_catalog_is_valid() -> None:
    assert len(OPTIONS) > 400
    for name, option in OPTIONS.items():
        assert option.name == name
        assert option.description
        assert option.kind in KIND_NAMES or option.allowed, name
        if option.default is not None:
            parse_option(name, option.kind, option.default)
        assert not any(older in OPTIONS for older in option.fallback_names), name
    for pattern in PATTERNS:
        assert pattern.option.kind in KIND_NAMES or pattern.option.allowed


def test_immutable_options_are_those_of_the_format() -> None:
    # All immutable options of format §3.3.
    assert {name for name, option in OPTIONS.items() if option.immutable} == {
        "type",
        "bucket-key",
        "bucket-function.type",
        "data-file.path-directory",
        "merge-engine",
        "sequence.snapshot-ordering",
        "aggregation.remove-record-on-delete",
        "partial-update.remove-record-on-delete",
        "partial-update.remove-record-on-sequence-group",
        "rowkind.field",
        "primary-key",
        "primary-key.nullable",
        "partition",
        "dynamic-bucket.initial-buckets",
        "force-lookup",
        "row-tracking.enabled",
        "data-evolution.enabled",
        "index-file-in-data-file-dir",
        "blob-field",
        "blob-descriptor-field",
        "blob-view-field",
        "pk-clustering-override",
    }


def test_options_that_determine_row_locations() -> None:
    # Java allows these to be changed at any time, and then does not find the rows or reads other values.
    assert {name for name, option in OPTIONS.items() if option.determines_row_location} == {
        "partition.default-name",
        "partition.legacy-name",
        "manifest.format",
        "orc.timestamp-ltz.legacy.type",
    }


def test_supported_values_are_values_of_their_options() -> None:
    named = {pattern.option.name: pattern.option for pattern in PATTERNS}
    for name, support in CHANGES_MEANING.items():
        option = OPTIONS.get(name) or named[name]
        assert option.support is support
        for value in (*(support.read or ()), *(support.write or ())):
            parse_option(name, option.kind, value)


def test_options_are_found_by_older_names_and_patterns() -> None:
    assert find_option("write.compaction-skip") is OPTIONS["write-only"]
    result = find_option("fields.a.b.aggregate-function")
    assert result is not None
    assert result.kind == "string"
    for name in ("orc.bloom.filter.columns", "parquet.block.size", "file-index.bloom-filter.columns", "avro.codec"):
        assert find_option(name) is not None
    for name in ("fields.aggregate-function", "fields..stats-mode", "orc.", "nothing", "fields.a.nothing"):
        assert find_option(name) is None


def test_defaults() -> None:
    core = CoreOptions({})
    assert (core.bucket, core.bucket_key, core.bucket_function) == (-1, (), "default")
    assert (core.merge_engine, core.changelog_producer) == ("deduplicate", "none")
    assert (core.file_format, core.file_compression, core.zstd_level) == ("parquet", "zstd", 1)
    assert (core.data_file_prefix, core.changelog_file_prefix) == ("data-", "changelog-")
    assert (core.manifest_compression, core.manifest_target_file_size) == ("zstd", 8 * MEBIBYTE)
    assert (core.manifest_merge_min_count, core.manifest_full_compaction_threshold_size) == (30, 16 * MEBIBYTE)
    assert (core.metadata_stats_mode, core.stats_keep_first_n_columns) == ("truncate(16)", -1)
    assert (core.num_sorted_run_compaction_trigger, core.num_levels) == (5, 6)
    assert (core.max_size_amplification_percent, core.size_ratio) == (200, 1)
    assert (core.compaction_small_file_ratio, core.compaction_min_file_num) == (0.7, 5)
    assert core.compaction_delete_ratio_threshold == 0.2
    assert core.target_file_size is None
    assert (core.write_buffer_size, core.write_only, core.thin_mode) == (256 * MEBIBYTE, False, False)
    assert (core.snapshot_time_retained, core.snapshot_num_retained_min) == (3_600_000, 10)
    assert (core.snapshot_num_retained_max, core.snapshot_expire_limit) == (2**31 - 1, 50)
    assert (core.changelog_num_retained_min, core.changelog_time_retained) == (10, 3_600_000)
    assert (core.commit_max_retries, core.commit_min_retry_wait, core.commit_max_retry_wait) == (10, 10, 10_000)
    assert core.commit_timeout is None
    assert (core.partition_default_name, core.partition_legacy_name) == ("__DEFAULT_PARTITION__", True)
    assert (core.source_split_target_size, core.source_split_open_file_cost) == (128 * MEBIBYTE, 4 * MEBIBYTE)
    assert core.file_index_in_manifest_threshold == 500
    assert core.dynamic_partition_overwrite is True


def test_every_setting_reads_an_option_of_the_catalog() -> None:
    core = CoreOptions({})
    for name in dir(CoreOptions):
        if not name.startswith("_") and not callable(getattr(core, name)):
            getattr(core, name)


def test_stored_values() -> None:
    core = CoreOptions(
        {
            "bucket": "4",
            "bucket-key": "a, b",
            "target-file-size": "1 mb",
            "num-sorted-run.compaction-trigger": "7",
            "write.compaction-skip": "TRUE",
            "merge-engine": "Partial-Update",
            "snapshot.time-retained": "2 d",
            "changelog.num-retained.max": "3",
            "metadata.stats-mode": "counts",
            "metadata.stats-mode.per.level": "0:none",
            "fields.a.stats-mode": "full",
            "file.format.per.level": "0:AVRO, 3:orc",
            "file.compression.per.level": "0:lz4",
        }
    )
    assert (core.bucket, core.bucket_key) == (4, ("a", "b"))
    assert core.target_file_size == MEBIBYTE
    assert (core.num_levels, CoreOptions({"num-levels": "3"}).num_levels) == (8, 3)
    assert core.write_only is True
    assert core.merge_engine == "partial-update"
    assert (core.snapshot_time_retained, core.changelog_time_retained) == (172_800_000, 172_800_000)
    assert core.changelog_num_retained_max == 3
    assert [core.stats_mode("a"), core.stats_mode("b"), core.stats_mode("b", 0), core.stats_mode("b", 1)] == [
        "full",
        "counts",
        "none",
        "counts",
    ]
    assert core.stats_mode("a", 0) == "full"
    assert [core.file_format_at(level) for level in (0, 1, 3)] == ["avro", "parquet", "orc"]
    assert [core.file_compression_at(level) for level in (0, 1)] == ["lz4", "zstd"]
    assert [core.file_format_at(level, is_changelog=True) for level in (0, 1)] == ["avro", "parquet"]


def test_blanks_and_empty_parts_are_ignored() -> None:
    core = CoreOptions({"merge-engine": " first-row ", "bucket-key": " a,, b ,", "file.format.per.level": "0:orc, ,"})
    assert (core.merge_engine, core.bucket_key, core.file_format_at(0)) == ("first-row", ("a", "b"), "orc")


def test_the_current_name_takes_precedence_over_an_older_one() -> None:
    assert CoreOptions({"write-only": "false", "write.compaction-skip": "true"}).write_only is False


def test_a_wrong_stored_value_names_option_and_value() -> None:
    with pytest.raises(InvalidSchema, match="'target-file-size' cannot be 'big'"):
        CoreOptions({"target-file-size": "big"}).value("target-file-size")
    with pytest.raises(InvalidSchema, match=r"'file\.format\.per\.level' cannot be 'x:orc'"):
        CoreOptions({"file.format.per.level": "x:orc"}).file_format_at(0)
