"""Compare the answers of an attached session with the recorded ones: ``python -m tests.spark.official.compare``.

Arguments are names of pages or of cases; without one, every case runs. ``differences.yaml`` lists the statements that
answer differently, with the reason; ``--list`` adds the new ones to it and removes those that have vanished.
``--connect`` runs the cases through Spark Connect, where ``differences_connect.yaml`` adds statements to the list; a
statement there without a reason is removed from the list.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.spark.official.corpus import HERE, Case, cases
from tests.spark.official.running import run_case
from tests.support.spark_places import CONNECT, small_session

_LIST, _CONNECT_LIST = HERE / "differences.yaml", HERE / "differences_connect.yaml"
UNEXPLAINED = "Not examined yet."


@dataclass(frozen=True)
class Difference:
    """A statement whose answer differs."""

    key: str
    statement: str
    recorded: dict[str, Any]
    ours: dict[str, Any]

    def __str__(self) -> str:
        """Show both answers."""
        return f"{self.key}: {self.statement}\n  recorded: {_shown(self.recorded)}\n  ours:     {_shown(self.ours)}"


def _shown(answer: dict[str, Any]) -> str:
    if "failure" in answer:
        return f"FAILS {answer['failure']}"
    return f"{' '.join(f'{name}:{kind}' for name, kind in answer['columns'])} {json.dumps(answer['rows'])}"[:1500]


def recorded_answers(page: str) -> dict[str, list[dict[str, Any]]]:
    """Return the recorded answers of the cases of a page."""
    loaded: dict[str, list[dict[str, Any]]] = json.loads((HERE / "answers" / f"{page}.json").read_text("utf-8"))
    return loaded


def documented_differences(*, connect: bool = False) -> dict[str, str]:
    """Return the reason of each statement that answers differently, by ``page/case#number``.

    Args:
        connect: Whether the statements run through Spark Connect.
    """
    known = {key: reason for key, reason in _listed(_LIST).items() if reason is not None}
    if not connect:
        return known
    more = _listed(_CONNECT_LIST)
    return {key: reason for key, reason in {**known, **more}.items() if reason is not None}


def _listed(path: Path) -> dict[str, str | None]:
    groups = yaml.safe_load(path.read_text("utf-8")) or []
    return {statement: group["reason"] for group in groups for statement in group["statements"]}


def differences(session: Any, chosen: Iterable[Case], folder: Path) -> Iterator[Difference]:
    """Run cases in an attached session, and yield the statements whose answers differ from the recorded ones.

    If a statement fails in both, the messages are not compared.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from workbench.base.errors import WorkbenchError

    # Pages that ran before in the session leave databases behind.
    for row in session.sql("SHOW DATABASES IN paimon").collect():
        if row[0] != "default":
            session.sql(f"DROP DATABASE paimon.{row[0]} CASCADE")
    for case in chosen:
        ours = run_case(session, case, folder, (PySparkException, Py4JError, WorkbenchError))
        recorded = recorded_answers(case.page)[case.name]
        for number, (statement, theirs, mine) in enumerate(zip(case.statements, recorded, ours, strict=True), 1):
            both_fail = "failure" in theirs and "failure" in mine
            if not both_fail and theirs != mine:
                yield Difference(f"{case.key}#{number}", statement, theirs, mine)


def attached_session(spark: Any, warehouse: Path) -> Any:
    """Return a session with an empty catalog ``paimon`` and the time zone of the recording."""
    import workbench as wb

    warehouse.mkdir(parents=True, exist_ok=True)
    session = wb.spark.attach(spark, wb.connect(str(warehouse)))
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return session


def write_list(found: set[str], chosen: Iterable[Case], *, connect: bool) -> None:
    """Add the found differences to the list, and remove those of the chosen cases that were not found."""
    ran = {f"{case.key}#{number}" for case in chosen for number in range(1, len(case.statements) + 1)}
    base: dict[str, str | None] = {**documented_differences()} if connect else {}
    known = _listed(_CONNECT_LIST if connect else _LIST)
    reasons = {key: reason for key, reason in known.items() if key not in ran or (key in found) == (reason is not None)}
    reasons |= dict.fromkeys(found - known.keys() - base.keys(), UNEXPLAINED)
    reasons |= dict.fromkeys((base.keys() & ran) - found, None)
    groups = [
        {"reason": reason, "statements": sorted(key for key in reasons if reasons[key] == reason)}
        for reason in sorted(set(reasons.values()), key=str)
    ]
    text = yaml.safe_dump(groups, sort_keys=False, width=118, allow_unicode=True)
    (_CONNECT_LIST if connect else _LIST).write_text(text, "utf-8")


def main(arguments: list[str]) -> int:
    """Print the differences, explained ones by key and reason; return 0 if they are exactly the listed ones."""
    home = Path(tempfile.mkdtemp(prefix="compare-"))
    connect = "--connect" in arguments
    place = CONNECT if connect else "local[2]"
    spark = small_session("compare", place, "UTC", "-Duser.timezone=UTC")
    names = [each for each in arguments if not each.startswith("--")]
    chosen = [case for case in cases() if not names or case.page in names or case.key in names]
    known = documented_differences(connect=connect)
    found = set()
    for each in differences(attached_session(spark, home / "warehouse"), chosen, home / "files"):
        found.add(each.key)
        explained = known.get(each.key, UNEXPLAINED) != UNEXPLAINED
        print(f"{each.key}: {known[each.key]}" if explained else each, flush=True)
    print(f"{len(found)} differences in {sum(len(case.statements) for case in chosen)} statements")
    ran = {f"{case.key}#{number}" for case in chosen for number in range(1, len(case.statements) + 1)}
    wrong = sorted(found ^ (known.keys() & ran))
    print("\n".join(["Not as the list says:", *wrong]) if wrong else "As the list says.", flush=True)
    if "--list" in arguments:
        write_list(found, chosen, connect=connect)
    spark.stop()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
