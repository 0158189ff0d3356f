"""Random histories of changed rows and columns, run by Spark jobs and by the library, compared with a plain model."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.spark_rows import rows
from workbench.sql.execute import execute

pytestmark = [pytest.mark.spark, pytest.mark.long]
_KINDS = {
    "plain": "PARTITIONED BY (p)",
    "marked": "TBLPROPERTIES ('deletion-vectors.enabled' = 'true')",
    "hashed": "PARTITIONED BY (p) TBLPROPERTIES ('bucket' = '2', 'bucket-key' = 'id')",
    "keyed": "PARTITIONED BY (p) TBLPROPERTIES ('primary-key' = 'id,p', 'bucket' = '2')",
    "marked keys": "TBLPROPERTIES ('primary-key' = 'id,p', 'bucket' = '1', 'deletion-vectors.enabled' = 'true')",
    "dynamic": "PARTITIONED BY (p) TBLPROPERTIES ('primary-key' = 'id,p', 'changelog-producer' = 'lookup')",
}
_STEPS = 16
Row = dict[str, Any]


@dataclass
class Model:
    """The rows and columns that a table should have."""

    source: random.Random
    is_keyed: bool
    rows: list[Row] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=lambda: {"id": "INT", "v": "STRING", "p": "STRING", "n": "INT"})
    made: int = 0

    def numbers(self) -> list[str]:
        """Return the numeric columns that may change."""
        return [name for name, kind in self.columns.items() if kind != "STRING" and name != "id"]

    def others(self) -> list[str]:
        """Return the columns outside of the key."""
        return [name for name in self.columns if name not in ("id", "p")]

    def add(self, new: Row) -> None:
        """Add a row, which replaces one with the same key."""
        if self.is_keyed:
            self.rows = [row for row in self.rows if (row["id"], row["p"]) != (new["id"], new["p"])]
        self.rows.append(new)

    def sorted(self) -> list[tuple[Any, ...]]:
        """Return what a query of all columns, in their order, should return, sorted."""
        return sorted((tuple(row[name] for name in self.columns) for row in self.rows), key=repr)


def insert(model: Model) -> str:
    new: list[Row] = []
    for number in model.source.sample(range(12), model.source.randint(1, 5)):
        row: Row = {
            name: model.source.choice([None, "x", "yy"] if kind == "STRING" else [None, *range(9)])
            for name, kind in model.columns.items()
        }
        new.append({**row, "id": number, "p": model.source.choice("ab")})
    for row in new:
        model.add(row)
    literals = (", ".join("NULL" if value is None else repr(value) for value in row.values()) for row in new)
    return f"INSERT INTO {{t}} VALUES {', '.join(f'({each})' for each in literals)}"


def update(model: Model) -> str:
    name, step, rest = model.source.choice(model.numbers()), model.source.randint(1, 3), model.source.randrange(3)
    texts = [each for each in model.others() if model.columns[each] == "STRING"]
    text = model.source.choice(texts) if texts else None
    for row in model.rows:
        if row["id"] % 3 == rest:
            row[name] = (row[name] or 0) + step
            if text is not None:
                row[text] = (row[text] or "z") + "u"
    assigned = "" if text is None else f", {text} = concat(coalesce({text}, 'z'), 'u')"
    return f"UPDATE {{t}} SET {name} = coalesce({name}, 0) + {step}{assigned} WHERE id % 3 = {rest}"


def delete(model: Model) -> str:
    name, rest, least = model.source.choice(model.numbers()), model.source.randrange(4), model.source.randrange(5)
    model.rows = [row for row in model.rows if not (row["id"] % 4 == rest and (row[name] or 0) >= least)]
    return f"DELETE FROM {{t}} WHERE id % 4 = {rest} AND coalesce({name}, 0) >= {least}"


def merge(model: Model) -> str:
    name = model.source.choice(model.numbers())
    given = {(number, model.source.choice("ab")): number + 100 for number in model.source.sample(range(15), 4)}
    found = {key: [row for row in model.rows if (row["id"], row["p"]) == key] for key in given}
    for key, matched in found.items():
        for row in matched:
            row[name] = given[key]
        if key[0] % 5 == 0:
            model.rows = [row for row in model.rows if not any(row is each for each in matched)]
        if not matched:
            model.add({**dict.fromkeys(model.columns), "id": key[0], "p": key[1], name: given[key]})
    source = " UNION ALL ".join(f"SELECT {number} AS id, '{p}' AS p, {x} AS x" for (number, p), x in given.items())
    return (
        f"MERGE INTO {{t}} AS t USING ({source}) AS s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.id % 5 = 0 "
        f"THEN DELETE WHEN MATCHED THEN UPDATE SET {name} = s.x "
        f"WHEN NOT MATCHED THEN INSERT (id, p, {name}) VALUES (s.id, s.p, s.x)"
    )


def _moved(model: Model, name: str) -> str:
    """Move a column of the model to another position, and return the SQL clause that does so."""
    before = list(model.columns)
    others = [each for each in before if each != name]
    at = model.source.choice([number for number in range(len(before)) if number != before.index(name)])
    model.columns = {each: model.columns[each] for each in [*others[:at], name, *others[at:]]}
    return "FIRST" if at == 0 else f"AFTER {others[at - 1]}"


def add_column(model: Model) -> str:
    model.made += 1
    name, kind = f"c{model.made}", model.source.choice(["INT", "STRING"])
    model.columns[name] = kind
    for row in model.rows:
        row[name] = None
    return f"ALTER TABLE {{t}} ADD COLUMN {name} {kind} {_moved(model, name)}"


def drop_column(model: Model) -> str:
    spare = [name for name in model.others() if model.columns[name] == "STRING" or len(model.numbers()) > 1]
    if not spare:
        return add_column(model)
    name = model.source.choice(spare)
    del model.columns[name]
    return f"ALTER TABLE {{t}} DROP COLUMN {name}"


def rename_column(model: Model) -> str:
    model.made += 1
    old, new = model.source.choice(model.others()), f"r{model.made}"
    model.columns = {new if name == old else name: kind for name, kind in model.columns.items()}
    for row in model.rows:
        row[new] = row.pop(old)
    return f"ALTER TABLE {{t}} RENAME COLUMN {old} TO {new}"


def move_column(model: Model) -> str:
    name = model.source.choice(list(model.columns))
    return f"ALTER TABLE {{t}} ALTER COLUMN {name} {_moved(model, name)}"


def widen_column(model: Model) -> str:
    name = model.source.choice(model.numbers())
    model.columns[name] = "BIGINT"
    return f"ALTER TABLE {{t}} ALTER COLUMN {name} TYPE BIGINT"


_CHANGES: tuple[Callable[[Model], str], ...] = (update, delete, merge)
_ALTERS: tuple[Callable[[Model], str], ...] = (add_column, drop_column, rename_column, move_column, widen_column)


def check_conditions(session: Any, model: Model, history: list[str]) -> None:
    """Check queries that Spark may answer from statistics, also for columns that older files lack."""
    name, least = model.source.choice(model.numbers()), model.source.randrange(6)
    values = [row[name] for row in model.rows if row[name] is not None]
    expected = (len(model.rows), len(values), min(values, default=None), max(values, default=None))
    assert rows(session, f"SELECT count(*), count({name}), min({name}), max({name}) FROM by_job") == [expected], history
    found = rows(session, f"SELECT id FROM by_job WHERE {name} > {least} OR {name} IS NULL")
    kept = sorted((row["id"],) for row in model.rows if row[name] is None or row[name] > least)
    assert sorted(found) == kept, (name, least, history)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", _KINDS)
def test_a_history(plain_session: Any, catalog: Any, kind: str, seed: int) -> None:
    model = Model(random.Random(f"{kind} {seed}"), "primary-key" in _KINDS[kind])
    statement = f"CREATE TABLE {{t}} (id INT NOT NULL, v STRING, p STRING NOT NULL, n INT) {_KINDS[kind]}"
    history = [statement, insert(model)]
    for text in history:
        rows(plain_session, text.format(t="by_job"))
        execute(text.format(t="by_library"), catalog, "shop")
    versions = {catalog.get_table("shop.by_job").version.id: ("SELECT id, v, p, n FROM", model.sorted())}
    for _ in range(_STEPS):
        text = model.source.choice([insert, *_CHANGES, *_CHANGES, *_ALTERS])(model)
        history.append(text)
        rows(plain_session, text.format(t="by_job"))
        execute(text.format(t="by_library"), catalog, "shop")
        query = f"SELECT {', '.join(model.columns)} FROM"
        assert sorted(rows(plain_session, f"{query} by_job"), key=repr) == model.sorted(), history
        found = [tuple(row.values()) for row in catalog.get_table("shop.by_library").to_arrow().to_pylist()]
        assert sorted(found, key=repr) == model.sorted(), history
        check_conditions(plain_session, model, history)
        # A statement that changes no rows makes no version.
        newest = catalog.get_table("shop.by_job").version.id
        if newest not in versions:
            versions[newest] = (query, model.sorted())
    for number, (query, expected) in versions.items():
        read = rows(plain_session, f"{query} by_job VERSION AS OF {number}")
        assert sorted(read, key=repr) == expected, (number, history)
