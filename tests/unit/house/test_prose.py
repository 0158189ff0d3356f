"""Docstrings and messages use plain English: no text contains the words and phrases that the code avoids."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
AVOIDED = re.compile(
    r"\btold\b|\btells?\b|\basked for\b|\basks\b|\b(?:is|are) no\b(?! longer\b)|\bwhoever\b|\b(?:no|some)body\b"
    r"|\banew\b|\bcatalogues?\b|\bof (?:its|their) own\b|\bcame\b|\bnot come near\b|\blies?\b|\bgoes\b|\bstands\b"
    r"|\bmeanwhile\b|\balike\b|\bbrings\b|\bin vain\b|\bfor ever\b|\bonce more\b|\blikewise\b|\bhence\b|\bamiss\b"
    r"|\bfor (?:it|they|there) (?:is|are|was|were|has|have|would)\b",
    re.IGNORECASE,
)
ALLOWED = re.compile(r"\b(?:there|here) (?:is|are) no\b", re.IGNORECASE)
TYPESCRIPT_STRING = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`")
TYPESCRIPT_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)

PARENTS = ("workbench", "workbench/table")
UNCOUNTED = ("contract.ts", Path(__file__).name)


def avoided(text: str) -> list[str]:
    """Return the avoided words and phrases of a text."""
    return [match[0] for match in AVOIDED.finditer(ALLOWED.sub("", " ".join(text.split())))]


def python_texts(source: str) -> Iterator[str]:
    """Return docstrings, messages and other strings; the parts of an f-string count as one, with gaps."""
    tree = ast.parse(source)
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(each.value) if isinstance(each, ast.Constant) else "…" for each in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def typescript_texts(source: str) -> Iterator[str]:
    """Return the strings of a TypeScript file."""
    yield from TYPESCRIPT_STRING.findall(TYPESCRIPT_COMMENT.sub("", source))


def phrases_in(folder: str) -> list[str]:
    """Return the avoided phrases of a folder, as ``file: phrase``; of ``PARENTS``, only direct files count."""
    root = PROJECT / folder
    paths = root.glob("*.py") if folder in PARENTS else root.rglob("*")
    result = []
    for path in sorted(paths):
        if path.suffix in (".py", ".ts", ".tsx") and path.name not in UNCOUNTED:
            texts = python_texts if path.suffix == ".py" else typescript_texts
            name = path.relative_to(PROJECT).as_posix()
            result += [f"{name}: {each}" for text in texts(path.read_text("utf-8")) for each in avoided(text)]
    return result


def folders() -> set[str]:
    """Return the folders that are counted: those of the package and of ``table``, the front end and the tests."""
    below = [path for root in PARENTS for path in (PROJECT / root).iterdir()]
    rooms = {path.relative_to(PROJECT).as_posix() for path in below if (path / "__init__.py").is_file()}
    return rooms | {*PARENTS, "extension/src", "tests"}


@pytest.mark.parametrize("folder", sorted(folders()))
def test_folders_avoid_words(folder: str) -> None:
    assert phrases_in(folder) == []


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Which files were told.", ["told"]),
        ("'a' is no\n snapshot", ["is no"]),
        ("There is no table; it is no longer there.", []),
        ("Whoever calls, nobody and somebody know.", ["Whoever", "nobody", "somebody"]),
        ("Read anew what was asked for in the catalogue.", ["anew", "asked for", "catalogue"]),
        ("A folder of its own.", ["of its own"]),
        ("Return the catalog that the user requested.", []),
    ],
)
def test_avoided_phrases_are_found(text: str, phrases: list[str]) -> None:
    assert avoided(text) == phrases


def test_texts_are_docstrings_and_strings() -> None:
    python = '"""Doc."""\n# comment\nraise E(f"x is {y!r} no z", "hint")\n'
    assert sorted(python_texts(python)) == ["Doc.", "hint", "x is … no z"]
    typescript = "// it's a comment\n/* 'b' */ const a = 'it\\'s'; const c = `d ${e}`;\n"
    assert list(typescript_texts(typescript)) == ["'it\\'s'", "`d ${e}`"]
