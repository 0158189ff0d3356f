"""Run all tests of stores and record the outcome in docs/generated/stores.md.

Arguments such as ``-k S3`` or ``-m "not long"`` are passed to pytest; tests that did not run are shown as such.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
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


def page(outcomes: Outcomes, tested: str, when: datetime) -> str:
    """Return the page."""
    clients = ", ".join(f"{name} {installed}" for name in CLIENTS if (installed := _version(name)))
    rows = (
        [name, *(of_stores.get(each.name, "not run") for each in STORES)]
        for (_, name), of_stores in sorted(cells(outcomes).items())
    )
    return "\n".join(
        [
            "# The last run of the tests of stores",
            "",
            "Written by `make stores`; do not edit. The servers imitate the services, except Hadoop's own.",
            "",
            *_table(
                ("", ""),
                [
                    ("Date", f"{when:%Y-%m-%d %H:%M} UTC"),
                    ("Commit", tested),
                    ("Versions", versions()),
                    ("Clients", clients),
                    ("Result", outcomes.counts()),
                ],
            ),
            "",
            *_table(("Test", *(f"{each.name}: {each.program}" for each in STORES)), rows),
            "",
        ]
    )


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
        PAGE.write_text(page(read_outcomes(path), tested, when), encoding="utf-8")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
