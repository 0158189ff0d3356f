"""Helpers of the server's tests: parsed answers, tables that make readers wait, and tables of many files."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.stats import SimpleStats
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table

DATABASE = ("catalogs", "lake", "databases", "shop")
SHOP = (*DATABASE, "tables")
ORDERS = (*SHOP, "orders")


def value_of(response: Any, status: int = 200) -> Any:
    """The JSON of an answer, which must have the status."""
    assert response.code == status, (response.code, response.body)
    assert response.headers["Content-Type"] == "application/json"
    return json.loads(response.body)


def refused(response: Any, status: int, code: str) -> dict[str, Any]:
    """The error in an answer; all errors have one form."""
    error: dict[str, Any] = value_of(response, status)
    assert set(error) == {"code", "message", "hint", "file"}
    assert error["code"] == code, error
    assert error["message"]
    assert "Traceback" not in response.body.decode()
    return error


async def until(holds: Callable[[], Any], seconds: float = 20) -> Any:
    """Wait until a condition is true, while the server runs."""
    for _ in range(int(seconds / 0.02)):
        result = holds()
        if result:
            return result
        await asyncio.sleep(0.02)
    raise AssertionError(f"not within {seconds} seconds")


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        # A process that ends between the opening and the reading of the file has no state any more.
        return False


class Gate:
    """A file that keeps its readers waiting: a pipe that delivers nothing until it is released."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._content = path.read_bytes()
        self._descriptor: int | None = None
        path.unlink()
        os.mkfifo(path)

    def has_reader(self) -> bool:
        """Return whether a reader is waiting."""
        try:
            opened = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return False
        # Readers of a pipe without writers reach its end, so one writer always stays open.
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = opened
        return True

    def open(self) -> None:
        """Release the waiting readers and all later ones."""
        assert self.has_reader()
        assert self._descriptor is not None
        self.path.unlink()
        self.path.write_bytes(self._content)
        os.write(self._descriptor, self._content)
        os.close(self._descriptor)


def slow_table(catalog: FileSystemCatalog, name: str) -> Gate:
    """Block the readers of the schema of a table of ``shop``, which is created if it does not exist."""
    catalog.create_table(f"shop.{name}", {"id": "BIGINT"}, exist_ok=True)
    return Gate(Path(catalog.warehouse) / "shop.db" / name / "schema" / "schema-0")


def manifest_gate(catalog: FileSystemCatalog, name: str) -> Gate:
    """Block the readers of the newest version of a table at its base manifest list."""
    table = catalog.get_table(f"shop.{name}")
    return Gate(Path(table.store.path("manifest", table.snapshot().base_manifest_list)))


def many_files(catalog: FileSystemCatalog, name: str, files: int, buckets: int = 1) -> Table:
    """Create a table of ``shop`` whose manifests list this many files, one in ten on level 0. The files do not exist,
    but no picture reads them."""
    table = catalog.create_table(
        f"shop.{name}",
        {"id": "BIGINT NOT NULL", "item": "STRING"},
        primary_key=["id"],
        options={"bucket": str(buckets), "write-only": "true"},
    )
    table.write([{"id": number, "item": "x"} for number in range(100)])
    entry = ManifestFiles(table.store).live_files(table.snapshot())[0]
    types = [field.type for field in table.schema.key_fields]

    def key(number: int) -> bytes:
        return encode_row([number], types)

    def file(number: int) -> Any:
        low, high = key(number * 10), key(number * 10 + 9)
        return replace(
            entry.file,
            file_name=f"data-{number}.parquet",
            min_key=low,
            max_key=high,
            key_stats=SimpleStats(low, high, (0,)),
            level=0 if number % 10 == 0 else 5,
        )

    messages = [
        CommitMessage(entry.partition, bucket, buckets, tuple(map(file, range(bucket, files, buckets))))
        for bucket in range(buckets)
    ]
    table.commit(messages)
    return table


IMAGE = "<img src=x onerror=alert(1)>"
ROUTES = [
    ("environment",),
    ("catalogs",),
    ("catalogs", "lake", "databases"),
    SHOP,
    (*DATABASE, "search"),
    ORDERS,
    (*ORDERS, "schema"),
    (*ORDERS, "definition"),
    (*ORDERS, "timeline"),
    (*ORDERS, "history"),
    (*ORDERS, "levels"),
    (*ORDERS, "rows"),
    (*ORDERS, "columns"),
    (*ORDERS, "count"),
    (*ORDERS, "readable"),
]
OF_A_TABLE = ["", "schema", "definition", "timeline", "history", "levels", "rows", "columns", "count", "readable"]


def below(table: str, resource: str) -> tuple[str, ...]:
    return (*SHOP, table, *([resource] if resource else []))
