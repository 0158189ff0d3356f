"""Create the golden tables again, with Java: `python -m tests.golden.make [maker …]`. Each is read when it is
created."""

from __future__ import annotations

import json
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest

from tests.golden.stored import ANSWERS, CELLS, MAKERS, Keeping, archive, folder_of
from tests.interop.matrix.judging import judge
from tests.interop.matrix.starting import started
from tests.interop.matrix.table import cells, core
from tests.interop.referees import RefereeError, start


def make(name: str, scratch: Path) -> None:
    """Create all tables of one maker, and pack them into its archive."""
    home, kept = scratch / "home", scratch / "kept"
    kept.mkdir()
    maker = started(name, start, home)
    reported: list[str] = []
    for cell in core(name, list(cells())):
        folder = folder_of(cell)
        warehouse, table = maker.home(scratch / folder)
        keeping = Keeping(maker)
        try:
            maker.make(cell.made, warehouse, table)
            with pytest.MonkeyPatch.context() as patch:
                judge(cell.made, keeping, warehouse, table, patch)
        except (AssertionError, RefereeError) as failure:
            print(f"{cell} is left out: {failure}", flush=True)
            continue
        database, _ = table.split(".")
        shutil.copytree(warehouse / f"{database}.db", kept / folder / "db.db")
        keeping.store(kept / folder / ANSWERS, warehouse)
        reported.append(str(cell))
        print(cell, flush=True)
    (kept / CELLS).write_text(json.dumps(reported, ensure_ascii=False), encoding="utf-8")
    with tarfile.open(archive(name), "w:xz") as packed:
        packed.add(kept, arcname=".", filter=anonymous)


def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """An archive member without its owner; None for the checksum files of Hadoop, which are left out."""
    if member.name.endswith(".crc"):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    for each in sys.argv[1:] or MAKERS:
        with tempfile.TemporaryDirectory() as directory:
            make(each, Path(directory))
