"""The kind of a table is found from its keys and options, and states what follows from both."""

from __future__ import annotations

import pickle

import pytest

from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.table_kind import (
    AppendOnlyKind,
    BucketMode,
    DataEvolutionKind,
    KeyValueKind,
    TableKind,
    kind_of,
)

MEBIBYTE = 1024 * 1024
EVOLUTION = {"data-evolution.enabled": "true"}


def kind(options: dict[str, str], key: str = "", partition: str = "") -> TableKind:
    return kind_of(CoreOptions(options), tuple(partition.split()), tuple(key.split()))


def test_keys_take_precedence_over_options() -> None:
    assert type(kind({})) is AppendOnlyKind
    assert type(kind(EVOLUTION)) is DataEvolutionKind
    assert type(kind({}, "id")) is type(kind(EVOLUTION, "id")) is KeyValueKind


@pytest.mark.parametrize(
    ("bucket", "key", "partition", "mode"),
    [
        ("4", "", "", BucketMode.HASH_FIXED),
        ("-1", "", "p", BucketMode.BUCKET_UNAWARE),
        ("4", "id", "", BucketMode.HASH_FIXED),
        ("-1", "id", "", BucketMode.HASH_DYNAMIC),
        ("-1", "id p", "p", BucketMode.HASH_DYNAMIC),
        ("-1", "id", "p", BucketMode.KEY_DYNAMIC),
        ("-2", "id", "", BucketMode.POSTPONE_MODE),
    ],
)
def test_bucket_modes(bucket: str, key: str, partition: str, mode: BucketMode) -> None:
    found = kind({"bucket": bucket}, key, partition).bucket_mode
    assert found is mode
    assert found.is_known == (bucket == "4" or not key)


def test_only_a_key_may_cross_partitions() -> None:
    assert kind({}, "id", "p").crosses_partitions
    assert not kind({}, "id p", "p").crosses_partitions
    assert not kind({}, "", "p").crosses_partitions


def test_sizes_of_files() -> None:
    assert [kind({}, key).target_file_size for key in ("id", "")] == [128 * MEBIBYTE, 256 * MEBIBYTE]
    assert kind({}, "id").small_file_size == int(128 * MEBIBYTE * 0.7)
    assert [kind({"target-file-size": "1 mb"}, key).target_file_size for key in ("id", "")] == [MEBIBYTE, MEBIBYTE]


def test_options_of_key_tables_mean_nothing_without_a_key() -> None:
    options = {
        "changelog-producer": "input",
        "merge-engine": "first-row",
        "file.format.per.level": "0:avro",
        "file.compression.per.level": "0:lz4",
    }
    keyed, append = kind(options, "id"), kind(options)
    assert (keyed.changelog_producer, keyed.hides_level_0, keyed.of_new_files()) == ("input", True, ("avro", "lz4"))
    assert (append.changelog_producer, append.hides_level_0, append.merge_engine) == ("none", False, None)
    assert append.of_new_files() == ("parquet", "zstd")


def test_a_room_chooses_for_a_kind_or_the_one_that_it_extends() -> None:
    choices: dict[type[TableKind], str] = {KeyValueKind: "key", AppendOnlyKind: "append"}
    assert [each.choose(choices) for each in (kind({}, "id"), kind({}), kind(EVOLUTION))] == ["key", "append", "append"]
    assert kind(EVOLUTION).choose({**choices, DataEvolutionKind: "columns"}) == "columns"
    with pytest.raises(LookupError, match="AppendOnlyKind"):
        kind({}).choose({KeyValueKind: "key"})


def test_a_kind_is_sent_to_other_processes() -> None:
    sent = pickle.loads(pickle.dumps(kind({"bucket": "-1"}, "id")))
    assert (type(sent), sent.bucket_mode) == (KeyValueKind, BucketMode.HASH_DYNAMIC)
