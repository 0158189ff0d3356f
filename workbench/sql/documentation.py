"""Describes the allow-list: the tables of docs/sql.md (``python -m workbench.sql.documentation``), and completions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workbench.sql.translate.aggregates import AGGREGATES, WINDOW_FUNCTIONS, Aggregate
from workbench.sql.translate.casts import CASTS
from workbench.sql.translate.forms import FORMS, FUNCTIONS
from workbench.sql.translate.functions import Function
from workbench.sql.translate.moments import NOW

FILE = Path(__file__).parents[2] / "docs" / "sql.md"
_BEGIN = "<!-- Generated: python -m workbench.sql.documentation -->"
_END = "<!-- End of what is generated -->"


def document() -> str:
    """Return the text of docs/sql.md with current tables."""
    before, _, rest = FILE.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    return f"{before}{_BEGIN}\n{_lists()}\n{_END}{after}"


def _lists() -> str:
    """Return the tables of casts and functions."""
    casts: dict[str, list[str]] = {}
    for rule in CASTS:
        casts.setdefault(rule.source.name, []).append(rule.target.name)
    common = sorted({*FORMS, *NOW})
    parts = [
        "## Casts\n\n| From | To |\n|---|---|",
        *(f"| {source} | {', '.join(targets)} |" for source, targets in casts.items()),
        "\n## Functions\n\n| Function | Arguments |\n|---|---|",
        *_table(FUNCTIONS),
        f"\nIn addition: {', '.join(f'`{name}`' for name in common)}.",
        "\n## Aggregates\n\nEach with DISTINCT and FILTER, and over a window.\n\n| Aggregate | Arguments |\n|---|---|",
        *_table(AGGREGATES),
        "\n## Window functions\n\n| Function | Arguments |\n|---|---|",
        *_table(WINDOW_FUNCTIONS),
    ]
    return "\n".join(parts)


def signatures() -> dict[str, str]:
    """Return the arguments of each function and aggregate by its name, such as ``STRING, INT; STRING, INT, INT``."""
    return {name: "; ".join(shown) for name, shown in _arguments((*FUNCTIONS, *AGGREGATES, *WINDOW_FUNCTIONS)).items()}


def _table(functions: Iterable[Function | Aggregate]) -> list[str]:
    """Return one row for each name, with the kinds of arguments that it takes."""
    rows = _arguments(functions)
    return [f"| `{name}` | {'; '.join(rows[name])} |" for name in sorted(rows)]


def _arguments(functions: Iterable[Function | Aggregate]) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for function in functions:
        kinds = ", ".join(kind.name for kind in function.parameters) or "none"
        shown = f"{kinds} …" if isinstance(function, Function) and function.repeats else kinds
        if shown not in rows.setdefault(function.name, []):
            rows[function.name].append(shown)
    return rows


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
