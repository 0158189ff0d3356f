"""Golden tables: for each a folder with the table and the rows that its maker read from it, in one archive for each
maker."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

from tests.interop.matrix.feature import Cell, Question
from tests.interop.matrix.makers import Maker
from tests.interop.rows import Rows

HERE = Path(__file__).resolve().parent
MAKERS = ("java-2.0.0", "spark-0.9")
ANSWERS, CELLS = "answers.json", "cells.json"
PLACE = "{warehouse}"  # replaces the path of the warehouse in answers


def archive(maker: str) -> Path:
    """The archive of a maker."""
    return HERE / f"{maker}.tar.xz"


def folder_of(cell: Cell) -> str:
    """The folder of a cell's table."""
    return re.sub(r"\W+", "-", str(cell).replace("$", "system ")).strip("-").lower()


def kept_cells(maker: str, all_cells: list[Cell]) -> list[Cell]:
    """The cells whose tables are in the archive of a maker."""
    with tarfile.open(archive(maker)) as packed:
        result = packed.extractfile(f"./{CELLS}")
        assert result is not None
        names = json.load(result)
    by_name = {str(cell): cell for cell in all_cells}
    return [by_name[name] for name in names]


def frozen(value: Any) -> Any:
    """Lists from JSON as tuples, as in `Rows`."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value


class Keeping:
    """A maker whose answers are recorded."""

    quick = False

    def __init__(self, maker: Maker) -> None:
        self.maker = maker
        self.exact_columns = maker.exact_columns
        self.answers: dict[str, Any] = {}

    def read(self, warehouse: Path, table: str, question: Question) -> Rows:
        """Return the rows that the maker reads."""
        result = self.maker.read(warehouse, table, question)
        self.answers[str(question)] = [result.columns, result.rows]
        return result

    def store(self, path: Path, warehouse: Path) -> None:
        """Write the answers to a file."""
        text = json.dumps(self.answers, ensure_ascii=False, separators=(",", ":"))
        path.write_text(text.replace(str(warehouse), PLACE), encoding="utf-8")


class Stored:
    """A recorded maker: its answers are read from the archive."""

    quick = False

    def __init__(self, name: str, warehouse: Path) -> None:
        text = (warehouse / ANSWERS).read_text(encoding="utf-8")
        self.answers = json.loads(text.replace(PLACE, str(warehouse)))
        self.exact_columns = name == "java-2.0.0"

    def read(self, _warehouse: Path, _table: str, question: Question) -> Rows:
        """The recorded answer."""
        columns, rows = self.answers[str(question)]
        return Rows(tuple(columns), frozen(rows))
