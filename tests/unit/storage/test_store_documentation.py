"""The page about stores agrees with the library: options, schemes, costs, and the examples that need no server."""

from __future__ import annotations

import ast
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stores.costs import COMMIT, COSTS, NEW_VERSION, PLAN, READ, VERSION, WRITE
from tests.support.page_examples import DOCS, examples
from workbench.storage.stores import azure, gcs, oss, s3
from workbench.storage.stores.options import StoreOption
from workbench.storage.stores.registry import STORES

PAGE = DOCS / "stores.md"
EXAMPLES = examples(PAGE)
TABLES = (
    ("S3", "s3.", s3.S3_OPTIONS),
    ("Azure", "fs.azure.", azure.AZURE_OPTIONS),
    ("GCS", "fs.gs.", gcs.GCS_OPTIONS),
    ("OSS", "fs.oss.", oss.OSS_OPTIONS),
    ("OBS", "fs.obs.", s3.OBS_OPTIONS),
    ("COS", "fs.cosn.", s3.COS_OPTIONS),
)


@pytest.mark.parametrize(("store", "prefix", "known"), TABLES, ids=[each[0] for each in TABLES])
def test_all_options_are_listed(store: str, prefix: str, known: tuple[StoreOption, ...]) -> None:
    in_hadoop = any(each.hadoop for each in known)
    rows = [f"| {', '.join(f'`{prefix}{name}`' for name in each.names)} | {each.meaning} |" for each in known]
    if in_hadoop:
        rows = [f"{row} {f'`{each.hadoop}`' if each.hadoop else ''} |" for row, each in zip(rows, known, strict=True)]
    heading = f"| Option of {store} | Meaning |" + (" Option of Hadoop |" if in_hadoop else "")
    assert "\n".join([heading, "|---|---|" + ("---|" if in_hadoop else ""), *rows]) in PAGE.read_text(encoding="utf-8")


def test_all_schemes_are_listed() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [scheme for scheme in STORES if f"`{scheme}:`" not in text] == []


def _options() -> Iterator[str]:
    """Return the names of options in all examples."""
    for text in (text for texts in EXAMPLES.values() for text in texts):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Dict):
                yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and "." in str(key.value))


def test_examples_have_known_options() -> None:
    known = {f"{prefix}{name}" for _, prefix, options in TABLES for each in options for name in each.names}
    known |= {"lock.enabled", "lock.type", "lock.directory"}
    found = set(_options())
    assert len(found) > 15
    account = ".account.dfs.core.windows.net"
    assert {each for each in found if each.removesuffix(account) not in known} == {
        "fsspec.connection_string",
        "fsspec.token",
    }


@pytest.mark.parametrize(
    ("heading", "location"), [("Local disks", "/data/warehouse"), ("Memory", "memory://warehouse")]
)
def test_examples_without_a_server(heading: str, location: str, tmp_path: Path) -> None:
    (connect,), (work,) = EXAMPLES[heading], EXAMPLES["Stores"]
    own = str(tmp_path) if location.startswith("/") else f"memory://{uuid.uuid4().hex}"
    names: dict[str, Any] = {}
    exec(compile(connect.replace(location, own), heading, "exec"), names)
    assert names["lake"].warehouse.endswith(own)
    exec(compile(work, heading, "exec"), names)
    rows = names["orders"].to_arrow().sort_by("id").to_pylist()
    assert rows == [{"id": 1, "state": "new"}, {"id": 2, "state": "paid"}]


def test_all_costs_are_listed() -> None:
    heading = ["| Operation | Listings | Reads | Writes |", "|---|---|---|---|"]
    assert "\n".join([*heading, *(each.row() for each in COSTS)]) in PAGE.read_text(encoding="utf-8")


def test_the_price_of_a_month_follows_from_the_costs() -> None:
    (text,) = EXAMPLES["What requests cost"]
    names: dict[str, Any] = {}
    exec(compile(text, "What requests cost", "exec"), names)
    written = WRITE.most(4)
    unchanged, changed = VERSION.most(), [NEW_VERSION.most(), PLAN.most(1), READ.most(4)]
    minutes = 30 * 24 * 60
    assert names["class_a"] == minutes * (
        written["lists"] + written["writes"] + 5 * unchanged["lists"] + sum(each["lists"] for each in changed)
    )
    assert names["class_b"] == minutes * sum(each["reads"] for each in changed)
    assert names["price_of_a_month"](2, 1) == pytest.approx(names["class_a"] / 500 + names["class_b"] / 1000)


def test_the_words_about_costs_follow_from_them() -> None:
    write, commit = WRITE.most(1), COMMIT.most()
    text = PAGE.read_text(encoding="utf-8")
    assert f"are written with {sum(write.values())} requests; {sum(commit.values())} of them are the commit." in text
