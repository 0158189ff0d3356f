"""Concurrent commits, as Java's commit class resolves them. To record its outcomes again (needs the referee):

python tests/interop/commit_cases.py

A case is a list of commits that are made one after the other, each prepared without knowledge of the earlier ones, like
commits of concurrent writers. The files exist by name only: no commit opens them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[1] / "unit" / "commit" / "recorded" / "commits.jsonl"
COLUMNS = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL", "v": "STRING"}
KEYED, APPEND, UNAWARE = "keyed", "append", "unaware"
TABLES: dict[str, tuple[list[str], dict[str, str]]] = {
    KEYED: (["p", "id"], {"bucket": "2"}),
    APPEND: ([], {"bucket": "2", "bucket-key": "id"}),
    UNAWARE: ([], {"deletion-vectors.enabled": "true"}),
}
Step = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A table and the commits to it."""

    name: str
    table: str
    steps: list[Step]


def file(name: str, level: int = 0, minimum: int = 0, greatest: int = 9) -> list[Any]:
    return [name, level, minimum, greatest]


def message(p: int = 0, bucket: int = 0, total: int = 2, **files: Any) -> Step:
    return {"p": p, "bucket": bucket, "total": total, **files}


def commit(user: str, *messages: Step, **more: Any) -> Step:
    return {"user": user, "messages": list(messages), **more}


def appended(name: str, **where: int) -> Step:
    return message(**where, new=[file(name)])


def compacted(before: str, after: str, level: int = 5, **where: int) -> Step:
    return message(**where, before=[file(before)], after=[file(after, level)])


def lifted(name: str, level: int, **where: int) -> Step:
    return message(**where, before=[file(name)], after=[file(name, level)])


def replaced(old: str, *new: str, **where: int) -> Step:
    return message(**where, deleted=[file(old)], new=[file(each) for each in new])


BASE = commit("base", appended("a"), appended("b", p=1))

# Commits of two writers that both know the table as BASE left it; the second is checked against the first.
MEETING: dict[str, Step] = {
    "append": commit("x", appended("x")),
    "append, checked": commit("x", appended("x"), check=True),
    "append elsewhere": commit("x", appended("x", p=1)),
    "append of the same file": commit("x", appended("a"), check=True),
    "compaction": commit("x", compacted("a", "x")),
    "compaction elsewhere": commit("x", compacted("b", "x", p=1)),
    "lift": commit("x", lifted("a", 5)),
    "append and compaction": commit("x", message(new=[file("x")], before=[file("a")], after=[file("y", 5)])),
    "rewrite": commit("x", replaced("a", "x")),
    "overwrite": commit("x", appended("x"), overwrite={}),
    "overwrite of a partition": commit("x", appended("x"), overwrite={"p": "0"}),
    "overwrite of all": commit("x", appended("x"), overwrite={}, options={"dynamic-partition-overwrite": "false"}),
    "nothing": commit("x"),
}
MARKING: dict[str, Step] = {
    "mark": commit("x", message(total=-1, new_vectors=[["ix", ["a"]]])),
    "mark another": commit("x", message(total=-1, new_vectors=[["ix", ["c"]]])),
    "mark more": commit("x", message(total=-1, deleted_vectors=[["i0", ["c"]]], new_vectors=[["ix", ["c"]]])),
    "mark two": commit("x", message(total=-1, deleted_vectors=[["i0", ["c"]]], new_vectors=[["ix", ["a", "c"]]])),
    "compact": commit("x", message(total=-1, before=[file("a")], after=[file("x")])),
    "compact a marked file": commit(
        "x",
        message(total=-1, before=[file("c")], after=[file("x")], compact_deleted_vectors=[["i0", ["c"]]]),
    ),
    "compact a marked file that it thinks is whole": commit(
        "x", message(total=-1, before=[file("c")], after=[file("x")])
    ),
    "rewrite": commit("x", message(total=-1, deleted=[file("a")], new=[file("x")])),
    "rewrite a marked file": commit(
        "x",
        message(total=-1, deleted=[file("c")], new=[file("x")], deleted_vectors=[["i0", ["c"]]]),
    ),
    "append": commit("x", message(total=-1, new=[file("x")])),
    "overwrite": commit("x", message(total=-1, new=[file("x")]), overwrite={"p": "0"}),
    "mark a file that is not there": commit("x", message(total=-1, new_vectors=[["ix", ["z"]]])),
}
MARKED = [
    commit("base", message(total=-1, new=[file("a"), file("c")])),
    commit("base", message(total=-1, new_vectors=[["i0", ["c"]]]), identifier=2),
]


def _renamed(step: Step, suffix: str, user: str) -> Step:
    """Return the step as another writer would commit it, with other names for its new files."""
    text = json.dumps(step)
    for name in ("x", "y", "ix"):
        text = text.replace(f'"{name}"', f'"{name}{suffix}"')
    return {**json.loads(text), "user": user}


def _meetings(table: str, base: list[Step], steps: dict[str, Step]) -> Iterator[Case]:
    for (first, one), (second, two) in product(steps.items(), repeat=2):
        pair = [_renamed(one, "1", "first"), _renamed(two, "2", "second")]
        yield Case(f"{table}: {second} after {first}", table, [*base, *pair])


def _bucket_numbers() -> Iterator[Case]:
    for table, check in product((KEYED, APPEND), (False, True)):
        for name, step in {
            "append": commit("x", appended("x", total=3), check=check),
            "append to a new partition": commit("x", appended("x", p=7, total=3), check=check),
            "two numbers at once": commit("x", appended("x", p=7, total=3), appended("y", p=7, total=4), check=check),
            "compaction": commit("x", compacted("a", "x", total=3)),
            "overwrite": commit("x", appended("x", total=3), overwrite={"p": "0"}),
        }.items():
            yield Case(f"{table}: another number of buckets: {name}, check={check}", table, [BASE, step])


