"""The statements whose answers of Paimon's own connector are recorded, and how an answer is written down.

A file in ``statements`` belongs to one page of Paimon's documentation of Spark. Its statements end with a semicolon at
the end of a line; ``-- # …`` gives the heading of the page, and ``-- case: …`` begins a case. A case starts in the
empty database ``lab``. ``{folder}`` is an empty folder of the case, ``{mark}`` and ``{mark_text}`` the time of the last
``@mark``. A statement ``@name`` is the function of that name in ``steps.py``, and ``>>> …`` is an expression of Python
with the names in ``expressions.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_ORDERED = re.compile(r"\border\s+by\b(?!.*=>)|^\s*(?:desc|describe|show\s+columns)\b", re.IGNORECASE | re.DOTALL)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b")
_TIME = re.compile(r"\b20\d\d-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?|\b1[789]\d{11}\b")
_PATH = re.compile(r"(?:file:/*|(?<![\w%>.])/)[^\s'\"`,;()\[\]}]+")
# The sizes of files, which differ between writers, and what follows from them.
_SIZES = re.compile(
    r"size|bytes|^min_value_stats$|^max_value_stats$|^null_value_counts$|^file_name$|^base_manifest_list$|^owner$"
    r"|^index_manifest$|^hidden_.*|created_by|updated_by|^commit_user$|statistics|TotalLen",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Case:
    """A few statements that run one after the other; the name begins with the heading."""

    page: str
    name: str
    statements: tuple[str, ...] = field(repr=False)

    @property
    def key(self) -> str:
        """The page, the heading and the name, which identify the case."""
        return f"{self.page}/{self.name}"


def cases(page: str | None = None) -> list[Case]:
    """Return the cases of one page, or of all pages."""
    paths = sorted((HERE / "statements").glob(f"{page or '*'}.sql"))
    return [case for path in paths for case in _cases_of(path.stem, path.read_text("utf-8"))]


def _cases_of(page: str, text: str) -> Iterator[Case]:
    heading, name, lines = "", "", list[str]()
    for line in [*text.splitlines(), "-- case: end"]:
        marker = re.fullmatch(r"-- (case:|#)\s*(.+)", line)
        if marker is None:
            lines.append(line)
            continue
        statements = tuple(each.strip() for each in re.split(r";[ \t]*\n", "\n".join(lines) + "\n") if each.strip())
        if name and statements:
            yield Case(page, f"{heading}: {name}", statements)
        lines = []
        heading, name = (marker[2], "") if marker[1] == "#" else (heading, marker[2])


def answer_of(statement: str, columns: list[tuple[str, str]], rows: list[Any], hidden: str) -> dict[str, Any]:
    """Return the answer of a statement as it is recorded: columns with their types, and rows as texts.

    Rows are sorted unless the statement orders them. What differs from run to run is masked: UUIDs, absolute paths,
    times within two days of now, the name of the user, and the values of columns whose name says that they depend
    on sizes of files.

    Args:
        statement: The statement.
        columns: The names and types of the result.
        rows: The rows, as sequences of Python values.
        hidden: The name of the user.

    Returns:
        ``columns`` and ``rows``.
    """
    names = [name for name, _ in columns]
    texts = [[_masked_value(name, value, hidden) for name, value in zip(names, row, strict=True)] for row in rows]
    if not _ORDERED.search(statement):
        texts.sort(key=lambda row: [(value is not None, value or "") for value in row])
    return {"columns": [list(each) for each in columns], "rows": texts}


def _masked_value(name: str, value: Any, hidden: str) -> str | None:
    if value is None:
        return None
    return "<masked>" if _SIZES.search(name) else masked(text_of(value), hidden)


def masked(text: str, hidden: str) -> str:
    """Return a text with the values that differ from run to run replaced."""
    text = _PATH.sub("<path>", _UUID.sub("<uuid>", text))
    text = re.sub(rf"\b(owner|Owner)\b(\W+){re.escape(hidden)}\b", r"\1\2<user>", text)
    return _TIME.sub(lambda found: "<now>" if _is_near(found[0]) else found[0], text)


def _is_near(text: str) -> bool:
    if text.isdigit():
        then = datetime.fromtimestamp(int(text) / 1000, UTC)
    else:
        then = datetime.fromisoformat(text.replace("Z", "")).replace(tzinfo=UTC)
    return abs(then - datetime.now(UTC)) < timedelta(days=2)


def text_of(value: Any) -> str:
    """Return a value as a text that shows its parts."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{text_of(key)} -> {text_of(each)}" for key, each in value.items())) + "}"
    if hasattr(value, "asDict"):
        return "{" + ", ".join(f"{name}: {text_of(value[name])}" for name in value.__fields__) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(text_of(each) for each in value) + "]"
    if isinstance(value, bytes | bytearray):
        return f"x{value.hex()}"
    return str(value)
