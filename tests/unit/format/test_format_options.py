"""Options: catalog, values, defaults (format Appendix C) and what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import InvalidSchema, UnknownOption, Unsupported
from workbench.format.options.catalog import OPTIONS, PATTERNS, find_option
from workbench.format.options.core_options import CoreOptions
from workbench.format.options.support import CHANGES_MEANING
from workbench.format.options.values import KIND_NAMES, parse_duration, parse_memory, parse_option
from workbench.format.spec.schema import TableSchema
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.metadata.definition.option_checks import check_supported, check_user_options, stored_option_warnings

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


def test_every_line_of_the_catalogue_is_sound() -> None:
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
    # Format §3.3, all of them.
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


def test_options_that_place_rows() -> None:
    # Java lets these change at any time, and does not find the rows afterwards or reads other values.
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
    found = find_option("fields.a.b.aggregate-function")
    assert found is not None
    assert found.kind == "string"
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
    assert (core.target_file_size(True), core.target_file_size(False)) == (128 * MEBIBYTE, 256 * MEBIBYTE)
    assert core.small_file_size(True) == int(128 * MEBIBYTE * 0.7)
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


def test_every_setting_reads_an_option_of_the_catalogue() -> None:
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
    assert core.target_file_size(True) == core.target_file_size(False) == MEBIBYTE
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


def test_blanks_and_empty_parts_do_not_count() -> None:
    core = CoreOptions({"merge-engine": " first-row ", "bucket-key": " a,, b ,", "file.format.per.level": "0:orc, ,"})
    assert (core.merge_engine, core.bucket_key, core.file_format_at(0)) == ("first-row", ("a", "b"), "orc")


def test_own_name_goes_before_an_older_one() -> None:
    assert CoreOptions({"write-only": "false", "write.compaction-skip": "true"}).write_only is False


def test_a_wrong_stored_value_names_option_and_value() -> None:
    with pytest.raises(InvalidSchema, match="'target-file-size' cannot be 'big'"):
        CoreOptions({"target-file-size": "big"}).target_file_size(True)
    with pytest.raises(InvalidSchema, match=r"'file\.format\.per\.level' cannot be 'x:orc'"):
        CoreOptions({"file.format.per.level": "x:orc"}).file_format_at(0)


def test_good_user_options_pass() -> None:
    check_user_options(
        {
            "bucket": 4,
            "write-only": True,
            "merge-engine": "deduplicate",
            "target-file-size": "64 mb",
            "fields.a.aggregate-function": "sum",
            "fields.a.stats-mode": "truncate(8)",
            "parquet.block.size": "1",
            "compaction.small-file-ratio": 0.5,
            "file.format.per.level": "0:avro",
            "first-row.ignore-delete": "true",
        }
    )


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("bukcet", "'bucket'"),
        ("buckets", "'bucket'"),
        ("Bucket", "'bucket'"),
        ("merge-engin", "'merge-engine'"),
        ("merge_engine", "'merge-engine'"),
        ("mergeEngine", "'merge-engine'"),
        ("primary-keys", "'primary-key'"),
        ("write-bufer-size", "'write-buffer-size'"),
        ("target-file-size-mb", "'target-file-size'"),
        ("file.formt", "'file.format'"),
        ("Scan.mode", "'scan.mode'"),
        ("scan.my-own", "There is no option"),
        ("tag.owner", "There is no option"),
        ("fields.a.nope", "There is no option"),
        ("fields.x.agregate-function", "'fields.x.aggregate-function'"),
        ("file-index.", "There is no option"),
        ("", "There is no option"),
    ],
)
def test_unknown_user_options_get_the_near_match(name: str, near: str) -> None:
    with pytest.raises(UnknownOption) as caught:
        check_user_options({name: "1"})
    assert name in str(caught.value)
    assert near in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "my.own",
        "owner",
        "owner.team",
        "our.own.note",
        "team",
        "comment",
        "comment2",
        "created.by",
        "created_at",
        "cost-center",
        "retention",
        "consumer",
        "version",
        "description",
        "pii",
        "x",
        "connector",
        "spark.sql.note",
        "completely-unheard-of",
        "größe",
    ],
)
def test_properties_of_the_users_own_are_kept(name: str) -> None:
    check_user_options({name: "anything"})
    assert stored_option_warnings({name: "anything"}) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("bucket", "x", "whole number"),
        ("bucket", "3000000000", "whole number"),
        ("bucket", "1_0", "whole number"),
        ("write-only", "yes", "true or false"),
        ("target-file-size", "1 xb", "size such as"),
        ("snapshot.time-retained", "soon", "duration such as"),
        ("compaction.small-file-ratio", "half", "a number"),
        ("metadata.stats-mode", "truncate(0)", "truncate(n)"),
        ("fields.a.stats-mode", "some", "truncate(n)"),
        ("num-levels", "0", "at least 1"),
        ("compaction.offpeak.start.hour", "24", "0 to 23"),
        ("file.format.per.level", "orc", "pairs"),
        ("bucket", None, "text, number or boolean"),
    ],
)
def test_wrong_user_values_say_what_is_allowed(name: str, value: object, said: str) -> None:
    with pytest.raises(InvalidSchema) as caught:
        check_user_options({name: value})
    assert name in str(caught.value)
    assert str(value) in str(caught.value)
    assert said in str(caught.value)


def test_least_kept_may_not_exceed_most_kept() -> None:
    with pytest.raises(InvalidSchema, match=r"'snapshot\.num-retained\.min' is 10"):
        check_user_options({"snapshot.num-retained.max": "5"})
    check_user_options({"snapshot.num-retained.max": "5", "snapshot.num-retained.min": "5"})


PARTIAL = {"merge-engine": "partial-update"}
REMOVED = "partial-update.remove-record-on-delete"


@pytest.mark.parametrize(
    ("options", "one", "other"),
    [
        (
            {"merge-engine": "aggregation", "aggregation.remove-record-on-delete": "true"},
            "aggregation.remove-record-on-delete",
            "fields.v.ignore-retract",
        ),
        ({**PARTIAL, REMOVED: "true"}, REMOVED, "ignore-delete"),
        ({**PARTIAL, REMOVED: "true"}, REMOVED, "fields.g,h.sequence-group"),
        (
            {**PARTIAL, "fields.g.sequence-group": "v", "partial-update.remove-record-on-sequence-group": "g"},
            "partial-update.remove-record-on-sequence-group",
            "ignore-delete",
        ),
    ],
)
def test_a_deleted_row_does_one_thing(options: dict[str, str], one: str, other: str) -> None:
    check_user_options(options)
    value = "v" if other.endswith("group") else "true"
    with pytest.raises(InvalidSchema, match=f"'{one}' and '{other}' cannot both"):
        check_user_options({**options, other: value})


def test_a_tree_of_one_level_is_refused() -> None:
    with pytest.raises(InvalidSchema, match="'num-levels' cannot be 1"):
        check_user_options({"num-levels": 1})
    check_user_options({"num-levels": 2})


def test_stored_unknown_options_are_warned_about() -> None:
    stored = {"bucket": "1", "bukcet": "2", "scan.zzz-qqq": "1", "fields.a.distinct": "true", "my.own": "x"}
    warnings = stored_option_warnings(stored)
    assert len(warnings) == 2, "a property of the user's own needs no warning"
    assert "'bukcet'" in warnings[0]
    assert "Did you mean 'bucket'?" in warnings[0]
    assert warnings[1] == "The table has the unknown option 'scan.zzz-qqq'."


def table(key: bool, options: dict[str, Any]) -> TableSchema:
    base = {"bucket": "2"} if key else {}
    return new_table_schema(
        {"a": "INT", "b": "INT"}, primary_key="a" if key else (), options=base | options, time_millis=0
    )


def refused(schema: TableSchema, for_write: bool) -> str | None:
    try:
        check_supported(schema, for_write=for_write)
    except Unsupported as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("name", "value", "read", "write"),
    [
        ("merge-engine", "aggregation", True, True),
        ("merge-engine", "partial-update", True, True),
        ("merge-engine", "first-row", True, True),
        ("changelog-producer", "lookup", True, True),
        ("changelog-producer", "input", True, True),
        ("sequence.field", "b", True, True),
        ("sequence.snapshot-ordering", "true", True, True),
        ("rowkind.field", "b", True, True),
        ("ignore-delete", "true", True, True),
        ("partial-update.ignore-delete", "true", True, True),
        ("ignore-update-before", "true", True, True),
        ("record-level.expire-time", "1 d", True, True),
        ("data-file.thin-mode", "true", True, True),
        ("pk-clustering-override", "true", False, False),
        ("write.sequence-number-init-mode", "snapshot", True, True),
        ("bucket", "-1", True, True),
        ("bucket", "-2", True, True),
    ],
)
def test_unsupported_values_of_primary_key_tables(name: str, value: str, read: bool, write: bool) -> None:
    schema = table(True, {name: value})
    for for_write, expected in ((False, read), (True, write)):
        message = refused(schema, for_write)
        assert (message is None) is expected
        if message is not None:
            assert f"'{name}' = '{value}'" in message
            assert message.startswith("Writing" if for_write else "Reading")


@pytest.mark.parametrize(
    ("name", "value", "read", "write"),
    [
        ("file.format", "orc", True, True),
        ("file.format", "avro", True, True),
        ("file.format", "row", False, False),
        ("file.format.per.level", "0:avro", True, True),
        ("file.format.per.level", "0:avro,1:lance", False, False),
        ("deletion-vectors.enabled", "true", True, True),
        ("bucket-function.type", "mod", True, True),
        ("branch", "dev", False, False),
        ("scan.fallback-branch", "dev", False, True),
        ("query-auth.enabled", "true", False, False),
        ("fields.b.map.storage-layout", "shared-shredding", True, False),
        ("data-file.external-paths.strategy", "round-robin", True, True),
        ("data-file.external-paths.strategy", "entropy-inject", True, False),
        ("type", "format-table", False, False),
        ("scan.snapshot-id", "3", False, True),
        ("manifest.format", "orc", False, False),
        ("scan.mode", "latest", True, True),
        ("scan.mode", "compacted-full", False, True),
        ("metadata.iceberg.storage", "table-location", True, False),
    ],
)
@pytest.mark.parametrize("key", [True, False])
def test_unsupported_values_of_all_tables(key: bool, name: str, value: str, read: bool, write: bool) -> None:
    schema = table(key, {name: value})
    assert (refused(schema, False) is None) is read
    assert (refused(schema, True) is None) is write


@pytest.mark.parametrize("name", ["row-tracking.enabled", "data-evolution.enabled"])
def test_only_tables_without_a_key_track_their_rows(name: str) -> None:
    assert refused(table(False, {name: "true"}), False) is None
    assert (refused(table(False, {name: "true"}), True) is None) is (name == "row-tracking.enabled")
    assert f"'{name}' = 'true'" in str(refused(table(True, {name: "true"}), False))


@pytest.mark.parametrize("key", [True, False])
def test_large_objects_are_only_read(key: bool) -> None:
    columns = {"a": "INT", "b": "ARRAY<BLOB>"}
    schema = new_table_schema(columns, primary_key="a" if key else (), options={"bucket": "-1"}, time_millis=0)
    assert refused(schema, False) is None
    assert refused(schema, True) is not None


@pytest.mark.parametrize("for_write", [True, False])
def test_supported_tables(for_write: bool) -> None:
    fine = {
        "file.format": "PARQUET",
        "file.format.per.level": "0:parquet",
        "deletion-vectors.enabled": "False",
        "scan.fallback-branch": "",
        "my-own-option": "x",
    }
    assert (
        refused(table(True, {"merge-engine": "DEDUPLICATE", "changelog-producer": "none", **fine}), for_write) is None
    )
    assert refused(table(False, fine), for_write) is None
    assert refused(table(False, {"bucket": "3", "bucket-key": "a"}), for_write) is None


@pytest.mark.parametrize("for_write", [True, False])
def test_options_of_primary_keys_mean_nothing_to_append_tables(for_write: bool) -> None:
    assert refused(table(False, {"merge-engine": "aggregation", "sequence.field": "b"}), for_write) is None


def test_a_value_that_cannot_be_understood_is_refused() -> None:
    with pytest.raises(InvalidSchema, match=r"'deletion-vectors\.enabled' cannot be 'maybe'"):
        check_supported(table(False, {"deletion-vectors.enabled": "maybe"}), for_write=False)