def _key_ranges() -> Iterator[Case]:
    """Yield compactions that write files to a level to which another compaction has already written."""
    for level, (minimum, greatest) in product((0, 1, 5), ((0, 4), (0, 5), (9, 20), (10, 20), (3, 4))):
        lower = commit("x", message(after=[file("low", 5, 5, 9)]))
        step = commit("y", message(after=[file("new", level, minimum, greatest)]))
        yield Case(f"keyed: {minimum} to {greatest} on level {level}", KEYED, [lower, step])
    apart = commit("y", message(bucket=1, after=[file("new", 5, 5, 9)]))
    yield Case("keyed: the same keys in another bucket", KEYED, [lower, apart])
    for name, step in {
        "both new files overlap": commit("y", message(after=[file("m", 4, 0, 5), file("n", 4, 5, 9)])),
        "added and taken away": commit("y", message(before=[file("m")], after=[file("m")])),
        "the same file twice": commit("y", message(after=[file("m", 4), file("m", 4)])),
        "lifted over an old one": commit("y", message(before=[file("m", 4)], after=[file("m", 5)])),
    }.items():
        yield Case(f"keyed: {name}", KEYED, [lower, step])


def _strictly() -> Iterator[Case]:
    # The table already has a snapshot, so the first of the two commits is snapshot 2.
    for safe, (first, second) in product((-1, 1, 2), product(MEETING, repeat=2)):
        if safe == 1 or (first, second) in (("overwrite", "append"), ("compaction", "overwrite")):
            option = {"commit.strict-mode.last-safe-snapshot": str(safe)}
            one, two = _renamed(MEETING[first], "1", "first"), _renamed(MEETING[second], "2", "second")
            two = {**two, "options": {**two.get("options", {}), **option}}
            yield Case(f"keyed: strictly after {safe}: {second} after {first}", KEYED, [BASE, one, two])
    option = {"commit.strict-mode.last-safe-snapshot": "1"}
    one, two = MEETING["compaction"], {**MEETING["append"], "options": option, "identifier": 2}
    yield Case("keyed: strictly after an own commit", KEYED, [BASE, one, two])
    marks = MARKING["mark"]
    for name, step in MARKING.items():
        two = {**_renamed(step, "2", "second"), "options": {"commit.strict-mode.last-safe-snapshot": "2"}}
        yield Case(f"unaware: strictly: {name} after mark", UNAWARE, [*MARKED, marks, two])
    behind = commit("x", appended("y", bucket=-2), identifier=3)
    two = {**_renamed(MEETING["overwrite"], "2", "second"), "options": option}
    yield Case("keyed: strictly: overwrite after a postponed append", KEYED, [BASE, behind, two])


def _again() -> Iterator[Case]:
    discard = {"commit.discard-duplicate-files": "true"}
    for check in (False, True):
        for name, step in {
            "the same file": commit("x", appended("a"), check=check, options=discard),
            "the same file and another": commit("x", appended("a"), appended("x"), check=check, options=discard),
            "another": commit("x", appended("x"), check=check, options=discard),
            "the same name on another level": commit("x", message(new=[file("a", 1)]), check=check, options=discard),
            "a rewrite": {**MEETING["rewrite"], "check": check, "options": discard},
            "a compaction": {**MEETING["compaction"], "check": check, "options": discard},
            "of a removed file": {**MEETING["rewrite"], "check": check, "options": discard, "user": "y"},
        }.items():
            yield Case(f"keyed: discarding: {name}, check={check}", KEYED, [BASE, step])
    for filtered, identifier in product((False, True), (1, 2, 3)):
        one = commit("job", appended("x"), identifier=2)
        two = commit("job", appended("x"), identifier=identifier, filter=filtered, check=filtered)
        yield Case(f"keyed: again with identifier {identifier}, filtered={filtered}", KEYED, [one, two])
    for ignore in (False, True):
        for name, step in (("append", commit("x")), ("overwrite", commit("x", overwrite={"p": "0"}))):
            empty = {**step, "ignore_empty": ignore}
            yield Case(f"keyed: nothing to {name}, ignored={ignore}", KEYED, [BASE, empty])


def cases() -> list[Case]:
    """Return all cases; their names are unique."""
    result = [
        *_meetings(KEYED, [BASE], MEETING),
        *_meetings(APPEND, [BASE], MEETING),
        *_meetings(UNAWARE, MARKED, MARKING),
        *_bucket_numbers(),
        *_key_ranges(),
        *_strictly(),
        *_again(),
    ]
    assert len({each.name for each in result}) == len(result)
    return result


def ask(java: Any, warehouse: Path, case: Case, number: int) -> dict[str, Any]:
    """Return Java's result for a case: the outcome of each commit, the kinds of the snapshots, the files at the end."""
    keys, options = TABLES[case.table]
    table = f"db.t{number}"
    java.create(warehouse, table, COLUMNS, keys, ["p"], options)
    answer = java.ask("commits", warehouse, table, steps=case.steps)
    return {each: answer[each] for each in ("outcomes", "kinds", "files")}


def record() -> None:
    """Let Java resolve all cases, and record the outcomes."""
    from tests.interop.referees import start

    java = start("java-2.0.0")
    try:
        with tempfile.TemporaryDirectory() as position:
            lines = [
                json.dumps({**asdict(case), **ask(java, Path(position), case, number)})
                for number, case in enumerate(cases())
            ]
    finally:
        java.close()
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    record()
