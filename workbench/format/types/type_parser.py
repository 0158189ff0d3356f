"""Parses and prints types as text and JSON (Java `DataTypeJsonParser`), and SQL text of nested types (format §3.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import InvalidSchema, did_you_mean
from workbench.format.types.data_types import (
    NESTED_ROOTS,
    TYPE_NAMES,
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
)


def parse_type(json_value: str | Mapping[str, Any]) -> DataType:
    """Return a type from its SQL text, or from the JSON object of a nested type in a schema file.

    Names are case-insensitive. ROW fields without ids get 0, 1, … depth first.

    Raises:
        InvalidSchema: If the text is not a type; the message quotes it and suggests the most similar type name.
    """
    try:
        return _parse(json_value, _FieldIds())
    except RecursionError:
        raise InvalidSchema("The type is nested too deeply.") from None


def field_from_json(value: Mapping[str, Any]) -> DataField:
    """Return a column from its form in a schema file.

    Raises:
        InvalidSchema: If a member is missing or invalid.
    """
    return _field_from_json(value, _FieldIds())


def type_to_json(data_type: DataType) -> str | dict[str, Any]:
    """Return the form of a type in a schema file: text for an atomic type, an object for a nested one."""
    if isinstance(data_type, AtomicType):
        return str(data_type)
    head: dict[str, Any] = {"type": data_type.root if data_type.nullable else f"{data_type.root} NOT NULL"}
    if isinstance(data_type, ArrayType | MultisetType):
        return head | {"element": type_to_json(data_type.element)}
    if isinstance(data_type, VectorType):
        return head | {"element": type_to_json(data_type.element), "length": data_type.length}
    if isinstance(data_type, MapType):
        return head | {"key": type_to_json(data_type.key), "value": type_to_json(data_type.value)}
    if isinstance(data_type, RowType):
        return head | {"fields": [field_to_json(each) for each in data_type.fields]}
    raise InvalidSchema(f"{data_type} has no JSON form.")


def field_to_json(field: DataField) -> dict[str, Any]:
    """Return the form of a column in a schema file; unset members are omitted, since Java reads a JSON null as text."""
    value: dict[str, Any] = {"id": field.id, "name": field.name, "type": type_to_json(field.type)}
    if field.description is not None:
        value["description"] = field.description
    if field.default_value is not None:
        value["defaultValue"] = field.default_value
    return value


class _FieldIds:
    """Counts ids for fields that have none; a type has ids on all of its fields or on none."""

    def __init__(self) -> None:
        self._next = 0

    def next(self) -> int:
        self._next += 1
        return self._next - 1

    def given(self, field_id: object) -> int:
        if self._next > 0:
            raise InvalidSchema("Some fields of a ROW have ids and others have none.")
        if not isinstance(field_id, int) or isinstance(field_id, bool):
            raise InvalidSchema(f"Field id '{field_id}' is not a whole number.")
        return field_id


def _parse(value: object, ids: _FieldIds) -> DataType:
    if isinstance(value, str):
        return _TextParser(value, ids).parse()
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        raise InvalidSchema(f"{_shown(value)} is not a data type.")
    # Java only checks the start of the text and whether it contains NOT NULL.
    text: str = value["type"]
    nullable = "NOT NULL" not in text
    root = next((name for name in NESTED_ROOTS if text.startswith(name)), None)
    if root is None:
        raise InvalidSchema(f"'{text}' is not a nested data type.", did_you_mean(text, NESTED_ROOTS))
    if root == "ROW":
        fields = _member(value, "fields")
        if not isinstance(fields, list):
            raise InvalidSchema("The fields of a ROW must be a list.")
        return RowType(tuple(_field_from_json(each, ids) for each in fields), nullable)
    if root == "MAP":
        return MapType(_parse(_member(value, "key"), ids), _parse(_member(value, "value"), ids), nullable)
    element = _parse(_member(value, "element"), ids)
    if root == "VECTOR":
        length = _member(value, "length")
        if not isinstance(length, int):
            raise InvalidSchema(f"The length of VECTOR must be a whole number, not {_shown(length)}.")
        return VectorType(element, length, nullable)
    return ArrayType(element, nullable) if root == "ARRAY" else MultisetType(element, nullable)


def _field_from_json(value: object, ids: _FieldIds) -> DataField:
    if not isinstance(value, Mapping):
        raise InvalidSchema(f"{_shown(value)} is not a field.")
    field_id = ids.next() if value.get("id") is None else ids.given(value["id"])
    name = _member(value, "name")
    if not isinstance(name, str):
        raise InvalidSchema(f"{_shown(name)} is not a field name.")
    data_type = _parse(_member(value, "type"), ids)
    return DataField(field_id, name, data_type, _text(value.get("description")), _text(value.get("defaultValue")))


def _member(value: Mapping[str, Any], name: str) -> Any:
    if name not in value:
        raise InvalidSchema(f"{_shown(value)} has no '{name}'.")
    return value[name]


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


_TOKEN = re.compile(
    r"\s*(?:(?P<symbol>[<>(),.])|'(?P<string>(?:[^']|'')*)'|`(?P<quoted>(?:[^`]|``)*)`|(?P<number>\d+)(?=[\s<>(),.]|$)"
    r"|(?P<word>[^\s<>(),.'`]+))"
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str


class _TextParser:
    """Reads one type from SQL text: ``DECIMAL(10, 2) NOT NULL``, ``ROW<a INT, `b c` ARRAY<STRING>>``."""

    def __init__(self, text: str, ids: _FieldIds) -> None:
        self._input = text
        self._ids = ids
        self._at = 0
        self._tokens = self._tokenize(text)

    def parse(self) -> DataType:
        data_type = self._type()
        if self._at < len(self._tokens):
            raise self._error(f"'{self._tokens[self._at].text}' is unexpected")
        return data_type

    def _tokenize(self, text: str) -> list[_Token]:
        tokens, at = [], 0
        end = len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._error(f"'{text[at:]}' cannot be read")
            kind = match.lastgroup or "word"
            value = match.group(kind)
            if kind == "string":
                value = value.replace("''", "'")
            elif kind == "quoted":
                value = value.replace("``", "`")
            tokens.append(_Token(kind, value))
            at = match.end()
        return tokens

    def _error(self, reason: str, hint: str | None = None) -> InvalidSchema:
        return InvalidSchema(f"'{self._input}' is not a data type: {reason}.", hint)

    def _peek(self, *words: str) -> bool:
        coming = self._tokens[self._at : self._at + len(words)]
        return len(coming) == len(words) and all(
            token.kind in ("word", "symbol") and token.text.upper() == word
            for token, word in zip(coming, words, strict=True)
        )

    def _take(self, *words: str) -> bool:
        word = self._peek(*words)
        if word:
            self._at += len(words)
        return word

    def _expect(self, *words: str) -> None:
        if not self._take(*words):
            raise self._error(f"'{' '.join(words)}' is missing")

    def _next(self, what: str, *kinds: str) -> str:
        if self._at >= len(self._tokens) or self._tokens[self._at].kind not in kinds:
            raise self._error(f"{what} is missing")
        self._at += 1
        return self._tokens[self._at - 1].text

    def _integer(self, what: str) -> int:
        return int(self._next(what, "number"))

    def _type(self) -> DataType:
        data_type = self._type_without_nullability()
        if self._take("NOT", "NULL"):
            return data_type.not_null()
        self._take("NULL")
        return data_type

    def _type_without_nullability(self) -> DataType:
        name = self._next("a type name", "word").upper()
        if name in ("ARRAY", "MULTISET"):
            self._expect("<")
            element = self._type()
            self._expect(">")
            return ArrayType(element) if name == "ARRAY" else MultisetType(element)
        if name == "VECTOR":
            self._expect("<")
            element = self._type()
            self._expect(",")
            length = self._integer("the length of VECTOR")
            self._expect(">")
            return VectorType(element, length)
        if name == "MAP":
            self._expect("<")
            key = self._type()
            self._expect(",")
            value = self._type()
            self._expect(">")
            return MapType(key, value)
        if name == "ROW":
            return self._row()
        if name not in TYPE_NAMES:
            raise self._error(f"type '{name}' does not exist", did_you_mean(name, TYPE_NAMES))
        return self._atomic(name)

    def _row(self) -> RowType:
        closing = ">" if self._take("<") else ")"
        if closing == ")":
            self._expect("(")
        fields: list[DataField] = []
        while not self._take(closing):
            if fields:
                self._expect(",")
            field_id = self._ids.next()
            name = self._next("a field name", "word", "quoted")
            data_type = self._type()
            description = self._description()
            fields.append(DataField(field_id, name, data_type, description))
        return RowType(tuple(fields))

    def _description(self) -> str | None:
        if self._take("COMMENT"):
            return self._next("the comment", "string")
        if self._at < len(self._tokens) and self._tokens[self._at].kind == "string":
            return self._next("the comment", "string")
        return None

    def _atomic(self, name: str) -> AtomicType:
        if name in ("CHAR", "VARCHAR", "BINARY", "VARBINARY"):
            numbers = self._parameters(1)
            return AtomicType(name, length=numbers[0] if numbers else None)
        if name in ("DECIMAL", "NUMERIC", "DEC"):
            numbers = self._parameters(2)
            return AtomicType(
                name, precision=numbers[0] if numbers else None, scale=numbers[1] if numbers[1:] else None
            )
        if name in ("TIME", "TIMESTAMP", "TIMESTAMP_LTZ"):
            return self._time(name)
        if name in ("GEOMETRY", "GEOGRAPHY"):
            texts = self._texts()
            return AtomicType(name, crs=texts[0] if texts else None, algorithm=texts[1] if texts[1:] else None)
        if name == "DOUBLE":
            self._take("PRECISION")
        return AtomicType(name)

    def _time(self, name: str) -> AtomicType:
        numbers = self._parameters(1)
        if name == "TIMESTAMP" and self._take("WITH", "LOCAL", "TIME", "ZONE"):
            name = "TIMESTAMP_LTZ"
        elif name != "TIMESTAMP_LTZ":
            self._take("WITHOUT", "TIME", "ZONE")
        return AtomicType(name, precision=numbers[0] if numbers else None)

    def _parameters(self, max_count: int) -> list[int]:
        if not self._take("("):
            return []
        numbers = [self._integer("a number")]
        while len(numbers) < max_count and self._take(","):
            numbers.append(self._integer("a number"))
        self._expect(")")
        return numbers

    def _texts(self) -> list[str]:
        if not self._take("("):
            return []
        texts = [""]
        while not self._take(")"):
            if self._take(","):
                texts.append("")
            else:
                texts[-1] += self._next("a closing parenthesis", "word", "number", "string", "symbol")
        return texts
