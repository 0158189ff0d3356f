"""What objects show when they are the last line of a cell: facts and a table, as HTML and as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, SupportsIndex, TypeVar, overload

from workbench.base.markup import STYLE, escape, printable

Item = TypeVar("Item")
MOST_ROWS = 50
_WIDEST = 60
_SHORT = 24


@dataclass(frozen=True)
class Card:
    """A title, named facts, and rows under headings. The columns named in ``numbers`` are right-aligned."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    numbers: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


class Describes(Protocol):
    """An object that can describe itself by a card."""

    def _card(self) -> Card:
        """Return the card that describes this object."""


class HasCard:
    """Base class of objects that notebooks show as the card that ``_card`` returns."""

    def _repr_html_(self: Describes) -> str:
        return card_html(self._card())


class Listing(HasCard, list[Item]):
    """A list that shows its items as a table, and so do its slices."""

    @overload
    def __getitem__(self, index: SupportsIndex) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Item | Self:
        return type(self)(super().__getitem__(index)) if isinstance(index, slice) else super().__getitem__(index)

    def __repr__(self: Describes) -> str:
        return card_text(self._card())


class Names(HasCard, list[str]):
    """A list of names, which prints as a list and shows as a table in notebooks."""

    def __init__(self, names: Iterable[str], title: str, heading: str) -> None:
        super().__init__(names)
        self._title, self._heading = title, heading

    def _card(self) -> Card:
        """Return the names under their heading."""
        notes = () if self else ("There are none.",)
        rows = tuple((name,) for name in self)
        return shortened(Card(self._title, (), (self._heading,), rows, notes=notes), self._heading)


def shortened(card: Card, unit: str, total: int | None = None) -> Card:
    """Return the card with at most `MOST_ROWS` rows, and a note if there are more. ``unit`` is the singular noun for a
    row in that note. Pass ``total``, the number of all rows, if the card contains only the first of them."""
    count = len(card.rows) if total is None else total
    if count <= MOST_ROWS:
        return card
    note = f"Showing {MOST_ROWS} of {count:,} {unit}s."
    return Card(card.title, card.facts, card.headings, card.rows[:MOST_ROWS], card.numbers, (*card.notes, note))


def card_html(card: Card) -> str:
    """Return the card as HTML, legible on light and dark backgrounds."""
    facts = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="wb-long">{escape(value)}</td></tr>'
        for name, value in card.facts
    )
    title = escape(card.title)
    caption = f'<caption class="wb-short">{title}</caption>'
    first, second = (caption, "") if facts else ("", caption)
    tables = f'<table class="wb-table">{first}<tbody>{facts}</tbody></table>' if facts else ""
    if card.rows:
        head = "".join(f'<th scope="col"{_css(card, name)}>{escape(name)}</th>' for name in card.headings)
        body = "".join(f"<tr>{_cells(card, row)}</tr>" for row in card.rows)
        tables += f'<table class="wb-table">{second}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    elif not facts:
        tables = f'<p class="wb-line"><b>{title}</b></p>'
    notes = "".join(f'<p class="wb-note">{escape(note)}</p>' for note in card.notes)
    return f'{STYLE}<div class="wb-grid" role="region" tabindex="0" aria-label="{title}">{tables}{notes}</div>'


def card_text(card: Card) -> str:
    """Return the card as text."""
    width = max((len(name) for name, _ in card.facts), default=0)
    lines = [printable(card.title)]
    lines += [f"  {name.ljust(width)}  {printable(value)}" for name, value in card.facts]
    if card.rows:
        table = [card.headings, *(tuple(_cut(printable(cell)) for cell in row) for row in card.rows)]
        lines += [f"  {line}" for line in _aligned(card, table)]
    return "\n".join([*lines, *(printable(note) for note in card.notes)])


def _css(card: Card, name: str) -> str:
    return ' class="wb-num"' if name in card.numbers else ""


def _cells(card: Card, row: Sequence[str]) -> str:
    return "".join(_cell(_css(card, name), text) for name, text in zip(card.headings, row, strict=True))


def _cell(css: str, text: str) -> str:
    short = ' class="wb-short"' if not css and len(text) <= _SHORT else css
    return f"<td{short}>{escape(text)}</td>"


def _aligned(card: Card, table: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    right = [name in card.numbers for name in card.headings]
    cells = (zip(row, widths, right, strict=True) for row in table)
    return [
        "  ".join(text.rjust(width) if to_right else text.ljust(width) for text, width, to_right in row).rstrip()
        for row in cells
    ]


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
