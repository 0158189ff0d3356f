"""The error output of the JVM of a session started here: held back while Spark starts, shown afterwards."""

from __future__ import annotations

import os
import sys
import threading
import uuid
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway
    from pyspark import SparkConf

_LAST_WORDS_SECONDS = 2.0


class StartMessages:
    """A context in which a JVM starts. Its messages are dropped on success and shown if the body raises.

    Before its logging settings take effect, Spark reports defaults, host names and missing native libraries, which
    users cannot act on. Later output, errors above all, is passed to ``sys.stderr`` immediately.
    """

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        self._end_of_start = f"workbench-{uuid.uuid4()}"
        self._kept: list[str] | None = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._pass_on, name="workbench-jvm-messages", daemon=True)
        self._gateway: JavaGateway | None = None

    def launch(self, conf: SparkConf) -> JavaGateway:
        """Return the gateway to a new JVM."""
        from pyspark.java_gateway import launch_gateway

        self._gateway = launch_gateway(conf, {"stderr": self._writing})  # type: ignore[no-untyped-call]
        return self._gateway

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._writing)
        if kind is None and self._gateway is not None:
            # Messages may still be in transit; this marker follows the last of them.
            self._gateway.jvm.System.err.println(self._end_of_start)
        else:
            self._thread.join(_LAST_WORDS_SECONDS)
            self._show_kept()

    def _pass_on(self) -> None:
        with open(self._reading, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self._take(line)

    def _take(self, line: str) -> None:
        with self._lock:
            if self._kept is None:
                sys.stderr.write(line)
            elif line.rstrip() == self._end_of_start:
                self._kept = None
            else:
                self._kept.append(line)

    def _show_kept(self) -> None:
        with self._lock:
            sys.stderr.write("".join(self._kept or ()))
            self._kept = None
