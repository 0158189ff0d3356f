"""Static pictures as PNG, for programs that show neither the HTML of a notebook's output nor its JSON.

Machines may have no fonts at all, so this folder contains one: ``DejaVuSans.ttf`` is DejaVu Sans 2.37, reduced by
``pyftsubset --no-hinting --layout-features=kern`` to Latin, Greek and Cyrillic letters and some symbols. Its license is
in the same folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from workbench.notebook.drawings.drawing import Drawing
from workbench.notebook.drawings.standalone import standalone_svg

# The bytes of a PNG, and metadata from which IPython takes the size at which it is shown.
PngForm = tuple[bytes, dict[str, int]]

MAX_BYTES = 100 * 1024
FONT = Path(__file__).parent / "DejaVuSans.ttf"
_FAMILY = "DejaVu Sans"
# Pixels of the picture per pixel on the page: more than one for sharp text, or one if the file would be too large.
_SCALES = (1.5, 1)
_MAX_HEIGHT = 900
# Text with any other characters needs the machine's fonts, which take time to find.
_HAS_LETTERS = re.compile(r"[\n\x20-\x7e\u00a0-\u017f\u0370-\u03ff\u0400-\u045f\u2010-\u2026←-↓€−≈≤≥✓✕]*")


def png_form(drawings: Sequence[Drawing]) -> PngForm | None:
    """Return the drawings as one picture of at most `MAX_BYTES`, which ``_repr_png_`` returns.

    It is None if there is no drawing, if it does not fit, or if ``resvg-py`` is not installed.
    """
    if not drawings or find_spec("resvg_py") is None:
        return None
    import resvg_py

    svg = standalone_svg(drawings, _MAX_HEIGHT)
    for scale in _SCALES:
        content = resvg_py.svg_to_bytes(
            svg_string=svg.text,
            zoom=scale,
            font_files=[str(FONT)],
            font_family=_FAMILY,
            sans_serif_family=_FAMILY,
            skip_system_fonts=_HAS_LETTERS.fullmatch(svg.text) is not None,
        )
        if len(content) <= MAX_BYTES:
            return content, {"width": svg.width, "height": svg.height}
    return None
