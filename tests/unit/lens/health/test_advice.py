"""Findings that no statement fixes, and facts that have no finding."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from tests.unit.lens.health.defects import Place, rows
from workbench.format.spec.data_file import EMPTY_ROW
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.lens.health.collect import collect_facts
from workbench.lens.health.facts import BucketFacts, HealthFacts, HistoryFacts, WriterFacts
from workbench.lens.health.health import describe_health, diagnose
from workbench.lens.health.registry import CHECKS, register_check
from workbench.lens.health.values import FindingValue
from workbench.metadata.definition.new_schema import new_table_schema

MEBIBYTE = 1 << 20


def facts(keyed: bool = True, **changes: object) -> HealthFacts:
    schema = new_table_schema(
        {"p": "INT", "k": "BIGINT"},
        primary_key=["p", "k"] if keyed else (),
        partition_by=["p"],
        options={"bucket": "4"} if keyed else {},
        time_millis=0,
    )
    return replace(HealthFacts("d.t", schema, 0), **changes)  # type: ignore[arg-type]


def bucket(number: int, mebibytes: int, partition: bytes = EMPTY_ROW, label: str = "p=1") -> BucketFacts:
    size = mebibytes * MEBIBYTE
    return BucketFacts(f":{number}", partition, number, f"{label}, bucket {number}", 4, 1, 1, 0, 1, size, size, 1000)


def snapshot(number: int, user: str, millis: int, rows_written: int = 10, **properties: str) -> Snapshot:
    return Snapshot(
        id=number,
        schema_id=0,
        base_manifest_list="b",
        delta_manifest_list="d",
        commit_user=user,
        commit_identifier=number,
        commit_kind=CommitKind.APPEND,
        time_millis=millis,
        delta_record_count=rows_written,
        properties={name.replace("_", "."): value for name, value in properties.items()},
    )


def history(*newest_first: Snapshot) -> HistoryFacts:
    return HistoryFacts(len(newest_first), newest_first[-1], newest_first[0], newest_first)


def found(given: HealthFacts) -> dict[str, FindingValue]:
    return {each.id: each for each in describe_health(diagnose(given)).findings}


def test_a_bucket_that_is_much_larger_than_the_others() -> None:
    sizes = (100, 100, 100, 2000)
    finding = found(facts(buckets=tuple(bucket(number, size) for number, size in enumerate(sizes))))["bucket-skew"]
    assert (finding.amount, finding.limit, finding.fix) == (20.0, 4.0, None)
    assert [each.bucket for each in finding.places] == [":3"]
    assert "bucket-key" in finding.advice
    assert "bucket-skew" not in found(facts(buckets=tuple(bucket(number, 100) for number in range(4))))


def test_a_partition_that_is_much_larger_than_the_others() -> None:
    partitions = [bytes([number]) * 20 for number in range(4)]
    sizes = (100, 100, 100, 4000)
    buckets = tuple(
        bucket(0, size, each, f"p={number}") for number, (size, each) in enumerate(zip(sizes, partitions, strict=True))
    )
    finding = found(facts(buckets=buckets))["partition-skew"]
    assert finding.amount == 40.0
    assert [each.label for each in finding.places] == ["p=3"]


def test_commits_of_few_rows() -> None:
    commits = tuple(snapshot(30 - number, "u", 1_000_000 - 30_000 * number) for number in range(30))
    finding = found(facts(history=history(*commits)))["tiny-commits"]
    assert (finding.amount, finding.fix) == (10, None)
    assert "30 s" in finding.title
    large = tuple(replace(each, delta_record_count=5000) for each in commits)
    assert "tiny-commits" not in found(facts(history=history(*large)))


def test_commits_of_one_script_are_no_rate() -> None:
    commits = tuple(snapshot(30 - number, "u", 1_000_000 - 2000 * number) for number in range(30))
    assert "tiny-commits" not in found(facts(history=history(*commits)))


@pytest.mark.parametrize(("users", "severity"), [(1, "attention"), (2, "poor")])
def test_a_storage_without_put_if_absent(users: int, severity: str) -> None:
    commits = tuple(snapshot(4 - number, f"u{number % users}", 10_000_000 * (4 - number)) for number in range(4))
    given = facts(history=history(*commits), writers=WriterFacts("oss", False, False))
    assert found(given)["writers"].severity == severity
    assert "writers" not in found(replace(given, writers=WriterFacts("oss", False, True)))


def test_java_beside_this_library_on_local_files() -> None:
    ours = snapshot(2, "a", 90_000_000, workbench_writer="paimon-workbench 1")
    java = snapshot(1, "b", 0)
    assert found(facts(history=history(ours, java)))["writers"].severity == "notice"
    assert "writers" not in found(facts(history=history(java)))
    assert "writers" not in found(facts(history=history(ours, java), writers=WriterFacts("s3", True, False)))


def test_two_writers_in_turns_on_dynamic_buckets(place: Place) -> None:
    table = place.table(bucket="-1")
    for user in ("a", "b", "a"):
        with table.writer(commit_user=user) as writer:
            writer.write(rows(range(10)))
            table.commit(writer.prepare(), identifier=table.store.clock.now_millis(), commit_user=user)
        place.clock.advance(60_000)
    assert "options:dynamic-bucket-writers" in found(collect_facts(table))


def test_many_schemas() -> None:
    assert found(facts(used_schemas=21))["schemas"].amount == 21
    assert found(facts(schemas=201))["schemas"].amount == 201
    assert "schemas" not in found(facts(schemas=200, used_schemas=20))


def test_numbers_beyond_53_bits() -> None:
    huge = bucket(0, 1 << 44)
    value = describe_health(diagnose(facts(buckets=(huge,))))
    assert value.size == 1 << 64


def test_a_check_of_another_package(place: Place) -> None:
    check = replace(CHECKS["damage"], name="own")
    register_check(check)
    try:
        with pytest.raises(ValueError, match="already a check 'own'"):
            register_check(check)
        table = place.table()
        table.write(pa.table({"dt": ["a"], "k": [1], "v": ["x"]}))
        assert "own" in {each.check for each in describe_health(diagnose(collect_facts(table))).checked}
    finally:
        del CHECKS["own"]
