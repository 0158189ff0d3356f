"""Failures in the log of a JupyterLab server."""

from __future__ import annotations

import re

MARKS = ("[E ", "Traceback", "never retrieved", "never awaited")
RECORD = re.compile(r"(?m)^(?=\[[DIWEC] |\[\w+App\]|ERROR:|Exception ignored in|.*RuntimeWarning: )")
# A kernel that ends while a message reaches it loses its own coroutine or sockets, and complains as it is torn down;
# its server still writes to the page that has closed the connection.
ENDING_KERNEL = re.compile(
    r"Exception ignored in: <coroutine object Kernel\.|coroutine 'Kernel\."
    r"|(?s:Uncaught exception in ZMQStream callback.*ipykernel.*Socket operation on non-socket)"
    r"|(?s:Exception in message handler.*ipykernel.*Socket operation on non-socket)"
    r"|(?s:--- Logging error ---.*zmq/eventloop/zmqstream)"
    r"|(?s:Starting buffering for .*WebSocketClosedError)"
)


def failures(log: str, code: str) -> list[str]:
    """Return the records of failures in ``log``, except those of a stopping ipykernel that never ran below ``code``."""
    return [
        record.rstrip() for record in RECORD.split(log) if _fails(record) and not _is_of_ending_kernel(record, code)
    ]


def _fails(record: str) -> bool:
    return any(mark in record for mark in MARKS)


def _is_of_ending_kernel(record: str, code: str) -> bool:
    return ENDING_KERNEL.search(record) is not None and code not in record
