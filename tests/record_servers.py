"""Run all tests of stores, or all of catalogs, and record the outcome in docs/generated.

``python -m tests.record_servers stores`` or ``… catalogs``. Further arguments such as ``-k S3`` are passed to pytest.
Then, only the outcomes of the tests that ran are replaced in the page, which says so; without arguments, the whole page
is written, and tests that did not run are shown as such. Tests that no longer exist leave the page.
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

# The name of a test, of which a parameter may be the server.
_NAME = re.compile(r"tests/\w+/(?P<folder>\w+/)?(?P<file>\w+)\.py::(?P<test>\w+)(\[(?P<parameters>.+)\])?")


@dataclass(frozen=True)
class Subject:
    """A folder of tests that run against servers, and the page about them."""

    folder: str
    """The folder in ``tests``, which is also the name of the page."""

    title: str
    """The heading of the page."""

    note: str
    """What the page says about the servers."""

    servers: Mapping[str, str]
    """The servers as the columns of the page: by the parameter of a test that names one, or by the folder of tests with
    one server, their titles."""

    clients: Sequence[str]
    """The packages whose versions the page says."""

    @property
    def page(self) -> Path:
        """The file of the page."""
        return ROOT / "docs" / "generated" / f"{self.folder}.md"

    def cells(self, outcomes: Outcomes) -> Mapping[tuple[str, str], Mapping[str, str]]:
        """Return the outcomes of each test by its server; a test with other parameters has a row for each."""
        found: dict[tuple[str, str], dict[str, str]] = {}
        for name, outcome in outcomes.outcomes.items():
            match = _NAME.fullmatch(name)
            assert match is not None, name
            parameters = (match["parameters"] or "").split("-")
            folder = (match["folder"] or "").rstrip("/")
            # Tests of SQLite need no server.
            server = next((each for each in (*parameters, folder) if each in self.servers), next(iter(self.servers)))
            rest = ", ".join(each for each in parameters if each and each != server)
            test = match["test"].removeprefix("test_").replace("_", " ") + (f" ({rest})" if rest else "")
            found.setdefault((f"{folder}/{match['file']}", test), {})[server] = outcome
        return found


STORES = Subject(
    "stores",
    "The last run of the tests of stores",
    "The servers imitate the services, except Hadoop's own.",
    {each.name: f"{each.name}: {each.program}" for each in (*SERVERS, HDFS)},
    ("fsspec", "s3fs", "adlfs", "gcsfs", "alibabacloud-oss-v2", "hdfs-native"),
)
CATALOGS = Subject(
    "catalogs",
    "The last run of the tests of catalogs",
    "Java is Paimon 2.0.0, with its own catalogs. The REST server is the one that Paimon's tests use.",
    {
        "sqlite": "JDBC: SQLite",
        "postgresql": "JDBC: PostgreSQL",
        "mariadb": "JDBC: MariaDB",
        "2.3.10": "Hive Metastore 2.3.10",
        "3.1.3": "Hive Metastore 3.1.3",
        "rest": "REST: Paimon's server 2.0.0",
    },
    ("psycopg", "PyMySQL", "pymetastore", "thrift", "requests"),
)
SUBJECTS = {each.folder: each for each in (STORES, CATALOGS)}


@dataclass(frozen=True)
class Run:
    """One run of the tests: what was tested, which tests, and how it ended."""

    subject: Subject
    tested: str
    when: datetime
    arguments: Sequence[str]
    outcomes: Outcomes

    def facts(self) -> list[tuple[str, str]]:
        """Return what the page says about a run of all tests."""
        clients = ", ".join(f"{name} {known}" for name in self.subject.clients if (known := _version(name)))
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


def page(run: Run, before: str = "", existing: Iterable[str] = ()) -> str:
    """Return the page: that of all tests, or ``before`` with the outcomes of some of the existing tests replaced."""
    servers = run.subject.servers
    facts, rows = _tables_of(before) if run.arguments else ([], [])
    kept = {name for _, name in run.subject.cells(Outcomes(outcomes=dict.fromkeys(existing, "")))}
    shown = {row[0]: dict(zip(servers, row[1:], strict=True)) for row in rows if row[0] in kept}
    for (_, name), of_servers in sorted(run.subject.cells(run.outcomes).items()):
        shown.setdefault(name, {}).update(of_servers)
    return "\n".join(
        [
            f"# {run.subject.title}",
            "",
            f"Written by `make {run.subject.folder}`; do not edit. {run.subject.note}",
            "",
            *_table(("", ""), [*facts, run.repeated()] if facts else run.facts()),
            "",
            *_table(
                ("Test", *servers.values()),
                ([name, *(found.get(each, "not run") for each in servers)] for name, found in shown.items()),
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


def _existing(folder: str) -> list[str]:
    """Return the names of all tests in a folder."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", f"tests/{folder}"]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [line for line in output.splitlines() if "::" in line]


def main(arguments: list[str]) -> int:
    subject, *selection = SUBJECTS[arguments[0]], *arguments[1:]
    tested, when = commit(), datetime.now(UTC)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "outcomes"
        noted = ["-p", "tests.support.outcomes", "--outcomes", str(path)]
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", f"tests/{subject.folder}", *noted, *selection], cwd=ROOT, check=False
        )
        run = Run(subject, tested, when, selection, read_outcomes(path))
        before = subject.page.read_text(encoding="utf-8") if subject.page.exists() else ""
        subject.page.write_text(page(run, before, _existing(subject.folder)), encoding="utf-8")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
