"""The allow-list: string functions."""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa

from workbench.sql.translate import types
from workbench.sql.translate.functions import Arguments, Function
from workbench.sql.translate.kinds import (
    BINARY,
    FULL_TEXT_LITERAL,
    INT,
    INT_LITERAL,
    STRING,
    TEXT_LITERAL,
)
from workbench.sql.translate.values import on_spark, text

_ASCII = "regexp_full_match({0}, '[\\x00-\\x7F]*')"
# Longer results are left to Spark, because a mistake in a length must not fill the memory of this process.
_LONGEST = 1_000_000


def _ascii_only(name: str, emitted: str) -> Callable[[Arguments], str]:
    """Return an emitter for strings of ASCII characters; other strings run on Spark."""

    def emit(given: Arguments) -> str:
        sql = emitted.format(*(value.sql for value in given))
        guard = on_spark(f"`{name}`", "a text has characters beyond ASCII")
        return f"CASE WHEN {given[0].sql} IS NULL OR {_ASCII.format(given[0].sql)} THEN {sql} ELSE {guard} END"

    return emit


def _substring(given: Arguments) -> str:
    source, position = given[0].sql, f"CAST({given[1].sql} AS BIGINT)"
    length = f"CAST({given[2].sql} AS BIGINT)" if len(given) == 3 else "CAST(2147483647 AS BIGINT)"
    return f"wb_substring({source}, {position}, {length})"


def _split(given: Arguments) -> str | None:
    separator = str(given[1].constant)
    if re.fullmatch(r"[\w ,;:/=&#@!~%'\"<>-]+", separator) is None:
        return None
    guard = on_spark("`split`", "a text is empty")
    return f"CASE WHEN {given[0].sql} = '' THEN {guard} ELSE string_split({given[0].sql}, {text(separator)}) END"


def _pad(function: str) -> Callable[[Arguments], str]:
    def emit(given: Arguments) -> str:
        length = given[1].sql
        fill = given[2].sql if len(given) == 3 else "' '"
        guard = on_spark(f"`{function}`", "the length is very large")
        return (
            f"CASE WHEN {length} > {_LONGEST} THEN {guard} "
            f"ELSE {function}({given[0].sql}, wb_positive({length}), {fill}) END"
        )

    return emit


def _repeat(given: Arguments) -> str:
    guard = on_spark("`repeat`", "the number is very large")
    return (
        f"CASE WHEN {given[1].sql} > {_LONGEST} THEN {guard} "
        f"ELSE repeat({given[0].sql}, wb_positive({given[1].sql})) END"
    )


def _concat_ws(given: Arguments) -> str:
    return f"concat_ws({', '.join(value.sql for value in given)})"


def _int(sql: str) -> str:
    return f"CAST({sql} AS INTEGER)"


TEXT_FUNCTIONS = (
    *(Function(name, (STRING,), types.INT, _int("length({0})")) for name in ("length", "len")),
    *(Function(name, (STRING,), types.INT, _int("length({0})")) for name in ("char_length", "character_length")),
    Function("length", (BINARY,), types.INT, _int("octet_length({0})")),
    Function("octet_length", (STRING,), types.INT, _int("strlen({0})")),
    Function("bit_length", (STRING,), types.INT, _int("strlen({0}) * 8")),
    Function("concat", (STRING,), types.STRING, lambda given: "(" + " || ".join(v.sql for v in given) + ")", True),
    Function("concat_ws", (FULL_TEXT_LITERAL, STRING), types.STRING, _concat_ws, True),
    *(Function(name, (STRING, INT), types.STRING, _substring) for name in ("substring", "substr")),
    *(Function(name, (STRING, INT, INT), types.STRING, _substring) for name in ("substring", "substr")),
    Function("left", (STRING, INT), types.STRING, "left({0}, wb_positive({1}))"),
    Function("right", (STRING, INT), types.STRING, "right({0}, wb_positive({1}))"),
    Function("trim", (STRING,), types.STRING, "trim({0}, ' ')"),
    Function("ltrim", (STRING,), types.STRING, "ltrim({0}, ' ')"),
    Function("rtrim", (STRING,), types.STRING, "rtrim({0}, ' ')"),
    *(Function(name, (STRING,), types.STRING, _ascii_only(name, "upper({0})")) for name in ("upper", "ucase")),
    *(Function(name, (STRING,), types.STRING, _ascii_only(name, "lower({0})")) for name in ("lower", "lcase")),
    Function("reverse", (STRING,), types.STRING, _ascii_only("reverse", "reverse({0})")),
    Function("replace", (STRING, FULL_TEXT_LITERAL, STRING), types.STRING, "replace({0}, {1}, {2})"),
    Function("translate", (STRING, FULL_TEXT_LITERAL, TEXT_LITERAL), types.STRING, "translate({0}, {1}, {2})"),
    Function("repeat", (STRING, INT), types.STRING, _repeat),
    Function("lpad", (STRING, INT), types.STRING, _pad("lpad")),
    Function("rpad", (STRING, INT), types.STRING, _pad("rpad")),
    Function("lpad", (STRING, INT, FULL_TEXT_LITERAL), types.STRING, _pad("lpad")),
    Function("rpad", (STRING, INT, FULL_TEXT_LITERAL), types.STRING, _pad("rpad")),
    Function("instr", (STRING, FULL_TEXT_LITERAL), types.INT, _int("instr({0}, {1})")),
    *(
        Function(name, (FULL_TEXT_LITERAL, STRING), types.INT, _int("instr({1}, {0})"))
        for name in ("locate", "position")
    ),
    Function("contains", (STRING, STRING), types.BOOLEAN, "contains({0}, {1})"),
    Function("startswith", (STRING, STRING), types.BOOLEAN, "starts_with({0}, {1})"),
    Function("endswith", (STRING, STRING), types.BOOLEAN, "ends_with({0}, {1})"),
    Function("ascii", (STRING,), types.INT, _ascii_only("ascii", "ascii({0})")),
    Function("split", (STRING, FULL_TEXT_LITERAL), pa.list_(types.STRING), _split),
    Function("space", (INT_LITERAL,), types.STRING, "repeat(' ', wb_positive({0}))"),
    Function("md5", (STRING,), types.STRING, "md5({0})"),
    Function("sha2", (STRING, INT_LITERAL), types.STRING, lambda v: _sha2(v)),
)


def _sha2(given: Arguments) -> str | None:
    return f"sha256({given[0].sql})" if given[1].constant in (0, 256) else None
