"""Files of the golden tables, damaged one at a time in a separate process, so that crashes and hangs are detected."""

from __future__ import annotations

import json
import os
import random
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.faults.golden import unpack

SECONDS = 30
MEMORY = 3 << 30
GARBAGE = b"this is not the file you are looking for"
MASKS = (0x01, 0x20, 0x80, 0xFF)

SAME, CORRUPT, UNSUPPORTED, REFUSED, OTHER = "same", "corrupt", "unsupported", "refused", "other"
"""Possible outcomes of a read: the right rows; CorruptFile; Unsupported; another WorkbenchError; different rows."""


@dataclass(frozen=True)
class Damage:
    """A damage to one file. ``place``: the number of bytes that ``cut`` leaves, or the position of the byte whose
    ``mask`` bits ``flip`` inverts. ``looks``: names in LOOKS."""

    table: str
    file: str
    operator: str
    looks: Sequence[str]
    place: int = 0
    mask: int = 0

    def __str__(self) -> str:
        return f"{self.table}/{self.file} {self.operator} {self.place} {self.mask}"

    def apply(self, path: Path) -> None:
        """Damage the file."""
        data = path.read_bytes()
        path.unlink()
        match self.operator:
            case "removed":
                return
            case "directory":
                path.mkdir()
                return
            case "empty":
                data = b""
            case "garbage":
                data = GARBAGE
            case "longer":
                data += GARBAGE
            case "cut":
                data = data[: self.place]
            case "flip":
                changed = bytearray(data)
                changed[self.place] ^= self.mask
                data = bytes(changed)
        path.write_bytes(data)


WHOLE = ("empty", "garbage", "removed", "directory")


def damages(table: str, path: Path, home: Path, looks: Sequence[str], cuts: int, flips: int) -> Iterator[Damage]:
    """Return every damage to a file as a whole, and some cut or changed bytes, the same ones each time.

    Half of the flips hit the first or last 600 bytes, where formats store what locates the rest of the file."""
    file = str(path.relative_to(home))
    chance = random.Random(f"{table}/{path.parent.name}")
    size = path.stat().st_size
    for operator in WHOLE:
        yield Damage(table, file, operator, looks)
    lengths = [size - 1, size // 2, 1, size - 9, *(chance.randrange(size) for _ in range(cuts))]
    for length in dict.fromkeys(length for length in lengths[:cuts] if 0 < length < size):
        yield Damage(table, file, "cut", looks, length)
    for number in range(flips):
        end = min(size, 600)
        positions = [
            chance.randrange(size),
            size - 1 - chance.randrange(end),
            chance.randrange(size),
            chance.randrange(end),
        ]
        yield Damage(table, file, "flip", looks, positions[number % 4], chance.choice(MASKS))


# --- what is read, in the worker --------------------------------------------------------------------------------------


def _sorted(table: Any) -> Any:
    return sorted(map(repr, table.to_pylist()))


LOOKS: dict[str, Callable[[Any, str], Any]] = {
    "rows": lambda catalog, name: _sorted(catalog.get_table(name).to_arrow()),
    "stream": lambda catalog, name: _sorted(catalog.get_table(name).to_batches().read_all()),
    "where": lambda catalog, name: _sorted(catalog.get_table(name).to_arrow(["id", "d"], "v > 500 AND d < 90000")),
    "equal": lambda catalog, name: _sorted(catalog.get_table(name).to_arrow(["id", "v"], "v = 500")),
    "version": lambda catalog, name: _sorted(catalog.get_table(name).at(snapshot=7).to_arrow()),
    "tag": lambda catalog, name: _sorted(catalog.get_table(name).at(tag="v1").to_arrow()),
    "branch": lambda catalog, name: _sorted(catalog.get_table(f"{name}$branch_b1").to_arrow()),
    "consumers": lambda catalog, name: catalog.get_table(name).consumers(),
    "snapshots": lambda catalog, name: list(map(repr, catalog.get_table(name).snapshots())),
    "difference": lambda catalog, name: _sorted(catalog.get_table(name).changes(6, 8)),
    "changelog": lambda catalog, name: _sorted(catalog.get_table(name).changes(2, 8, mode="changelog")),
    **{
        f"${table}": lambda catalog, name, table=table: _sorted(catalog.open(f"{name}${table}").to_arrow())
        for table in ("files", "manifests", "schemas", "snapshots", "tags", "branches", "consumers", "statistics")
    },
}


def _outcome(warehouse: Path, damage: Damage, look: str, right: Any) -> tuple[str, str]:
    from workbench.base.errors import CorruptFile, Unsupported, WorkbenchError
    from workbench.catalog.connect import connect

    try:
        result = LOOKS[look](connect(warehouse), f"db.{damage.table}")
    except WorkbenchError as error:
        message = str(error)
        if "\n" in message or len(message) > 600:
            return "unreadable message", message[:600]
        if isinstance(error, CorruptFile):
            return (CORRUPT if str(warehouse) in message else "names no file"), message
        return (UNSUPPORTED if isinstance(error, Unsupported) else REFUSED), message
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        import traceback

        return f"bare {type(error).__name__}", f"{str(error)[:200]} {traceback.format_exc()[-500:]}"
    return (SAME, "") if result == right else (OTHER, str(result)[:200])


def work() -> None:
    """Read damages from the standard input, one per line, and print a line with the outcomes of each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    right: dict[tuple[str, str], Any] = {}
    with tempfile.TemporaryDirectory() as position:
        warehouse = unpack(Path(position))
        from workbench.catalog.connect import connect

        for line in sys.stdin:
            damage = Damage(**json.loads(line))
            for look in damage.looks:
                if (damage.table, look) not in right:
                    right[damage.table, look] = LOOKS[look](connect(warehouse), f"db.{damage.table}")
            path = warehouse / "db.db" / damage.table / damage.file
            data = path.read_bytes()
            damage.apply(path)
            try:
                outcomes = {look: _outcome(warehouse, damage, look, right[damage.table, look]) for look in damage.looks}
            finally:
                if path.is_dir():
                    shutil.rmtree(path)
                path.write_bytes(data)
            print(json.dumps(outcomes), flush=True)


# --- the other side ---------------------------------------------------------------------------------------------------


class Worker:
    """The process that reads damaged files; a new one is started if it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def outcomes(self, damage: Damage) -> dict[str, tuple[str, str]]:
        """Return the outcome and the message, by look."""
        process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asdict(damage)) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], SECONDS)
        line = process.stdout.readline() if ready else ""
        if line:
            return {look: (verdict, message) for look, (verdict, message) in json.loads(line).items()}
        state = f"died ({process.wait(SECONDS)})" if ready else "hung"
        self.close()
        return {"process": (state, "")}

    def _started(self) -> subprocess.Popen[str]:
        repository = Path(__file__).parents[2]
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(repository)},
        )
        return self._process

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def surprises(worker: Worker, cases: Iterable[tuple[Damage, frozenset[str]]]) -> list[str]:
    """Return every outcome that its damage does not allow."""
    return [
        f"{damage}: {look}: {verdict}: {message}"
        for damage, allowed in cases
        for look, (verdict, message) in worker.outcomes(damage).items()
        if verdict not in allowed
    ]


if __name__ == "__main__":
    work()
