"""Completions of `%paimon` and `%%paimon`, for IPython."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from workbench.notebook.cells.sql_completion import Candidate, database_names, sql_candidates, table_names
from workbench.notebook.charts.chart import chart_kinds
from workbench.notebook.command import Session
from workbench.notebook.commands import commands, takes_text
from workbench.sql.engines.registry import engine_names

FLAGS = {
    "--out": "also store the result in a variable",
    "--save": "write the whole result to a CSV or Parquet file",
    "--chart": "draw the result above its table",
    "--limit": "show at most N rows",
    "--snapshot": "read tables at a snapshot",
    "--tag": "read tables at a tag",
    "--engine": "auto, duckdb, spark or jar",
    "--vars": "replace {name} with a variable",
    "--background": "run in the background, with a card that shows progress",
    "--yes": "run statements that delete data without confirmation",
}
# For each flag with a fixed set of values: what a value is, and a function that returns all values.
_VALUES: dict[str, tuple[str, Callable[[], Iterable[str]]]] = {
    **dict.fromkeys(("--engine", "-e"), ("engine", engine_names)),
    "--chart": ("kind of chart", chart_kinds),
}
_QUERY_WORDS = ("SELECT", "WITH")
_WORD = re.compile(r"[^\s(),;=<>+*/]*$")


def make_matcher(session: Session) -> Callable[[CompletionContext], SimpleMatcherResult]:
    """Return a matcher for IPython's completer with the names of the session's catalog."""

    def paimon_matcher(context: CompletionContext) -> SimpleMatcherResult:
        candidates, fragment = completions(session, context.full_text, context.text_until_cursor, context.cursor_line)
        return SimpleMatcherResult(
            completions=[SimpleCompletion(text=each.text, type=each.kind) for each in candidates],
            matched_fragment=fragment,
            # Python names are useless in SQL: if this matcher finds completions, it suppresses other matchers.
            suppress=bool(candidates),
        )

    matcher: Callable[[CompletionContext], SimpleMatcherResult] = context_matcher()(paimon_matcher)
    return matcher


def completions(session: Session, text: str, line: str, line_number: int) -> tuple[list[Candidate], str]:
    """Return the completions inside the magic, and the fragment before the cursor. ``line`` ends at the cursor."""
    word = _WORD.search(line)
    fragment = word.group() if word else ""
    before = line[: len(line) - len(fragment)]
    is_cell = text.lstrip().startswith("%%paimon")
    if is_cell and line_number > 0 and not line.startswith("%%"):
        lines = text.split("\n")
        return _sql(session, "\n".join([*lines[1:line_number], line]), "\n".join(lines[1:]), fragment)
    if is_cell:
        candidates = _flags(before)
    elif (text_before := _text_before(line)) is not None:
        return _sql(session, text_before, text_before, fragment)
    elif line.lstrip().startswith("%paimon"):
        candidates = _line(session, before, fragment)
    else:
        return [], ""
    return _matching(candidates, fragment), fragment


def _text_before(line: str) -> str | None:
    """Return the text before the cursor as a query, in a sub-command that takes one; None for other lines."""
    words = line.split(None, 2)
    if len(words) < 2 or words[0] != "%paimon" or not takes_text(words[1]):
        return None
    text = words[2] if len(words) > 2 else ""
    if not text or (len(text.split()) == 1 and not line[-1].isspace()):
        # The cursor is still in the first word: a table, or the beginning of a query.
        return None
    return text if text.split()[0].upper() in _QUERY_WORDS else f"SELECT * FROM {text}"


def _sql(session: Session, before: str, body: str, fragment: str) -> tuple[list[Candidate], str]:
    candidates, fragment = sql_candidates(session, before, body, fragment)
    found = _matching(candidates, fragment)
    if not found and fragment:
        # Without a completion, IPython would offer Python names. Offering the typed word itself changes nothing.
        return [Candidate(fragment, "unknown")], fragment
    return found, fragment


def _matching(candidates: Iterable[Candidate], fragment: str) -> list[Candidate]:
    """Return the candidates that begin with the fragment, in their order, without duplicate texts."""
    lower = fragment.lower()
    by_text: dict[str, Candidate] = {}
    for each in candidates:
        if each.text.lower().lstrip("`'").startswith(lower.lstrip("`")) and each.text != fragment:
            by_text.setdefault(each.text, each)
    return list(by_text.values())


def _flags(before: str) -> Iterable[Candidate]:
    if not before.strip():
        return ()
    words = before.split()
    if words[-1] in _VALUES:
        kind, values = _VALUES[words[-1]]
        return [Candidate(value, kind) for value in values()]
    return [Candidate(flag, meaning) for flag, meaning in sorted(FLAGS.items())]


def _line(session: Session, before: str, fragment: str) -> Iterable[Candidate]:
    words = before.split()[1:]
    if not before.strip():
        return ()
    if not words:
        return [Candidate(name, command.help) for name, command in sorted(commands().items())]
    if fragment.startswith("-") or words[-1] in _VALUES:
        return _flags(before)
    command = commands().get(words[0])
    argument = command.argument if command else ""
    if argument == "database":
        return database_names(session)
    if argument == "catalog":
        return _catalogs() if len(words) == 1 else ()
    return table_names(session, fragment) if argument == "table" else ()


def _catalogs() -> Iterator[Candidate]:
    from workbench.base.errors import CatalogError
    from workbench.catalog.named import named_catalogs

    try:
        known = named_catalogs()
    except CatalogError:
        # `%paimon connect` reports the mistake in the file.
        return
    for name, catalog in known.items():
        yield Candidate(name, f"catalog of the {catalog.origin}")
