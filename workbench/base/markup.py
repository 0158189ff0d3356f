"""Style and escaping of HTML in notebooks. All text in it is data, never markup."""

from __future__ import annotations

from workbench.base.modules import html

# Jupyter's variables define the theme; without them, colors are derived from the color of the surrounding text.
STYLE = """<style>
.wb-grid{overflow-x:auto;max-width:100%;margin:.3em 0;color:var(--jp-content-font-color1,inherit);
--wb-line:var(--jp-border-color2,color-mix(in srgb,currentColor 22%,transparent));
--wb-soft:color-mix(in srgb,currentColor 65%,transparent);
--wb-add:light-dark(#116329,#7ee2a0);--wb-del:light-dark(#a0111f,#ff9a97);--wb-old:light-dark(#7d4e00,#f2c46d)}
.wb-grid:focus-visible{outline:2px solid var(--jp-brand-color1,Highlight);outline-offset:2px}
[data-jp-theme-light=true] .wb-grid{color-scheme:light}[data-jp-theme-light=false] .wb-grid{color-scheme:dark}
.wb-grid table.wb-table{border-collapse:collapse;border:0;margin:0;font-size:var(--jp-ui-font-size1,13px);
table-layout:auto;font-variant-numeric:tabular-nums}
.wb-grid .wb-table caption{caption-side:top;text-align:left;font-weight:600;padding:.2em .1em .45em;color:inherit}
.wb-grid .wb-table th,.wb-grid .wb-table td{text-align:left;vertical-align:top;padding:.28em .8em;border:0;
border-bottom:1px solid var(--wb-line);white-space:pre-wrap;max-width:32em;overflow-wrap:break-word;line-height:1.35}
.wb-grid .wb-table thead th{border-bottom:2px solid var(--wb-line);white-space:normal;overflow-wrap:normal}
.wb-grid .wb-table small{display:block;white-space:nowrap;font-weight:400;font-size:.8em;color:var(--wb-soft)}
.wb-grid .wb-table .wb-num{text-align:right}
.wb-grid .wb-table .wb-num,.wb-grid .wb-table .wb-short{white-space:nowrap}
.wb-grid .wb-table thead th.wb-num{white-space:normal}
.wb-grid .wb-table td.wb-long{min-width:16em;overflow-wrap:anywhere}
.wb-grid .wb-table td.wb-whole{max-width:none;font-family:var(--jp-code-font-family,monospace)}
.wb-grid .wb-table summary{cursor:pointer}
.wb-grid .wb-table details>div{margin-top:.4em;padding-top:.4em;border-top:1px solid var(--wb-line);
max-height:30em;overflow:auto}
.wb-grid .wb-null{font-style:italic;color:var(--wb-soft)}
.wb-grid .wb-kind{font-family:var(--jp-code-font-family,monospace);font-weight:700}
.wb-grid .wb-add{color:var(--wb-add)}.wb-grid .wb-del{color:var(--wb-del)}.wb-grid .wb-old{color:var(--wb-old)}
.wb-grid p.wb-note{margin:.4em .1em;font-size:.9em;color:var(--wb-soft)}
.wb-grid p.wb-line{margin:.2em .1em}
</style>"""


def escape(text: str) -> str:
    """Return text escaped for HTML, with control and direction characters made harmless."""
    return html.escape(printable(text, keep="\n\t"), quote=True)


def printable(text: str, keep: str = "") -> str:
    """Return text with all non-printable characters escaped, so that a value cannot control a terminal."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode() for char in text
    )
