"""Failures in the log of a JupyterLab server."""

from __future__ import annotations

import re

MARKS = ("[E ", "Traceback", "never retrieved", "never awaited")
RECORD = re.compile(r"(?m)^(?=\[[DIWEC] |\[\w+App\]|Exception ignored in|.*RuntimeWarning: )")
# A kernel that ends while a message reaches it loses its own coroutine, and complains as its interpreter is torn down.
ENDING_KERNEL = ("Exception ignored in: <coroutine object Kernel.", "coroutine 'Kernel.")


def failures(log: str, code: str) -> list[str]:
    """Return the records of failures in ``log``, except those of a stopping ipykernel that never ran below ``code``."""
    return [
        record.rstrip() for record in RECORD.split(log) if _fails(record) and not _is_of_ending_kernel(record, code)
    ]


def _fails(record: str) -> bool:
    return any(mark in record for mark in MARKS)


def _is_of_ending_kernel(record: str, code: str) -> bool:
    return any(mark in record for mark in ENDING_KERNEL) and code not in record
