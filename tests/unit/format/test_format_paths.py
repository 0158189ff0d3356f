"""Names of files and directories (format §1, §12.1)."""

from __future__ import annotations

import re

import pytest

from workbench.format.spec import paths


def test_names_of_metadata_files() -> None:
    assert paths.database_directory("shop") == "shop.db"
    assert paths.schema_name(0) == "schema-0"
    assert paths.snapshot_name(7) == "snapshot-7"
    assert paths.changelog_name(7) == "changelog-7"
    assert paths.tag_name("v1") == "tag-v1"
    assert paths.consumer_name("job") == "consumer-job"
    assert paths.branch_name("dev") == "branch-dev"
    assert paths.branch_root("dev") == "branch/branch-dev"
    assert paths.branch_root("main") == ""
    assert paths.manifest_name("u", 0) == "manifest-u-0"
    assert paths.manifest_list_name("u", 1) == "manifest-list-u-1"
    assert paths.index_manifest_name("u", 2) == "index-manifest-u-2"
    assert paths.index_name("u", 3) == "index-u-3"
    assert paths.statistics_name("u", 4) == "stat-u-4"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("snapshot-12", 12),
        ("snapshot-0", 0),
        ("snapshot-012", None),
        ("snapshot-", None),
        ("snapshot--1", None),
        ("snapshot-1.tmp", None),
        ("snapshot-١", None),
        ("LATEST", None),
        ("schema-1", None),
    ],
)
def test_ids_are_read_from_exact_names_only(name: str, expected: int | None) -> None:
    assert paths.snapshot_id(name) == expected


def test_other_ids() -> None:
    assert paths.schema_id("schema-3") == 3
    assert paths.changelog_id("changelog-3") == 3
    assert paths.schema_id("snapshot-3") is None
    assert paths.name_after("tag-", "tag-v-1") == "v-1"
    assert paths.name_after("tag-", "tag-") is None
    assert paths.name_after("tag-", "branch-x") is None


def test_bucket_paths() -> None:
    assert paths.bucket_path("", 0) == "bucket-0"
    assert paths.bucket_path("dt=1/h=2", 3) == "dt=1/h=2/bucket-3"
    assert paths.bucket_path("dt=1", -2) == "dt=1/bucket-postpone"
    assert paths.bucket_path("dt=1", 0, "data") == "data/dt=1/bucket-0"
    assert paths.bucket_path("", 0, "data/") == "data/bucket-0"


@pytest.mark.parametrize(
    ("file_format", "compression", "expected"),
    [
        ("parquet", None, "data-u-0.parquet"),
        ("parquet", "none", "data-u-0.parquet"),
        ("parquet", "zstd", "data-u-0.zst.parquet"),
        ("orc", "GZIP", "data-u-0.gz.orc"),
        ("orc", "bzip2", "data-u-0.bz2.orc"),
        ("avro", "snappy", "data-u-0.snappy.avro"),
        ("csv", "gzip", "data-u-0.csv.gz"),
        ("csv", None, "data-u-0.csv"),
    ],
)
def test_data_file_names(file_format: str, compression: str | None, expected: str) -> None:
    assert paths.data_file_name("data-", "u", 0, file_format, compression) == expected
    assert paths.file_format_of(expected) == file_format
    assert paths.file_format_of(f"s3://b/x.y/{expected}") == file_format


def test_names_of_files_that_accompany_data_files() -> None:
    assert paths.file_index_name("data-u-0.parquet") == "data-u-0.parquet.index"
    assert paths.file_format_of("data") is None
    assert paths.file_format_of("data-u-0.ORC") == "orc"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a\nb", "\x00", "a\x7f", "a", "...", "ä.b", ".a", " "])
def test_names_are_checked_together_as_they_are_one_by_one(name: str) -> None:
    together = ["data-1.parquet", name, "data-2.parquet"]
    try:
        paths.check_file_name(name)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            paths.check_file_names([each.encode() for each in together])
    else:
        assert paths.check_file_names([each.encode() for each in together]) == together


def test_empty_lists_of_names() -> None:
    assert paths.check_file_names([]) == []
