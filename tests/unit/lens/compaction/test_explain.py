"""States that a picker may have seen: files that arrive between its picks, or from other writers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import EMPTY_STATS, DataFileMeta
from workbench.lens.compaction.deltas import BucketDelta
from workbench.lens.compaction.explain import explain
from workbench.lens.compaction.pickers import picker_of
from workbench.metadata.definition.new_schema import new_table_schema

KEYED = new_table_schema({"k": "BIGINT", "v": "STRING"}, primary_key=["k"], options={"bucket": "1"}, time_millis=0)
HASHED = new_table_schema({"k": "BIGINT"}, options={"bucket": "1", "bucket-key": "k"}, time_millis=0)
UNAWARE = new_table_schema({"k": "BIGINT"}, options={"bucket": "-1"}, time_millis=0)
PICK = picker_of(KEYED, {}, 0)


def file(name: str, size: int, sequence: int, level: int = 0, **given: Any) -> DataFileMeta:
    low, high = (encode_row((key,), [field.type for field in KEYED.key_fields]) for key in (0, 9))
    made = DataFileMeta(name, size, 10, low, high, EMPTY_STATS, EMPTY_STATS, sequence, sequence, 0, level)
    return replace(made, **given)


OLD = file("old", 1_000_000, 0, 5)
NEW = [file(f"new-{number}", 100, number) for number in range(1, 12)]


def test_one_pick_of_all_that_is_there() -> None:
    files = [OLD, *NEW[:4]]
    found = explain(files, BucketDelta(tuple(NEW[:4]), (file("out", 400, 4, 4),)), PICK)
    assert found is not None
    assert (found.rule, len(found.picks), found.alternatives) == ("size-ratio", 1, ())


def test_files_that_arrived_later_were_not_seen() -> None:
    files = [OLD, *NEW[:6]]
    found = explain(files, BucketDelta(tuple(NEW[:4]), (file("out", 400, 4, 4),)), PICK)
    assert found is not None
    assert found.rule == "size-ratio"


def test_files_of_a_writer_that_committed_in_between_were_not_seen() -> None:
    files = [OLD, *NEW[:6]]
    picked = (NEW[0], NEW[2], NEW[4], NEW[5])
    found = explain(files, BucketDelta(picked, (file("out", 400, 6, 4),)), PICK)
    assert found is not None
    assert found.rule == "size-ratio"


def test_one_pick_that_explains_all_files_is_preferred_to_several_rounds() -> None:
    """Four files may have been compacted first, then the result and three more; one pick of all seven explains it."""
    files = [OLD, *NEW[:7]]
    found = explain(files, BucketDelta(tuple(NEW[:7]), (file("out", 700, 7, 4),)), PICK)
    assert found is not None
    assert [pick.output_level for pick in found.picks] == [4]


def test_a_level_that_no_pick_leads_to_is_not_explained() -> None:
    files = [OLD, *NEW[:4]]
    assert explain(files, BucketDelta(tuple(NEW[:4]), (file("out", 400, 4, 2),)), PICK) is None


def test_files_that_no_pick_chooses_are_not_explained() -> None:
    files = [OLD, *NEW[:6]]
    assert explain(files, BucketDelta((NEW[0], NEW[1]), (file("out", 200, 2, 4),)), PICK) is None


def test_a_request_is_an_alternative_to_a_rule() -> None:
    files = [file("small", 100, 0, 5), *NEW[:5]]
    found = explain(files, BucketDelta(tuple(files), (file("out", 600, 5, 5),)), PICK)
    assert found is not None
    assert (found.rule, found.alternatives) == ("size-amplification", ("full",))


def test_nothing_compacted_is_not_explained() -> None:
    assert explain([OLD], BucketDelta(), PICK) is None


def test_rounds_of_an_append_table() -> None:
    pick = picker_of(HASHED, {}, 0)
    files = NEW[:9]
    found = explain(files, BucketDelta(tuple(files), (file("out", 900, 9),)), pick)
    assert found is not None
    assert found.rule in {"file-count", "full"}


def test_tasks_of_one_plan() -> None:
    big = replace(
        UNAWARE, options={**UNAWARE.options, "target-file-size": "1 kb", "source.split.open-file-cost": "0 b"}
    )
    files = [file(f"f{number}", 600 + number, number) for number in range(8)]
    found = explain(files, BucketDelta(tuple(files), (file("out", 4000, 9),)), picker_of(big, {}, 0), several=True)
    assert found is not None
    assert found.rule == "full-bin"
    assert len(found.picks) == 2
