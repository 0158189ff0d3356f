"""The connection from the button of a card to its work: a comm of the kernel, which exists while the work runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CHANNEL_TARGET = "paimon-workbench.job"


class Channel:
    """Allows front ends to cancel work and, after the page was reloaded, to find out whether the work still runs.

    Args:
        name: The id of the work, and of the comm.
        cancel: Cancels the work; called on a thread of the kernel.
    """

    def __init__(self, name: str, cancel: Callable[[], None]) -> None:
        from workbench.notebook.jobs.kernel_comm import KernelComm

        self._cancel = cancel
        self._comm = KernelComm(target_name=CHANNEL_TARGET, comm_id=name)
        self._comm.on_msg(self._on_message)

    def close(self) -> None:
        """Close the comm, which indicates to front ends that the work has ended."""
        self._comm.close()

    def _on_message(self, message: Any) -> None:
        if message["content"]["data"] == {"action": "cancel"}:
            self._cancel()
