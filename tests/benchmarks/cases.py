"""The benchmarks: what is compared with whom, and the bound that the ratio must keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import OUR_PYTHON, Side, WholeProcess, Worker
from tests.benchmarks.remote import RemoteWarehouse

RUST = "rust"
ARROW = "arrow"
PYPAIMON = "pypaimon"
OURS = "workbench"
# Tasks that prepare so much that their first run is as fast as others, and `make`, which does its work once.
_ONCE = {"make", "list_snapshots", "plan_again", "read_again", "write_last"}


@dataclass(frozen=True)
class Setting:
    """The setting of a run: the directory of its tables, the fraction of the full row counts, peers' interpreters, and
    for the remote part the warehouse in the store."""

    directory: Path
    scale: float
    runs: int
    python_of: Callable[[str], Path]
    remote: RemoteWarehouse | None = None

    def worker(self, engine: str, task: str, per: int = 1, **arguments: Any) -> Worker:
        python = OUR_PYTHON if engine in (OURS, ARROW) else self.python_of(engine)
        arguments.setdefault("files", engine)
        runs = 0 if task in _ONCE else self.runs
        order = {
            "engine": engine,
            "task": task,
            "runs": runs,
            "directory": str(self.directory),
            "scale": self.scale,
            "arguments": arguments,
        }
        return Worker(python, order, per)

    def counted(self, engine: str, task: str, table: str) -> Side:
        """Return a task on the warehouse in the store, whose requests are counted."""
        assert self.remote is not None
        return self.remote.counted(self.worker(engine, task, table=table, remote=self.remote.options))


@dataclass(frozen=True)
class Case:
    """One line of the report. ``needs``: pairs of an engine and the table that it writes.

    ``bound`` is on the ratio of seconds, ``peak_bound`` on our memory in MB, ``bytes_bound`` on the ratio of bytes
    written, ``requests_bound`` on our requests; lines without a bound are for information. misses.py explains missed
    bounds by profiles. ``remote``: the folders of its table that are copied to the store, as a pattern; empty if
    the work is done on this disk.
    """

    name: str
    title: str
    ours: Callable[[Setting], Side]
    theirs: Callable[[Setting], Side] | None = None
    peer: str = ""
    bound: float | None = None
    peak_bound: float | None = None
    bytes_bound: float | None = None
    requests_bound: int | None = None
    table: str = ""
    needs: tuple[tuple[str, str], ...] = ()
    rounds: int | None = None
    optional: bool = False
    remote: str = ""


@dataclass(frozen=True)
class _Pair:
    """A task that both this library and a peer do."""

    peer: str
    task: str
    peer_task: str
    per: int = 1
    ours: dict[str, Any] = field(default_factory=dict)
    theirs: dict[str, Any] = field(default_factory=dict)

    def side(self, engine: str) -> Callable[[Setting], Side]:
        own = engine == OURS
        task, arguments = (self.task, self.ours) if own else (self.peer_task, self.theirs)
        return lambda setting: setting.worker(engine, task, self.per, **arguments)


def _case(
    name: str,
    title: str,
    task: str,
    peer: str,
    bound: float | None,
    *,
    per: int = 1,
    peer_task: str | None = None,
    files: str | None = None,
    writes: bool = False,
    bytes_bound: float | None = None,
    optional: bool = False,
    **arguments: Any,
) -> Case:
    """``files``: the engine whose files both sides read; without it each reads its own."""
    pair = _Pair(
        peer,
        task,
        peer_task or task,
        per,
        {"files": files or OURS, **arguments},
        {"files": files or peer, **arguments},
    )
    table = arguments["table"]
    writers = () if writes else (files,) if files else (OURS, peer)
    return Case(
        name,
        title,
        pair.side(OURS),
        pair.side(peer),
        peer,
        bound,
        bytes_bound=bytes_bound,
        table=table,
        needs=tuple((engine, table) for engine in writers if engine),
        optional=optional,
    )


def _merge_on_read(table: str, title: str, bound: float, files: str = OURS) -> list[Case]:
    suffix = "" if files == OURS else "-of-rust"
    return [
        _case(f"merge-{table}{suffix}", f"merge-on-read, {title}", "read", RUST, bound, table=table, files=files),
        _case(
            f"merge-{table}{suffix}-2-columns",
            f"merge-on-read, {title}, 2 columns",
            "read",
            RUST,
            bound,
            table=table,
            files=files,
            columns=["id", "price"],
        ),
    ]


def _merge_engine(table: str, title: str) -> list[Case]:
    """Compare with the Rust peer, which writes the files, and with our own read of a deduplicate table."""

    def own(name: str) -> Callable[[Setting], Side]:
        return lambda setting: setting.worker(OURS, "read", table=name, files=RUST)

    return [
        _case(f"merge-{table}", f"merge-on-read, {title}", "read", RUST, 0.3, table=table, files=RUST),
        Case(
            f"merge-{table}-own",
            f"merge-on-read, {title}, against deduplicate",
            own(table),
            own("bigint"),
            OURS,
            1.5,
            table=table,
            needs=((RUST, table), (RUST, "bigint")),
        ),
    ]


def _large(name: str, title: str, optional: bool) -> Case:
    return Case(
        name,
        title,
        lambda setting: setting.worker(OURS, "stream", table=name),
        lambda setting: setting.worker(RUST, "stream", table=name, files=OURS),
        RUST,
        peak_bound=1024,
        table=name,
        needs=((OURS, name),),
        rounds=1,
        optional=optional,
    )


_FIRST_ROW = """
import workbench as wb
print(wb.connect({warehouse!r}).get_table("db.ten").to_arrow().num_rows)
"""
_FIRST_ROW_RUST = """
from pypaimon_rust.datafusion import PaimonCatalog
builder = PaimonCatalog({{"warehouse": {warehouse!r}}}).get_table("db.ten").new_read_builder()
print(sum(batch.num_rows for batch in builder.new_read().read_arrow(builder.new_scan().plan().splits())))
"""


def _process(python: str, program: str, files: str = "") -> Callable[[Setting], Side]:
    def side(setting: Setting) -> Side:
        interpreter = OUR_PYTHON if python == OURS else setting.python_of(python)
        return WholeProcess(interpreter, program.format(warehouse=str(setting.directory / files)))

    return side


_PROCESSES = [
    Case(
        "import",
        "import workbench",
        _process(OURS, "import workbench"),
        _process(OURS, "import pyarrow"),
        "import pyarrow",
        1.3,
        rounds=11,
    ),
    Case(
        "import-face",
        "import workbench, with connect and Table loaded",
        _process(OURS, "import workbench; workbench.connect; workbench.Table"),
        _process(OURS, "import pyarrow"),
        "import pyarrow",
        1.3,
        rounds=11,
    ),
    Case(
        "first-row",
        "process start to the rows of a tiny table",
        _process(OURS, _FIRST_ROW, OURS),
        _process(RUST, _FIRST_ROW_RUST, RUST),
        RUST,
        1.2,
        table="ten",
        needs=((OURS, "ten"), (RUST, "ten")),
        rounds=11,
    ),
]

_APPEND = [
    _case("append-write", "append write, 5 M rows", "write", ARROW, 0.8, table="append", writes=True, bytes_bound=1.02),
    _case("append-scan", "append scan", "read", ARROW, 1.05, table="append"),
    _case("append-2-columns", "append scan, 2 columns", "read", ARROW, 1.1, table="append", columns=["id", "price"]),
    _case(
        "range-clustered",
        "append filter, clustered range of 1 %",
        "read",
        RUST,
        1.2,
        table="append",
        between=["id", 2_400_000, 2_449_999],
    ),
    _case("range-random", "append filter, random 1 %", "read", RUST, None, table="append", between=["qty", 100, 109]),
]

_KEYED = [
    _case("key-write", "primary-key write, 6 commits", "write", RUST, 0.7, table="bigint", writes=True),
    _case("key-write-string", "primary-key write, STRING key", "write", RUST, 0.7, table="string", writes=True),
    *_merge_on_read("bigint", "BIGINT key", 0.5),
    *_merge_on_read("string", "STRING key", 0.65),
    *_merge_on_read("composite", "composite key", 0.65),
    *_merge_on_read("decimal", "DECIMAL key", 0.65),
    *_merge_on_read("skewed", "skewed upserts", 0.65),
    *_merge_on_read("many-runs", "30 runs", 0.65),
    *_merge_on_read("bigint", "BIGINT key, files of pypaimon-rust", 0.5, files=RUST),
    *_merge_engine("partial", "partial-update"),
    *_merge_engine("sums", "aggregation"),
    _case("lookup-cold", "point lookup by key, cold", "lookup_cold", RUST, 1.2, per=10, table="bigint"),
    _case("lookup-warm", "point lookup by key, warm", "lookup_warm", RUST, 0.3, per=50, table="bigint"),
    _case(
        "difference", "changes between snapshots 1 and 6 (diff)", "difference", RUST, 0.7, table="bigint", files=OURS
    ),
    _case(
        "compact",
        "full compaction; plain read and write of the same bytes",
        "compact",
        ARROW,
        1.5,
        peer_task="rewrite",
        table="bigint",
        files=OURS,
    ),
    _large("stream-20", "to_batches of 20 M rows in 6 runs", optional=False),
    _large("stream-40", "to_batches of 40 M rows in 6 runs, row groups of 1 M rows", optional=True),
]

_SMALL = [
    _case("plan-cold", "plan of 2,000 files, cold", "plan_cold", RUST, 1.2, per=5, table="tiny"),
    _case("plan-warm", "plan of 2,000 files, warm", "plan_warm", RUST, 0.2, per=20, table="tiny"),
    *(
        _case(
            f"plan-100k-{state}",
            f"plan of 100,000 files, {state}",
            f"plan_{state}",
            RUST,
            bound,
            per=per,
            table="listed",
            files=OURS,
        )
        for state, per, bound in (("cold", 5, 1.2), ("warm", 20, 0.2))
    ),
    _case("tiny-read", "read of 2,000 tiny files", "read", RUST, 1.0, table="tiny"),
    _case("commits", "200 commits of 10 files", "write", RUST, 1.0, table="tiny", writes=True),
    _case("commits-pypaimon", "200 commits of 10 files", "write", PYPAIMON, 1.0, table="tiny", writes=True),
]

LOCAL = [*_APPEND, *_KEYED, *_SMALL, *_PROCESSES]


def _remote(name: str, title: str, task: str, table: str, requests_bound: int, folders: str = "*") -> list[Case]:
    """The same work against each peer."""

    def side(engine: str) -> Callable[[Setting], Side]:
        return lambda setting: setting.counted(engine, task, table)

    return [
        Case(
            f"remote-{name}-{peer}",
            title,
            side(OURS),
            side(peer),
            peer,
            1.0,
            requests_bound=requests_bound,
            table=table,
            needs=() if task == "write_last" else ((OURS, table),),
            rounds=1,
            remote=folders,
        )
        for peer in (PYPAIMON, RUST)
    ]


REMOTE = [
    *_remote("open", "open a table of 1,000 snapshots", "open_newest", "commits-1000", 4, "s*"),
    *_remote("plan", "plan, 27 manifests", "plan", "commits-27", 30),
    *_remote("plan-again", "plan again, unchanged table", "plan_again", "commits-27", 1),
    *_remote("read", "open, plan and read 2 small files", "read", "commits-2", 11),
    *_remote("merge", "open, plan and merge 8 files of 2 MiB", "read", "files-of-2-mib", 19),
    *_remote("merge-again", "merge again, unchanged table", "read_again", "files-of-2-mib", 9),
    *_remote("snapshots", "list 200 snapshots", "list_snapshots", "commits-200", 200, "s*"),
    *_remote("write", "write of 10 rows into 2 buckets", "write_last", "few-keys", 12),
]
CASES = [*LOCAL, *REMOTE]
