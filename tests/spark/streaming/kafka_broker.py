"""A broker of Apache Kafka in one process, from Maven Central."""

from __future__ import annotations

import socket
import subprocess
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.interop.provision import CACHE, java, java_runtimes, lock, pyspark_jar, run, unavailable

_VERSION = "4.1.1"
_SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={logs}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""
_SECONDS = 60


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """Run a broker that keeps its data in a folder, and yield its address. Skips the test if it cannot be fetched."""
    port, controller = _free_port(), _free_port()
    settings = folder / "server.properties"
    settings.write_text(_SETTINGS.format(port=port, controller=controller, logs=folder / "logs"))
    command = [java(), "-Xmx512m", "-cp", f"{_jars()}/*"]
    cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    made = run([*command, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", settings])
    assert made.returncode == 0, made.stdout
    with (folder / "broker.log").open("wb") as log:
        process = subprocess.Popen([*command, "kafka.Kafka", str(settings)], stdout=log, stderr=log)
        try:
            _wait_for(port, process)
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def _jars() -> Path:
    """Return the folder of the broker and of what it needs, fetched by the Ivy that PySpark contains."""
    home = CACHE / "kafka" / _VERSION
    with lock("kafka"):
        if not (home / "done").exists():
            options = ["-warn", "-types", "jar", "bundle", "-cache", CACHE / "ivy", "-confs", "default"]
            wanted = ["-dependency", "org.apache.kafka", "kafka_2.13", _VERSION]
            target = ["-retrieve", home / "[artifact]-[revision].[ext]"]
            for runtime in java_runtimes():
                done = run([runtime, "-cp", pyspark_jar("ivy"), "org.apache.ivy.Main", *options, *wanted, *target])
                if done.returncode == 0:
                    break
            if done.returncode != 0:
                unavailable(f"cannot fetch Apache Kafka {_VERSION}: {done.stdout[-300:].strip()}")
            (home / "done").touch()
    return home


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(_SECONDS * 10):
        assert process.poll() is None, "The broker ended; its log is beside its data."
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"The broker did not open its port in {_SECONDS} seconds.")
