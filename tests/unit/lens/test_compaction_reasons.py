"""Why compactions ran, grouped by rule."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.lens.compaction_reasons import CompactionReasons, compaction_reasons


def reasons(*records: Any) -> CompactionReasons:
    return compaction_reasons(json.dumps(records))


def picked(reason: str, why: str, **numbers: int) -> dict[str, Any]:
    return {"reason": reason, "output_level": 5, "files": 4, "bytes": 1024, "why": why, **numbers}


def test_one_bucket_keeps_its_sentence() -> None:
    assert reasons(picked("size-ratio", "Similar.")) == CompactionReasons("Similar.", ())


def test_equal_sentences_are_said_once() -> None:
    assert reasons(*[picked("full", "It was requested.")] * 3) == CompactionReasons("3 buckets: It was requested.", ())


def test_buckets_of_a_rule_are_summed_up_with_details() -> None:
    first = picked("size-amplification", "First.", newer_bytes=200 * 1024, oldest_bytes=100 * 1024)
    second = picked("size-amplification", "Second.", newer_bytes=188 * 1024, oldest_bytes=54 * 1024)
    other = picked("run-count", "Many.")
    assert reasons(first, other, second, second) == CompactionReasons(
        "3 buckets: size amplification (576 KiB over 208 KiB). Many.", ("First.", "2 times: Second.")
    )
    assert reasons(other, picked("run-count", "More.")).text == "2 buckets: run count (8 files, 2.0 KiB)."


def test_compactions_of_append_tables_have_no_buckets() -> None:
    one, other = ({"reason": "file-count", "files": 5, "bytes": 10, "why": why} for why in ("5 files.", "6 files."))
    assert reasons(one, other).text == "2 compactions: file count (10 files, 20 B)."


def test_what_was_left_out_is_counted() -> None:
    assert reasons(picked("full", "All."), {"more": 7}).text == "All. 7 more buckets without a recorded reason."
    assert reasons({"reason": "full"}, {"reason": "full", "why": "x"}).text == "2 compactions: full."


@pytest.mark.parametrize(
    "recorded", [None, "", "no json", "[1]", "[{}]", '[{"more": "x"}]', "5", '{"why": "x"}', "null", "[" * 100_000]
)
def test_a_record_without_facts(recorded: str | None) -> None:
    assert compaction_reasons(recorded) == CompactionReasons("", ())
