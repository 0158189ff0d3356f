"""UPDATE and MERGE with values that Spark does not store in a column without a cast, such as strings in a DATE column.

Paimon's connector casts such values as CAST does. The text of a statement is rewritten so that Spark does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidExpression
from workbench.sql.cursor import Cursor
from workbench.sql.parts import parse_tree
from workbench.sql.statements import quote_name

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

_Path = tuple[str, ...]
# A column, and the number of its value.
_Assignment = tuple[_Path, int]
# CASE encloses words that also begin the clauses of MERGE.
_NESTING = {"(": 1, "[": 1, ")": -1, "]": -1, "CASE": 1, "END": -1}


@dataclass
class _Values:
    """The assigned values of a statement: they are collected first, and have a cast once their types are known."""

    sources: list[str] = field(default_factory=list)
    paths: list[_Path] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    casts: dict[int, str] = field(default_factory=dict)

    def add(self, path: _Path, text: str, source: str) -> int:
        """Add a value, which is computed from the rows of ``source``, and return its number."""
        self.sources.append(source)
        self.paths.append(path)
        self.texts.append(text)
        return len(self.texts) - 1

    def text(self, number: int) -> str:
        """Return a value with its cast."""
        target = self.casts.get(number)
        return self.texts[number] if target is None else f"CAST({self.texts[number]} AS {target})"


def with_value_casts(text: str, schema_of: Callable[[str], StructType]) -> str | None:
    """Return UPDATE or MERGE with a CAST around each value that needs one; None if no value does.

    Args:
        text: The statement.
        schema_of: Returns the schema of a query.

    Raises:
        AnalysisException: If Spark does not know a table, a column or a function of the statement.

    Example:
        >>> with_value_casts("UPDATE t SET day = '2026-01-02' WHERE id = 1", schema_of)
        "UPDATE t SET `day` = CAST('2026-01-02' AS date) WHERE id = 1"
    """
    cursor = Cursor(text)
    try:
        if cursor.accept("UPDATE"):
            return _update(cursor, schema_of)
        if cursor.accept("MERGE", "INTO"):
            return _merge(cursor, text, schema_of)
    except InvalidExpression:
        # The error of the user's own statement says what is wrong.
        return None
    return None


def _update(cursor: Cursor, schema_of: Callable[[str], StructType]) -> str | None:
    target = _until(cursor, "SET")
    cursor.expect("SET")
    values = _Values()
    assignments = _assignments(cursor, values, target, ("WHERE", ";"))
    rest = "" if cursor.is_at_end else f" {cursor.rest()}"
    if not _find_casts(values, target, schema_of):
        return None
    return f"UPDATE {target} SET {_set_text(assignments, values)}{rest}"


def _merge(cursor: Cursor, text: str, schema_of: Callable[[str], StructType]) -> str | None:
    target = _until(cursor, "USING")
    cursor.expect("USING")
    source = _until(cursor, "ON")
    head = f"MERGE INTO {target} USING {source} {_until(cursor, 'WHEN')}"
    both = f"{target} CROSS JOIN {source}"
    alias = str(parse_tree(text).args["using"].alias_or_name)
    every = _columns_of_star(alias, target, source, schema_of)
    values = _Values()
    clauses: list[Callable[[], str]] = []
    while cursor.accept("WHEN"):
        begin = f"WHEN {_until(cursor, 'THEN')} THEN"
        cursor.expect("THEN")
        clauses.append(_clause(cursor, begin, values, source, both, every))
    cursor.accept(";")
    cursor.expect_end()
    if not _find_casts(values, target, schema_of):
        return None
    return " ".join([head, *(clause() for clause in clauses)])


def _clause(
    cursor: Cursor, begin: str, values: _Values, source: str, both: str, every: Mapping[str, str] | None
) -> Callable[[], str]:
    """Step over the action of a WHEN clause, and return a function that writes the clause once the casts are known."""
    if cursor.accept("DELETE"):
        return lambda: f"{begin} DELETE"
    if cursor.accept("UPDATE", "SET"):
        if cursor.accept("*"):
            updated = _star(every, cursor, values, both)
        else:
            updated = _assignments(cursor, values, both, ("WHEN", ";"))
        return lambda: f"{begin} UPDATE SET {_set_text(updated, values)}"
    cursor.expect("INSERT")
    if cursor.accept("*"):
        inserted = _star(every, cursor, values, source)
    else:
        inserted = _insertion(cursor, values, source)
    return lambda: f"{begin} {_insert_text(inserted, values)}"


def _assignments(cursor: Cursor, values: _Values, source: str, ends: tuple[str, ...]) -> list[_Assignment]:
    """Step over ``column = value, …`` and return the columns and the numbers of their values."""
    found: list[_Assignment] = []
    while not found or cursor.accept(","):
        path = cursor.path()
        cursor.expect("=")
        found.append((path, values.add(path, _until(cursor, ",", *ends), source)))
    return found


def _insertion(cursor: Cursor, values: _Values, source: str) -> list[_Assignment]:
    """Step over ``(column, …) VALUES (value, …)`` and return the columns and the numbers of their values."""
    cursor.expect("(")
    paths = [cursor.path()]
    while cursor.accept(","):
        paths.append(cursor.path())
    cursor.expect(")", "VALUES", "(")
    texts = [_until(cursor, ",", ")")]
    while cursor.accept(","):
        texts.append(_until(cursor, ",", ")"))
    cursor.expect(")")
    if len(texts) != len(paths):
        cursor.fail("expected as many values as columns")
    return [(path, values.add(path, text, source)) for path, text in zip(paths, texts, strict=True)]


def _columns_of_star(
    alias: str, target: str, source: str, schema_of: Callable[[str], StructType]
) -> Mapping[str, str] | None:
    """Return the values that ``*`` assigns by column; None if the source has no name or lacks a column."""
    given = {name.lower(): name for name in schema_of(f"SELECT * FROM {source}").names}
    names = schema_of(f"SELECT * FROM {target}").names
    if not alias or any(name.lower() not in given for name in names):
        return None
    return {name: f"{quote_name(alias)}.{quote_name(given[name.lower()])}" for name in names}


def _star(every: Mapping[str, str] | None, cursor: Cursor, values: _Values, source: str) -> list[_Assignment]:
    """Return the columns of ``*`` and the numbers of their values."""
    if every is None:
        cursor.fail("expected a source with all columns of the table")
    return [((name,), values.add((name,), value, source)) for name, value in every.items()]


def _find_casts(values: _Values, target: str, schema_of: Callable[[str], StructType]) -> bool:
    """Find the types of the values and of their columns, and return whether any value needs a cast."""
    table = schema_of(f"SELECT * FROM {target}")
    for source in dict.fromkeys(values.sources):
        numbers = [at for at, each in enumerate(values.sources) if each == source and not _is_default(values.texts[at])]
        items = ", ".join(f"{values.texts[at]} AS c{at}" for at in numbers)
        if not numbers:
            continue
        for at, given in zip(numbers, schema_of(f"SELECT {items} FROM {source}").fields, strict=True):
            wanted = _type_at(table, values.paths[at])
            if wanted is not None and _needs_cast(given.dataType, wanted):
                values.casts[at] = wanted.simpleString()
    return bool(values.casts)


def _is_default(text: str) -> bool:
    return text.upper() == "DEFAULT"


def _type_at(table: StructType, path: Sequence[str]) -> DataType | None:
    """Return the type of a column or of a field in it; names of the table before the column are skipped."""
    for begin in range(len(path)):
        found: DataType | None = table
        for name in path[begin:]:
            fields = {each.name.lower(): each.dataType for each in getattr(found, "fields", ())}
            found = fields.get(name.lower())
        if found is not None:
            return found
    return None


def _needs_cast(given: DataType, wanted: DataType) -> bool:
    from workbench.spark.storing.nested_values import can_store

    # CAST takes fields by position and an assignment takes them by name, so that the names must agree.
    return not can_store(given, wanted) and _has_same_fields(given, wanted)


def _has_same_fields(given: DataType, wanted: DataType) -> bool:
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType):
        return _has_same_fields(given.elementType, wanted.elementType)
    if isinstance(given, MapType) and isinstance(wanted, MapType):
        return _has_same_fields(given.keyType, wanted.keyType) and _has_same_fields(given.valueType, wanted.valueType)
    if isinstance(given, StructType) and isinstance(wanted, StructType):
        pairs = list(zip(given.fields, wanted.fields, strict=False))
        return len(given) == len(wanted) and all(
            one.name.lower() == two.name.lower() and _has_same_fields(one.dataType, two.dataType) for one, two in pairs
        )
    return True


def _set_text(assignments: Sequence[_Assignment], values: _Values) -> str:
    return ", ".join(f"{_path_text(path)} = {values.text(number)}" for path, number in assignments)


def _insert_text(inserted: Sequence[_Assignment], values: _Values) -> str:
    columns = ", ".join(_path_text(path) for path, _ in inserted)
    return f"INSERT ({columns}) VALUES ({', '.join(values.text(number) for _, number in inserted)})"


def _path_text(path: _Path) -> str:
    return ".".join(map(quote_name, path))


def _until(cursor: Cursor, *ends: str) -> str:
    return cursor.text_until(*ends, brackets=_NESTING)
