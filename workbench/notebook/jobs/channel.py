"""The way from the button of a card back to its work: a comm of the kernel, which exists while the work runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CHANNEL_TARGET = "paimon-workbench.job"


class Channel:
    """Lets front ends cancel work, and find out whether it still runs after they loaded their page again.

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
        """Close the comm, from which front ends see that the work has ended."""
        self._comm.close()

    def _on_message(self, message: Any) -> None:
        if message["content"]["data"] == {"action": "cancel"}:
            self._cancel()
