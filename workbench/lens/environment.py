"""The Python environment of this process; kernel and server may run in different ones."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass

from workbench.base.version import VERSION


@dataclass(frozen=True)
class EnvironmentValue:
    """A Python environment with this library. ``python`` is the executable, ``prefix`` the environment's directory."""

    version: str
    python: str
    prefix: str
    host: str


def collect_environment() -> EnvironmentValue:
    """Return the environment of this process."""
    return EnvironmentValue(VERSION, sys.executable, sys.prefix, socket.gethostname())
