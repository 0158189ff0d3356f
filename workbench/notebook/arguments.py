"""Parsing of the words and flags of `%paimon` and `%%paimon`."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Mapping
from typing import Any, NoReturn

from workbench.base.errors import InvalidExpression, did_you_mean
from workbench.lens.charts.choice import AUTOMATIC
from workbench.notebook.charts.chart import require_chart
from workbench.sql.statements import TimeTravel

_VARIABLE = re.compile(r"\{(\w+)\}")
# The flags that may precede or follow the text of a sub-command, with their values.
_FLAG = r"(?:(?:--(?:out|save|limit|snapshot|tag|engine)(?:\s+|=)|-[onste]\s+)\S+|--yes|-y|--vars)"
_FLAGS_BEFORE = re.compile(rf"^(?:{_FLAG}\s+)+")
_FLAGS_AFTER = re.compile(rf"(?:\s+{_FLAG})+$")


class _Parser(argparse.ArgumentParser):
    """Raises this library's error instead of exiting."""

    def error(self, message: str) -> NoReturn:
        raise InvalidExpression(f"%paimon: {message}.", "See %paimon help.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("%paimon", add_help=False, allow_abbrev=False)
    parser.add_argument("words", nargs="*", help="a sub-command and its arguments: see %%paimon help")
    parser.add_argument("--out", "-o", metavar="NAME", help="also store the result in this variable")
    parser.add_argument("--save", metavar="FILE", help="save all rows of the result as .csv or .parquet")
    parser.add_argument("--chart", nargs="?", const=AUTOMATIC, metavar="KIND", help="draw the result above its table")
    parser.add_argument("--limit", "-n", type=int, metavar="N", help="show at most N rows")
    parser.add_argument("--snapshot", "-s", type=int, metavar="N", help="read tables at this snapshot")
    parser.add_argument("--tag", "-t", metavar="T", help="read tables at this tag")
    parser.add_argument("--engine", "-e", metavar="ENGINE", help="auto, duckdb, spark or jar")
    parser.add_argument("--background", "-b", action="store_true", help="run in the background; other cells can run")
    parser.add_argument("--yes", "-y", action="store_true", help="run statements that delete data without confirmation")
    parser.add_argument("--vars", action="store_true", help="replace {name} in the SQL with the variable, as a literal")
    return parser


PARSER = _parser()
HELP = PARSER.format_help()


def _flags() -> list[str]:
    return [flag for action in PARSER._actions for flag in action.option_strings if flag.startswith("--")]


def parse_line(line: str) -> argparse.Namespace:
    """Parse the line of a magic.

    Raises:
        InvalidExpression: a flag is unknown or lacks its value, or a quote is not closed.
        Unsupported: a flag needs a package that is not installed.
    """
    try:
        words = shlex.split(line, posix=os.name == "posix")
    except ValueError as error:
        raise InvalidExpression(f"%paimon: {error}.", "Close the quote.") from error
    given, unknown = PARSER.parse_known_intermixed_args(words)
    if unknown:
        flag = unknown[0].partition("=")[0]
        raise InvalidExpression(f"%paimon has no flag {flag}.", did_you_mean(flag, _flags()) or "See %paimon help.")
    if given.out is not None and not given.out.isidentifier():
        raise InvalidExpression(f"'{given.out}' is not a valid variable name.", "Pass a Python identifier to --out.")
    if given.chart is not None:
        require_chart(given.chart)
    if given.background and given.chart is not None:
        raise InvalidExpression("--background and --chart cannot be combined.", "Store the result with --out.")
    if given.limit is not None and given.limit < 0:
        raise InvalidExpression(f"--limit must not be negative, got {given.limit}.", "Pass 0 or more.")
    return given


def text_after(line: str, command: str) -> str:
    """Return the text that follows a sub-command as it was written, without the flags around it."""
    text = _FLAGS_BEFORE.sub("", line.strip())
    return _FLAGS_AFTER.sub("", text.removeprefix(command)).strip()


def version_of(given: argparse.Namespace) -> TimeTravel | None:
    """Return the version that ``--snapshot`` or ``--tag`` names.

    Raises:
        InvalidExpression: both were given.
    """
    if given.snapshot is not None and given.tag is not None:
        raise InvalidExpression("--snapshot and --tag cannot be combined.", "Pass one of the two.")
    if given.snapshot is not None:
        return TimeTravel("snapshot", given.snapshot)
    return None if given.tag is None else TimeTravel("tag", given.tag)


def expand(word: str, variables: Mapping[str, Any]) -> Any:
    """Return the value of the variable if the word is just ``{name}``; otherwise replace each ``{name}`` with its text.

    Raises:
        InvalidExpression: the variable does not exist.
    """

    def value(name: str) -> Any:
        if name not in variables:
            raise InvalidExpression(f"Variable '{name}' is not defined.", did_you_mean(name, variables))
        return variables[name]

    whole = _VARIABLE.fullmatch(word)
    return value(whole[1]) if whole else _VARIABLE.sub(lambda match: str(value(match[1])), word)
