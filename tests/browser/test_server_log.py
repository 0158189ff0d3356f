"""Failures in a server's log are reported, and the output of a stopping kernel is ignored."""

from __future__ import annotations

from tests.browser.server_log import failures

CODE = "/home/ada/project/workbench"
QUIET = "[I 2026-11-22 09:46:41.313 ServerApp] Kernel shutdown: 1d49dfb5\n"
ENDING = (
    "Exception ignored in: <coroutine object Kernel.dispatch_control at 0x7f>\n"
    "Traceback (most recent call last):\n"
    '  File "/home/ada/project/.venv/lib/ipykernel/iostream.py", line 784, in write\n'
    "zmq.error.ZMQError: Socket operation on non-socket\n"
)
WITHOUT_SOCKETS = (
    "ERROR:tornado.general:Uncaught exception in ZMQStream callback\n"
    "Traceback (most recent call last):\n"
    '  File "/home/ada/project/.venv/lib/ipykernel/kernelbase.py", line 372, in dispatch_control\n'
    "zmq.error.ZMQError: Socket operation on non-socket\n"
)
REPLYING = (
    "[IPKernelApp] ERROR | Exception in message handler:\n"
    "Traceback (most recent call last):\n"
    '  File "/home/ada/project/.venv/lib/ipykernel/kernelbase.py", line 914, in execute_request\n'
    "zmq.error.ZMQError: Socket operation on non-socket\n"
)
WITHOUT_LOG = (
    "[I 2026-11-22 09:46:41.313 ServerApp] Kernel shutdown: 1d49dfb5\n"
    "--- Logging error ---\n"
    "Traceback (most recent call last):\n"
    "zmq.error.ZMQError: Socket operation on non-socket\n"
    "Message: <Task finished coro=<_log_error() at /home/ada/project/.venv/lib/zmq/eventloop/zmqstream.py:563>>\n"
    "Arguments: ()\n"
)
CLOSED = (
    "[I 2026-11-26 03:27:01.587 ServerApp] Starting buffering for 03f35c2a:22eb5664\n"
    "Traceback (most recent call last):\n"
    '  File "/home/ada/project/.venv/lib/tornado/websocket.py", line 1142, in wrapper\n'
    "tornado.websocket.WebSocketClosedError\n"
)
NEVER_RUN = "/usr/lib/asyncio.py:84: RuntimeWarning: coroutine 'Kernel.dispatch_control' was never awaited\n"
OURS = "[E 2026-11-22 09:46:42.000 ServerApp] Paimon workbench: no table\n    Traceback (most recent call last):\n"


def test_output_of_a_stopping_kernel_is_not_a_failure() -> None:
    assert (
        failures(QUIET + ENDING + QUIET + WITHOUT_SOCKETS + REPLYING + WITHOUT_LOG + CLOSED + NEVER_RUN + QUIET, CODE)
        == []
    )


def test_a_failure_is_reported_with_its_lines() -> None:
    assert failures(QUIET + ENDING + OURS + QUIET, CODE) == [OURS.rstrip()]


def test_a_bare_traceback_is_a_failure() -> None:
    bare = "Traceback (most recent call last):\nValueError: wrong\n"
    assert failures(bare, CODE) == [bare.rstrip()]


def test_an_ending_kernel_in_our_code_is_a_failure() -> None:
    through_ours = ENDING.replace("/home/ada/project/.venv/lib/ipykernel", CODE)
    assert failures(QUIET + through_ours, CODE) == [through_ours.rstrip()]


def test_a_coroutine_of_ours_never_awaited_is_a_failure() -> None:
    ours = "/usr/lib/asyncio.py:84: RuntimeWarning: coroutine 'Worker.call' was never awaited\n"
    assert failures(QUIET + ours, CODE) == [ours.rstrip()]
