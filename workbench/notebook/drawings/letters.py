"""The widths of text in the font of static pictures, so that no text is cut off or overlaps another."""

from __future__ import annotations

# The advance widths of the characters from U+0020 to U+007E in DejaVu Sans, in thousandths of the font size.
_ADVANCES = (
    *(318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337),
    *(636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531),
    *(1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787),
    *(603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500),
    *(500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612),
    *(635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838),
)
_FIRST = 0x20
# An upper bound for all other characters.
_WIDEST = 1100


def text_width(text: str, size: float) -> float:
    """Return an upper bound of the width of a text in pixels."""
    return sum(map(_advance, text)) * size / 1000


def fitted(text: str, size: float, width: float) -> str:
    """Return the text, or its beginning with an ellipsis, if it is wider than ``width`` pixels."""
    if text_width(text, size) <= width:
        return text
    room = width * 1000 / size - _WIDEST
    for count, letter in enumerate(text):
        room -= _advance(letter)
        if room < 0:
            return f"{text[:count]}…"
    return text


def lines_of(text: str, size: float, width: float) -> list[str]:
    """Return the text in lines of at most ``width`` pixels, broken between words; longer words are cut."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(fitted(word, size, width))
    return lines


def _advance(letter: str) -> int:
    index = ord(letter) - _FIRST
    return _ADVANCES[index] if 0 <= index < len(_ADVANCES) else _WIDEST
