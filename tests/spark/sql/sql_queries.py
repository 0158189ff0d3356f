"""A seeded generator of queries over the tables of `sql_tables`, and a list of queries that have to run on DuckDB."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

NAMED = tuple(
    line
    for line in Path(__file__).with_name("sql_named.sql").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("--")
)
_COLUMNS = {
    "int": ("i", "si", "ti", "id"),
    "long": ("b", "id"),
    "number": ("i", "si", "b", "p", "q", "x", "d", "id", "f"),
    "double": ("x", "d"),
    "decimal": ("p", "q"),
    "text": ("s", "w"),
    "bool": ("flag",),
    "date": ("dt",),
    "clock": ("ts", "nt"),
}
_LITERALS = {
    "int": ("0", "1", "2", "7", "-4", "NULL", "100"),
    "long": ("3L", "9000000000"),
    "number": ("1", "2.5", "0.05", "1.5D", "-3", "0", "10L"),
    "double": ("0.5D", "2D", "1e3"),
    "decimal": ("1.5", "0.01", "-12.34"),
    "text": ("'pen'", "''", "'red'", "'é'", "'a%b'"),
    "bool": ("true", "false"),
    "date": ("DATE '2024-02-29'", "DATE '2000-01-01'"),
    "clock": ("TIMESTAMP '2024-11-03 01:30:00'", "TIMESTAMP_NTZ '2024-03-10 02:30:00'"),
}
# Expressions for each kind of value; a name in braces is replaced by an expression of that kind.
_FORMS = {
    "int": (
        *("{int} + {int}", "{int} - {int}", "{int} * {int}", "{int} % {int}", "abs({int})", "-{int}", "length({text})"),
        *("year({date})", "month({clock})", "dayofweek({date})", "hour({clock})", "datediff({date}, {date})"),
        *("if({bool}, {int}, {int})", "coalesce({int}, {int})", "CASE WHEN {bool} THEN {int} ELSE {int} END"),
        *("instr({text}, 'e')", "pmod({int}, 7)", "{int} & {int}", "CAST({bool} AS INT)", "nullif({int}, {int})"),
        *(
            "CAST({double} AS INT)",
            "CAST({decimal} AS INT)",
            "CAST(n AS INT)",
            "greatest({int}, {int})",
            "quarter({date})",
        ),
    ),
    "long": (
        "{long} + {int}",
        "{long} DIV {int}",
        "floor({number})",
        "CAST({int} AS BIGINT)",
        "{long} * 2",
        "ceil({decimal})",
    ),
    "number": (
        "{int}",
        "{decimal}",
        "{double}",
        "{long}",
        "{number} + {number}",
        "{number} / {number}",
        "{number} * {int}",
    ),
    "double": (
        *("{double} + {double}", "{double} * {number}", "{int} / {int}", "sqrt({double})", "round({double}, 2)"),
        *(
            "CAST({decimal} AS DOUBLE)",
            "exp({double} / 100)",
            "ln({double})",
            "power({double}, 2)",
            "least({double}, {double})",
        ),
    ),
    "decimal": (
        *("{decimal} + {decimal}", "{decimal} - {int}", "p * {decimal}", "p / 3", "round({decimal}, 1)", "-{decimal}"),
        *("CAST({int} AS DECIMAL(12, 2))", "coalesce({decimal}, 0)", "{decimal} % 7", "abs({decimal})"),
    ),
    "text": (
        *("concat({text}, '-', {text})", "{text} || {text}", "substring({text}, {int}, 2)", "upper(w)", "lower(w)"),
        *(
            "trim({text})",
            "replace({text}, 'e', 'xx')",
            "lpad({text}, 4, '*')",
            "left({text}, 2)",
            "CAST({int} AS STRING)",
        ),
        *(
            "CAST({decimal} AS STRING)",
            "coalesce({text}, {text})",
            "date_format({date}, 'yyyy-MM')",
            "CAST({date} AS STRING)",
        ),
        *("if({bool}, {text}, {text})", "repeat(w, 2)", "CAST({clock} AS STRING)", "concat_ws('/', {text}, {text})"),
    ),
    "bool": (
        *("{number} > {number}", "{int} = {int}", "{text} = {text}", "{int} IN (1, 2, {int})", "{text} LIKE '%e%'"),
        *("{date} >= {date}", "{number} BETWEEN {int} AND {int}", "{int} IS NULL", "{text} IS NOT NULL", "NOT {bool}"),
        *("({bool} AND {bool})", "({bool} OR {bool})", "{int} <=> {int}", "{clock} < {clock}", "dt > day"),
        *(
            "startswith({text}, 'p')",
            "contains({text}, 'n')",
            "isnan({double})",
            "{clock} >= {date}",
            "{date} = '2024-02-29'",
        ),
    ),
    "date": (
        *("date_add({date}, {int})", "{date} - 1", "add_months({date}, 1)", "last_day({date})", "trunc({date}, 'MM')"),
        *("CAST({clock} AS DATE)", "{date} + INTERVAL 1 MONTH", "coalesce({date}, {date})", "CAST(day AS DATE)"),
    ),
    "clock": (
        *(
            "date_trunc('HOUR', {clock})",
            "date_trunc('MONTH', {clock})",
            "{clock} + INTERVAL 2 HOURS",
            "CAST({date} AS TIMESTAMP)",
        ),
        *("{clock} - INTERVAL 1 DAY", "CAST(nt AS TIMESTAMP)", "CAST(ts AS TIMESTAMP_NTZ)"),
    ),
}
# Expressions that DuckDB's list does not have; queries with them run on Spark.
_SPARK_ONLY = ("soundex(w)", "percentile(i, 0.5)", "CAST(x AS STRING)", "w RLIKE '^r'", "bround(x, 1)")
_AGGREGATES = (
    *("count(*)", "count({number})", "count(DISTINCT {text})", "sum(i)", "sum({int})", "sum({decimal})", "sum(x)"),
    *(
        "avg({int})",
        "avg(p)",
        "avg(x)",
        "min({number})",
        "max({text})",
        "min({date})",
        "max({clock})",
        "count_if({bool})",
    ),
    *("stddev(x)", "var_pop(i)", "bool_or({bool})", "sum({int}) FILTER (WHERE {bool})", "sum(b)", "sum(DISTINCT i)"),
)
_WINDOWS = (
    *(
        "row_number() OVER ({over})",
        "rank() OVER (ORDER BY {int})",
        "sum(i) OVER ({over})",
        "lag({int}, 1) OVER ({over})",
    ),
    *("count(*) OVER (PARTITION BY {text})", "avg(x) OVER ({over} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"),
    *("max({number}) OVER (PARTITION BY {bool})", "lead(w, 2, 'none') OVER ({over})", "dense_rank() OVER (ORDER BY w)"),
    *("first_value({int}) OVER ({over})", "ntile(3) OVER ({over})", "sum(p) OVER (PARTITION BY w ORDER BY id)"),
)
_OVER = ("ORDER BY id", "PARTITION BY w ORDER BY id", "PARTITION BY flag ORDER BY id DESC")
_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")
_KINDS = tuple(_COLUMNS)


class Queries:
    """Generates queries; the same seed gives the same queries."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def query(self) -> str:
        """Return the next query."""
        shape = self._random.choices(
            (self._plain, self._grouped, self._windowed, self._joined, self._united, self._nested),
            weights=(4, 3, 2, 2, 1, 2),
        )[0]
        return shape()

    def _pick(self, values: Sequence[str]) -> str:
        return self._random.choice(values)

    def _value(self, kind: str, depth: int = 2) -> str:
        chance = self._random.random()
        if depth == 0 or chance < 0.3:
            return self._pick(_COLUMNS[kind]) if self._random.random() < 0.75 else self._pick(_LITERALS[kind])
        return self._filled(self._pick(_FORMS[kind]), depth - 1)

    def _filled(self, form: str, depth: int = 1) -> str:
        for kind in _KINDS:
            while f"{{{kind}}}" in form:
                value = self._value(kind, depth)
                plain = value.replace("_", "").isalnum()
                form = form.replace(f"{{{kind}}}", value if plain else f"({value})", 1)
        return form.replace("{over}", self._pick(_OVER))

    def _item(self) -> str:
        if self._random.random() < 0.015:
            return self._pick([each for each in _SPARK_ONLY if "percentile" not in each])
        return self._value(self._pick(_KINDS))

    def _where(self) -> str:
        return f" WHERE {self._value('bool')}" if self._random.random() < 0.5 else ""

    def _items(self, most: int = 3) -> str:
        return ", ".join(f"{self._item()} AS v{number}" for number in range(self._random.randint(1, most)))

    def _plain(self) -> str:
        distinct = "DISTINCT " if self._random.random() < 0.15 else ""
        order = (
            ""
            if distinct or self._random.random() < 0.6
            else f" ORDER BY {self._pick(_COLUMNS['number'])} DESC, id LIMIT 5"
        )
        return f"SELECT {distinct}{self._items()} FROM t{self._where()}{order}"

    def _grouped(self) -> str:
        keys = [self._value(self._pick(("text", "int", "bool", "date")), 1) for _ in range(self._random.randint(0, 2))]
        keys = [key for key in keys if not key.replace("-", "").isdigit() and not key.startswith(("'", "NULL", "DATE"))]
        aggregates = [self._filled(self._pick(_AGGREGATES)) for _ in range(self._random.randint(1, 3))]
        if self._random.random() < 0.02:
            aggregates.append("percentile(i, 0.5)")
        items = ", ".join(f"{item} AS v{number}" for number, item in enumerate([*keys, *aggregates]))
        grouping = ", ".join(str(number + 1) for number in range(len(keys)))
        group = f" GROUP BY {grouping}" if keys else ""
        having = " HAVING count(*) > 2" if keys and self._random.random() < 0.3 else ""
        return f"SELECT {items} FROM t{self._where()}{group}{having}"

    def _windowed(self) -> str:
        windows = ", ".join(self._filled(self._pick(_WINDOWS)) for _ in range(self._random.randint(1, 2)))
        return f"SELECT id, {windows} FROM t{self._where()}"

    def _joined(self) -> str:
        kind = self._pick(_JOINS)
        condition = self._pick(("a.i = b.i", "a.id = b.id", "a.w = b.w", "a.dt = b.dt", "a.i = b.i AND a.id > b.id"))
        shows_right = "SEMI" not in kind and "ANTI" not in kind
        items = "a.id, a.w, b.i, b.amount + 1" if shows_right else "a.id, a.p"
        where = self._pick(("", " WHERE a.id > 5", " WHERE a.i IS NOT NULL", " WHERE a.w = 'red' OR a.i < 3"))
        return f"SELECT {items} FROM t a {kind} u b ON {condition}{where}"

    def _united(self) -> str:
        word = self._pick(("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL", "INTERSECT ALL"))
        one, other = self._pick((("i", "i"), ("w", "w"), ("id", "i"), ("p", "amount"), ("i, w", "i, w"), ("dt", "dt")))
        return f"SELECT {one} FROM t{self._where()} {word} SELECT {other} FROM u"

    def _nested(self) -> str:
        forms: Sequence[Callable[[], str]] = (
            lambda: (
                f"SELECT id FROM t WHERE i IN (SELECT i FROM u WHERE {self._pick(('i > 1', 'amount IS NOT NULL'))})"
            ),
            lambda: f"SELECT id, {self._item()} FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.w = t.w)",
            lambda: "SELECT id FROM t WHERE i > (SELECT min(i) FROM u WHERE u.w = t.w)",
            lambda: (
                f"WITH c AS (SELECT w, {self._value('int')} AS v FROM t{self._where()}) "
                "SELECT w, count(*), sum(v) FROM c GROUP BY w"
            ),
            lambda: f"SELECT k, v0 FROM (SELECT id AS k, {self._item()} AS v0 FROM t) x JOIN u ON x.k = u.id",
            lambda: f"SELECT id, {self._value('number')} - (SELECT max(i) FROM u) FROM t",
            lambda: "SELECT i, count(*) FROM t WHERE i NOT IN (SELECT i FROM u WHERE i IS NOT NULL) GROUP BY i",
        )
        return self._random.choice(forms)()


def generated(count: int, seed: int) -> list[str]:
    """Return the given number of queries."""
    queries = Queries(seed)
    return [queries.query() for _ in range(count)]
