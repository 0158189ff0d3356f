"""Run all tests of stores and record the outcome in docs/generated/stores.md.

Arguments such as ``-k S3`` are passed to pytest. Then, only the outcomes of the tests that ran are replaced in the
page, which says so; without arguments, the whole page is written, and tests that did not run are shown as such.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.record_long_run import ROOT, commit, versions
from tests.stores.servers import HDFS, SERVERS
from tests.support.outcomes import Outcomes, read_outcomes

PAGE = ROOT / "docs" / "generated" / "stores.md"
STORES = (*SERVERS, HDFS)
CLIENTS = ("fsspec", "s3fs", "adlfs", "gcsfs", "alibabacloud-oss-v2", "hdfs-native")
# The name of a test with its parameters, of which one is the store.
_NAME = re.compile(r"tests/stores/(?P<file>\w+)\.py::(?P<test>\w+)\[(?P<parameters>.+)\]")


def cells(outcomes: Outcomes) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return the outcomes of each test by the name of its store; a test with other parameters has a row for each."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    names = {each.name for each in STORES}
    for name, outcome in outcomes.outcomes.items():
        match = _NAME.fullmatch(name)
        assert match is not None, name
        parameters = match["parameters"].split("-")
        (store,) = (each for each in parameters if each in names)
        rest = ", ".join(each for each in parameters if each != store)
        test = match["test"].removeprefix("test_").replace("_", " ") + (f" ({rest})" if rest else "")
        found.setdefault((match["file"], test), {})[store] = outcome
    return found


@dataclass(frozen=True)
class Run:
    """One run of the tests: what was tested, which tests, and how it ended."""

    tested: str
    when: datetime
    arguments: Sequence[str]
    outcomes: Outcomes

    def facts(self) -> list[tuple[str, str]]:
        """Return what the page says about a run of all tests."""
        clients = ", ".join(f"{name} {installed}" for name in CLIENTS if (installed := _version(name)))
        return [
            ("Date", f"{self.when:%Y-%m-%d %H:%M} UTC"),
            ("Commit", self.tested),
            ("Versions", versions()),
            ("Clients", clients),
            ("Result", self.outcomes.counts()),
        ]

    def repeated(self) -> tuple[str, str]:
        """Return what the page says about a later run of some tests."""
        which = f"`{' '.join(self.arguments)}`, {self.when:%Y-%m-%d %H:%M} UTC, commit {self.tested}"
        return ("Repeated", f"{which}: {self.outcomes.counts()}")


def page(run: Run, before: str = "") -> str:
    """Return the page: that of all tests, or ``before`` with the outcomes of some of them replaced."""
    facts, rows = _tables_of(before) if run.arguments else ([], [])
    shown = {row[0]: dict(zip((each.name for each in STORES), row[1:], strict=True)) for row in rows}
    for (_, name), of_stores in sorted(cells(run.outcomes).items()):
        shown.setdefault(name, {}).update(of_stores)
    return "\n".join(
        [
            "# The last run of the tests of stores",
            "",
            "Written by `make stores`; do not edit. The servers imitate the services, except Hadoop's own.",
            "",
            *_table(("", ""), [*facts, run.repeated()] if facts else run.facts()),
            "",
            *_table(
                ("Test", *(f"{each.name}: {each.program}" for each in STORES)),
                ([name, *(of.get(each.name, "not run") for each in STORES)] for name, of in shown.items()),
            ),
            "",
        ]
    )


def _tables_of(text: str) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """Return the rows of both tables of a page."""
    found = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if "| " in line]
    start = next((number for number, row in enumerate(found) if row[0] == "Test"), len(found))
    return [(row[0], row[1]) for row in found[1:start]], found[start + 1 :]


def _table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    heading = [f"| {' | '.join(names)} |"]
    return [*heading, "|---" * heading[0].count(" | ") + "|---|", *(f"| {' | '.join(row)} |" for row in rows)]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def main(arguments: list[str]) -> int:
    tested, when = commit(), datetime.now(UTC)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "outcomes"
        noted = ["-p", "tests.support.outcomes", "--outcomes", str(path)]
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "tests/stores", *noted, *arguments], cwd=ROOT, check=False
        )
        run = Run(tested, when, arguments, read_outcomes(path))
        PAGE.write_text(page(run, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
