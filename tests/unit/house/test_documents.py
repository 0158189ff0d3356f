"""The documents agree with the code and with each other: cited sections, linked files and named symbols exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

PROJECT = Path(__file__).resolve().parents[3]
SPECIFICATION = PROJECT / "docs" / "format.md"
ARCHITECTURE = PROJECT / "docs" / "architecture.md"
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
SOURCES = ("workbench", "tests", "extension/src", "extension/tools", "notebooks")
SUFFIXES = {".py", ".ts", ".tsx", ".java", ".ipynb"}

HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
NUMBER = re.compile(r"(?:Appendix )?([0-9]+(?:\.[0-9]+)*|[A-Z](?:\.[0-9]+)?)\.? ")
ITEM = re.compile(r"^([0-9]+)\. ", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
SECTION = re.compile(r"§([0-9]+(?:\.[0-9]+)*)")
APPENDIX = re.compile(r"\bAppendix ([A-Z](?:\.[0-9]+)?)\b")
PITFALL = re.compile(r"\btrap ([0-9]+)\b")
LOCATION = re.compile(r"^\| (?P<what>[^|]+) \| \[(?P<path>[^\]]+)\]\([^)]+\) \| `(?P<symbol>[^`]+)` \|$", re.MULTILINE)


def without_code(page: str) -> str:
    """Return the page without fenced blocks and code spans, whose brackets and numbers mean something else."""
    return CODE.sub("", FENCE.sub("", page))


def numbered_sections(page: str) -> set[str]:
    """Return the numbers of all sections: those of headings, and the items of a numbered list as ``29.12``."""
    numbers = set()
    for section in re.split(r"^(?=#)", FENCE.sub("", page), flags=re.MULTILINE):
        title = HEADING.match(section)
        number = title and NUMBER.match(f"{title[1]} ")
        if number:
            numbers.add(number[1])
            numbers.update(f"{number[1]}.{item}" for item in ITEM.findall(section))
    return numbers


def cited_sections(text: str) -> set[str]:
    """Return the sections of the specification that a comment or a page cites."""
    pitfalls = (f"29.{number}" for number in PITFALL.findall(text))
    return {*SECTION.findall(text), *APPENDIX.findall(text), *pitfalls}


def anchors(page: str) -> set[str]:
    """Return the anchors that GitHub derives from the headings of a page."""
    seen: Counter[str] = Counter()
    result = set()
    for title in HEADING.findall(FENCE.sub("", page)):
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        result.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return result


def broken_links(path: Path) -> list[str]:
    """Return the relative links of a page whose file or heading does not exist."""
    broken = []
    for link in LINK.findall(without_code(path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = unquote(link).partition("#")
        target = (path.parent / file).resolve() if file else path
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            broken.append(link)
    return broken


def bound_names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module or a class defines."""
    match statement:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def defines(path: Path, symbol: str) -> bool:
    """Return whether a Python or TypeScript file defines a symbol such as ``function`` or ``Class.method``."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return (
            re.search(rf"^export (?:function|const|class|interface) {re.escape(symbol)}\b", text, re.MULTILINE)
            is not None
        )
    body: list[ast.stmt] = ast.parse(text).body
    for name in symbol.split("."):
        statement = next((each for each in body if name in bound_names(each)), None)
        if statement is None:
            return False
        body = statement.body if isinstance(statement, ast.ClassDef) else []
    return True


def missing_locations(page: str, root: Path) -> list[str]:
    """Return the rows of a page's table of locations whose file does not exist or does not define the symbol."""
    return [
        f"{row['path']}: {row['symbol']}"
        for row in LOCATION.finditer(page)
        if not (root / row["path"]).is_file() or not defines(root / row["path"], row["symbol"])
    ]


def source_files() -> Iterator[Path]:
    for folder in SOURCES:
        for path in (PROJECT / folder).rglob("*"):
            # The samples of this file cite sections that do not exist.
            if path.suffix in SUFFIXES and "node_modules" not in path.parts and path != Path(__file__).resolve():
                yield path


def test_cited_sections_exist() -> None:
    citations = {
        path.relative_to(PROJECT).as_posix(): cited_sections(path.read_text(encoding="utf-8"))
        for path in [*source_files(), *PAGES]
    }
    assert sum(map(len, citations.values())) > 200
    sections = numbered_sections(SPECIFICATION.read_text(encoding="utf-8"))
    missing = {name: sorted(cited - sections) for name, cited in citations.items()}
    assert {name: result for name, result in missing.items() if result} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_relative_links_resolve(page: Path) -> None:
    assert broken_links(page) == []


def test_the_sections_of_the_specification_are_in_order() -> None:
    headings = HEADING.findall(FENCE.sub("", SPECIFICATION.read_text(encoding="utf-8")))
    chapters = [int(number[1]) for title in headings if (number := re.match(r"([0-9]+)\. ", title))]
    assert chapters == list(range(1, 30))


def test_the_locations_of_the_architecture_page_exist() -> None:
    page = ARCHITECTURE.read_text(encoding="utf-8")
    assert len(LOCATION.findall(page)) >= 20
    assert missing_locations(page, PROJECT) == []


def test_missing_locations_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("TABLE: int = 1\nclass A:\n    def run(self): pass\n", encoding="utf-8")
    (tmp_path / "b.ts").write_text("export function draw(\n", encoding="utf-8")
    names = ("a.py TABLE", "a.py A", "a.py A.run", "b.ts draw", "a.py run", "a.py A.walk", "b.ts dra", "c.py TABLE")
    rows = [f"| W | [{name.split()[0]}](x) | `{name.split()[1]}` |\n" for name in names]
    assert missing_locations("".join(rows), tmp_path) == ["a.py: run", "a.py: A.walk", "b.ts: dra", "c.py: TABLE"]


def test_sections_are_headings_and_items() -> None:
    page = "# 7\n## 1. Layout\n### 1.2 Names\n```\n## 8. No\n```\n## 3. List\n1. a\n2. b\n## Appendix C. D\n### C.1 E\n"
    assert numbered_sections(page) == {"7", "1", "1.2", "3", "3.1", "3.2", "C", "C.1"}


def test_citations_are_found_across_lines_and_lists() -> None:
    comment = "(format §4.4, §5,\n§6; format Appendix C), see format §29.12. As in 2.0 (trap 41)."
    assert cited_sections(comment) == {"4.4", "5", "6", "C", "29.12", "29.41"}


def test_anchors_are_those_of_github() -> None:
    page = "# A, `b` & c_d\n## 4.1 Hint files\n## Same\n## Same\n"
    assert anchors(page) == {"a-b--c_d", "41-hint-files", "same", "same-1"}


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Title\n", encoding="utf-8")
    page = tmp_path / "page.md"
    links = ("other.md", "other.md#title", "#here", "https://a.example/x", "other.md#none", "gone.md", "#none")
    page.write_text("# Here\n`[x](code.md)`\n" + "".join(f"[x]({link})\n" for link in links), encoding="utf-8")
    assert broken_links(page) == ["other.md#none", "gone.md", "#none"]
