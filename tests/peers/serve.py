"""The common part of the peers: the request loop, row files and filter literals. Runs inside a peer's own environment.

One JSON request per line on the standard input, one JSON answer per line on the standard output; rows travel in Arrow
IPC files, filter literals as pickled Python values.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Operation = Callable[[dict[str, Any]], dict[str, Any]]


def serve(operations: Mapping[str, Operation]) -> None:
    """Answer requests until the standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # nothing that the peer prints, even from native code, must mix with the answers
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = operations[request["op"]](request)
        except BaseException as failure:  # noqa: BLE001 - native panics too become answers
            traceback.print_exc()
            answer = {"error": f"{type(failure).__name__}: {failure}"}
        answers.write(json.dumps(answer) + "\n")


def filters(request: dict[str, Any]) -> list[tuple[str, str, list[Any]]]:
    """The filters of a request as (column, operation, literals)."""
    return pickle.loads(base64.b64decode(request["filters"])) if request.get("filters") else []


def read_rows(path: str) -> pa.Table:
    with pa.memory_map(path) as source:
        return pa.ipc.open_file(source).read_all()


def write_rows(table: pa.Table, path: str) -> None:
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def sums(table: pa.Table) -> dict[str, Any]:
    """Row count and the sum of every column."""
    values = {name: pc.sum(table[name]).as_py() for name in table.column_names}
    return {
        "rows": table.num_rows,
        "sums": {name: None if value is None else str(value) for name, value in values.items()},
    }
