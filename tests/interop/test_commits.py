"""Java still behaves as recorded, and Java reads a sandbox that was applied."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.interop.commit_cases import RECORDED, Case, ask, cases
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import assert_same_rows, from_arrow
from tests.support.sampling import sampled

pytestmark = pytest.mark.java
SHARES = 40
ACTIONS: dict[str, Callable[[Any], object]] = {
    "write": lambda s: s.write(data(3, "new")),
    "compact": lambda s: s.compact(full=True),
    "compact and expire": lambda s: (s.compact(full=True), s.expire_snapshots(retain_max=1, retain_min=1)),
    "overwrite": lambda s: s.write(data(3, "over"), mode="overwrite"),
    "branch": lambda s: (s.create_branch("dev"), s.branch("dev").write(data(9, "dev")), s.create_tag("now")),
}


def data(first: int, value: str) -> pa.Table:
    ids = range(first, first + 6)
    partitions = pa.array([each % 2 for each in ids], pa.int32())
    return pa.table({"p": partitions, "id": pa.array(ids, pa.int64()), "v": [value] * 6})


@pytest.mark.parametrize("share", sampled(range(SHARES), SHARES))
def test_the_recorded_outcomes(share: int, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    recorded = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    assert [each["steps"] for each in recorded] == [json.loads(json.dumps(each.steps)) for each in cases()]
    for number, reported in list(enumerate(recorded))[share::SHARES]:
        result = ask(java, tmp_path, Case(reported["name"], reported["table"], reported["steps"]), number)
        expected = {name: reported[name] for name in result}
        for answer in (result, expected):
            # Messages of refusals name the warehouse.
            answer["outcomes"] = [each.partition(":")[0] for each in answer["outcomes"]]
        assert result == expected, reported["name"]


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if "and" in each else pytest.mark.long) for each in ACTIONS]
)
def test_an_applied_sandbox(name: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    columns = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL", "v": "STRING"}
    java.create(tmp_path, TABLE, columns, ["p", "id"], ["p"], {"bucket": "1", "write-only": "true"})
    for number in range(4):
        java.write(tmp_path, TABLE, data(number, str(number)))
    with our_table(tmp_path).sandbox() as s:
        ACTIONS[name](s)
        shown = from_arrow(s.to_arrow())
        kinds = [str(each.commit_kind) for each in s.snapshots()]
        s.apply()
    assert_same_rows(java.read(tmp_path, TABLE), shown)
    assert [str(each.commit_kind) for each in our_table(tmp_path).snapshots()] == kinds
    java.write(tmp_path, TABLE, data(20, "after"))
    java.compact(tmp_path, TABLE)
    java.expire(tmp_path, TABLE, 1)
    assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), java.read(tmp_path, TABLE))
    assert len(java.read(tmp_path, TABLE)) == len(shown) + 6
