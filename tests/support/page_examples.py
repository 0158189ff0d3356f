"""The examples of a page of the documentation: blocks of Python below its headings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
_SECTION = re.compile(r"^#+ (.*)$", re.MULTILINE)
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: Path) -> Mapping[str, Sequence[str]]:
    """Return the examples by the heading that they are below."""
    # What precedes a block on the page may contain a comment, but no heading.
    text = page.read_text(encoding="utf-8")
    headings = [(each.start(), each[1]) for each in _SECTION.finditer(_BLOCK.sub(_blanked, text))]
    found: dict[str, list[str]] = {}
    for block in _BLOCK.finditer(text):
        heading = max(each for each in headings if each[0] < block.start())[1]
        found.setdefault(heading, []).append(block[1])
    return found


def _blanked(block: re.Match[str]) -> str:
    return " " * len(block[0])
