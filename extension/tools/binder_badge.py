"""``python extension/tools/binder_badge.py``: shows Binder's badge in the README if the project has a public URL.

The URL is that of ``Repository`` in ``[project.urls]`` of pyproject.toml. ``--check`` fails instead of writing.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "paimon-demo/quickstart.ipynb"
_MARKED = re.compile(r"(?<=<!-- binder -->\n).*?(?=<!-- end of binder -->)", re.DOTALL)


def badge(repository: str | None) -> str:
    """Return the line with the badge, or nothing without a repository."""
    if repository is None:
        return ""
    url = repository.removesuffix("/").removesuffix(".git")
    parts = urlsplit(url)
    if parts.hostname == "github.com":
        source = f"gh{parts.path}"
    elif parts.hostname == "gitlab.com":
        source = f"gl/{quote(parts.path[1:], safe='')}"
    else:
        source = f"git/{quote(url, safe='')}"
    link = f"https://mybinder.org/v2/{source}/HEAD?urlpath={quote(f'lab/tree/{NOTEBOOK}', safe='')}"
    return f"[![Open in Binder](https://mybinder.org/badge_logo.svg)]({link})\n"


def with_badge(readme: str, project: str) -> str:
    """Return the README with the badge for the text of pyproject.toml."""
    urls = tomllib.loads(project)["project"].get("urls", {})
    return _MARKED.sub(lambda _: badge(urls.get("Repository")), readme)


def main(arguments: Sequence[str]) -> int:
    """Write or check the README, and return the exit code."""
    file = ROOT / "README.md"
    readme = file.read_text(encoding="utf-8")
    expected = with_badge(readme, (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if "--check" not in arguments:
        file.write_text(expected, encoding="utf-8")
    elif readme != expected:
        print("The badge in README.md is out of date. Run: make format", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
