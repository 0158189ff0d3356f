"""Random changes of a schema, and the same changes in the format of the Java referee."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import workbench as wb
from workbench.format.spec.schema import TableSchema
from workbench.format.types import ArrayType, DataField, DataType, MapType, RowType, parse_type, type_to_json

NAMES = ("a", "b", "c", "x", "y", "new", "nope")
TYPES = (
    "INT",
    "BIGINT",
    "SMALLINT",
    "DECIMAL(12, 3)",
    "STRING",
    "VARCHAR(4)",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP(3)",
    "BYTES",
    "BIGINT NOT NULL",
)
NEW_TYPES = (
    *TYPES,
    "ROW<x INT, y ROW<z STRING, w ROW<v INT>>>",
    "ARRAY<ROW<n INT, o MAP<STRING, ROW<q INT>>>>",
    "MAP<STRING, INT>",
)
DEFAULTS = ("1", "-7", "true", "'quoted'", "2024-02-29", "abc", None)
# Option -> values to set. The first option is never removed: only Java removes it, which makes buckets dynamic.
OPTIONS = {
    "bucket": ("1", "3", "0"),
    "snapshot.num-retained.min": ("5", "0", "many"),
    "snapshot.num-retained.max": ("7", "3"),
    "write-only": ("true", "false"),
    "merge-engine": ("deduplicate",),
    "alter-column-null-to-not-null.disabled": ("false", "true"),
    "add-column-before-partition": ("true", "false"),
    "disable-explicit-type-casting": ("true", "false"),
    "data-file.path-directory": ("data",),
    "sequence.field": ("absent",),
    "fields.a.stats-mode": ("full",),
    "type": ("table", "format-table"),
    "primary-key": ("k,p", "k"),
}


def paths_of(fields: tuple[DataField, ...], before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], DataType]]:
    """Yield the path and the type of every column and nested field; elements and values have paths too."""
    for each in fields:
        yield from _paths_of(each.type, (*before, each.name))


def _paths_of(data_type: DataType, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], DataType]]:
    yield path, data_type
    if isinstance(data_type, RowType):
        yield from paths_of(data_type.fields, path)
    elif isinstance(data_type, ArrayType):
        yield from _paths_of(data_type.element, (*path, "element"))
    elif isinstance(data_type, MapType):
        yield from _paths_of(data_type.value, (*path, "value"))


def random_changes(luck: random.Random, schema: TableSchema) -> list[Any]:
    """Return one or two changes, but never two renames: Java mixes up two renames inside of one column."""
    changes = [random_change(luck, schema)]
    second = random_change(luck, schema)
    renames = [each for each in (*changes, second) if isinstance(each, wb.RenameColumn)]
    return [*changes, second] if luck.random() < 0.25 and len(renames) < 2 else changes


def random_change(luck: random.Random, schema: TableSchema) -> Any:
    """Return a change that may or may not be allowed.

    Left out are changes where Java mistakes the path of an element for its column, changes to the type that a column
    already has, for which Java has no cast, and new types for the bucket key. Doubles inside of a map are left out
    because the referee and our library write them differently.
    """
    fields = schema.fields
    every = list(paths_of(fields))
    named = [each for each in every if each[0][-1] not in ("element", "value")]
    path, _ = luck.choice([*named, (("nope",), parse_type("INT"))])
    typed_path, source = luck.choice(
        [each for each in every if each[0] not in {(key,) for key in schema.core.bucket_key}]
    )
    rows = [path for path, data_type in every if isinstance(data_type, RowType)]
    siblings = [each[0][-1] for each in named if each[0][:-1] == path[:-1]]
    match luck.randrange(11):
        case 0 | 1:
            inside = luck.choice([(), (), *rows])
            new = (*inside, luck.choice(NAMES))
            after = luck.choice([None, None, *[each[0][-1] for each in named if each[0][:-1] == inside]])
            comment = luck.choice([None, "said"]) if after is None else None
            first = after is None and luck.random() < 0.3
            return wb.AddColumn(new, luck.choice(NEW_TYPES), comment, first, after)
        case 2:
            return wb.DropColumn(path)
        case 3:
            return wb.RenameColumn(path, luck.choice(NAMES))
        case 4 | 5:
            kinds = [text for text in TYPES if parse_type(text).as_nullable() != source.as_nullable()]
            return wb.UpdateColumnType(typed_path, luck.choice(kinds))
        case 6:
            return wb.UpdateColumnNullability(typed_path, luck.random() < 0.5)
        case 7:
            return wb.UpdateColumnComment(path, luck.choice([None, "", "it's"]))
        case 8:
            plain = [each for each, data_type in named if not data_type.children()]
            return wb.UpdateColumnDefault(luck.choice(plain), luck.choice(DEFAULTS))
        case 9:
            name = luck.choice([each.name for each in fields])
            after = luck.choice([None, *siblings, *NAMES]) if len(path) == 1 else None
            return wb.MoveColumn(name, first=after is None, after=after)
        case _:
            key = luck.choice(list(OPTIONS))
            if luck.random() < 0.2:
                return luck.choice(
                    [wb.UpdateComment(luck.choice([None, "table"])), wb.RemoveOption(luck.choice([*OPTIONS][1:]))]
                )
            return wb.SetOption(key, luck.choice(OPTIONS[key]))


def for_java(change: Any) -> list[Any]:
    """Return the change in the format of the referee."""
    match change:
        case wb.AddColumn(name, kind, comment, first, after):
            json_type = type_to_json(parse_type(kind))
            if after is not None:
                return ["add", list(name), json_type, after]
            return ["add-first" if first else "add-last", list(name), json_type, comment]
        case wb.DropColumn(name):
            return ["drop", list(name)]
        case wb.RenameColumn(name, new_name):
            return ["rename", list(name), new_name]
        case wb.UpdateColumnType(name, kind):
            return ["type", list(name), type_to_json(parse_type(kind))]
        case wb.UpdateColumnNullability(name, nullable):
            return ["nullable", list(name), nullable]
        case wb.UpdateColumnComment(name, comment):
            return ["comment", list(name), comment]
        case wb.UpdateColumnDefault(name, value):
            return ["default", list(name), value]
        case wb.MoveColumn(name, first, after):
            return ["first", [name]] if first else ["after", [name], after]
        case wb.SetOption(key, value):
            return ["set", [key], value]
        case wb.RemoveOption(key):
            return ["remove", [key]]
        case wb.UpdateComment(comment):
            return ["describe", [""], comment]
    raise AssertionError(change)


def newest_schema(warehouse: Path) -> dict[str, Any]:
    """Return the newest schema file of the table, without its creation time."""
    files = sorted((warehouse / "db.db" / "t" / "schema").glob("schema-*"), key=lambda each: int(each.name[7:]))
    result: dict[str, Any] = json.loads(files[-1].read_text())
    del result["timeMillis"]
    return result
