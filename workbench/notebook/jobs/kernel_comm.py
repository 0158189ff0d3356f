"""A comm whose messages the kernel handles in the shell to which the front end sends them: a subshell, even while a
cell runs."""

from __future__ import annotations

from typing import Any

from comm.base_comm import BaseComm
from ipykernel.kernelbase import Kernel


class KernelComm(BaseComm):
    """A comm of the running IPython kernel.

    The kernel's own comms handle all messages in the shell that opened them, and so only after the cell that is running
    there.
    """

    def publish_msg(
        self,
        msg_type: str,
        data: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        buffers: list[bytes] | None = None,
        **keys: Any,
    ) -> None:
        """Send a message to the front ends."""
        kernel: Any = Kernel.instance()
        content = {"comm_id": self.comm_id, "data": data or {}, **keys}
        kernel.session.send(
            kernel.iopub_socket,
            msg_type,
            content,
            metadata=metadata or {},
            parent=kernel.get_parent(),
            ident=self.topic,
            buffers=buffers,
        )
