"""The colors of all pictures, drawn by Python or by the browser: each for light and for dark pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PALETTE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "focus": ("#0b57d0", "#8ab4f8"),
        "error": ("#b3261e", "#f2b8b5"),
        "fresh": ("#137333", "#81c995"),
        # Levels of the LSM tree. Their colors are also used for what writes them: level 0 for appends, the last for
        # compactions.
        "l0": ("#ffe3c2", "#5a3a14"),
        "l0-line": ("#b25e09", "#e9a25b"),
        "middle": ("#e9e2fb", "#3a3160"),
        "middle-line": ("#6b4fbb", "#b09df0"),
        "last": ("#d6ecf5", "#173f52"),
        "last-line": ("#1b6f93", "#6fc3e6"),
        # Heat maps: five steps that are far apart in lightness. The two strongest need the other text color.
        "heat-1": ("#e0eff7", "#12303e"),
        "heat-2": ("#b1d5e8", "#184c63"),
        "heat-3": ("#78b4d2", "#1f6a89"),
        "heat-4": ("#2a769e", "#4aa3c9"),
        "heat-5": ("#0c4868", "#a6dcf2"),
        "fair": ("#b06000", "#f0a637"),
        "poor": ("#b3261e", "#f2877f"),
        "heat-text": ("#1f2328", "#e8eaed"),
        "heat-text-strong": ("#ffffff", "#16181c"),
    }
)


def palette_css(prefix: str, names: tuple[str, ...] = tuple(PALETTE)) -> str:
    """Return declarations of CSS variables, such as ``--wb-l0:light-dark(#ffe3c2,#5a3a14)``."""
    return ";".join(f"--{prefix}-{name}:light-dark({','.join(PALETTE[name])})" for name in names)
