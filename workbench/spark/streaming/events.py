"""The formats of change events: from the JSON text of an event to its changes, as Spark expressions."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, functions

from workbench.base.errors import InvalidRequest, did_you_mean

EventFormat = Callable[[Column], Column]
"""A function from a text to an array of changes: the kind, the row, and what the row replaces, as JSON strings.

A text that is not an event of the format becomes a change of the kind NULL; an event that changes no rows becomes an
empty array."""


def event_format(name: str) -> EventFormat:
    """Return the format of that name. Raises InvalidRequest if it is unknown."""
    if name not in _FORMATS:
        raise InvalidRequest(
            f"The format '{name}' of change events is unknown.",
            did_you_mean(name, _FORMATS) or f"The formats are {', '.join(_FORMATS)}.",
        )
    return _FORMATS[name]


def _debezium(text: Column) -> Column:
    payload = functions.coalesce(_part(text, "payload"), text)
    operation, before, after = (_part(payload, name) for name in ("op", "before", "after"))
    written = _change(functions.lit("+I"), after, functions.when(operation == "u", before))
    known = functions.when(operation.isin("c", "r", "u") & after.isNotNull(), functions.array(written))
    known = known.when((operation == "d") & before.isNotNull(), functions.array(_change(functions.lit("-D"), before)))
    return known.otherwise(functions.array(_unreadable(text)))


def _canal(text: Column) -> Column:
    kind = functions.upper(_part(text, "type"))
    rows = functions.from_json(_part(text, "data"), "array<string>")
    olds = functions.from_json(_part(text, "old"), "array<string>")
    replaced = functions.when(kind == "UPDATE", olds)
    written = functions.transform(rows, lambda row, at: _change(functions.lit("+I"), row, functions.get(replaced, at)))
    deleted = functions.transform(rows, lambda row: _change(functions.lit("-D"), row))
    known = functions.when(_part(text, "isDdl") == "true", _none(text))
    known = known.when(kind.isin("INSERT", "UPDATE") & rows.isNotNull(), written)
    known = known.when((kind == "DELETE") & rows.isNotNull(), deleted)
    return known.otherwise(functions.array(_unreadable(text)))


def _maxwell(text: Column) -> Column:
    kind, row, old = (_part(text, name) for name in ("type", "data", "old"))
    written = _change(functions.lit("+I"), row, functions.when(kind == "update", old))
    known = functions.when(
        kind.isin("insert", "bootstrap-insert", "update") & row.isNotNull(), functions.array(written)
    )
    known = known.when((kind == "delete") & row.isNotNull(), functions.array(_change(functions.lit("-D"), row)))
    known = known.when(kind.rlike("^(bootstrap-|table-|database-)"), _none(text))
    return known.otherwise(functions.array(_unreadable(text)))


def _part(text: Column, name: str) -> Column:
    return functions.get_json_object(text, f"$.{name}")


def _change(kind: Column, row: Column, old: Column | None = None) -> Column:
    replaced = functions.lit(None).cast("string") if old is None else old
    return functions.struct(kind.alias("kind"), row.alias("row"), replaced.alias("old"))


def _unreadable(text: Column) -> Column:
    return _change(functions.lit(None).cast("string"), text)


def _none(text: Column) -> Column:
    return functions.filter(functions.array(_unreadable(text)), lambda _: functions.lit(False))


_FORMATS: dict[str, EventFormat] = {"debezium-json": _debezium, "canal-json": _canal, "maxwell-json": _maxwell}
