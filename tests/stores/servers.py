"""Servers of storages on free ports of this machine, shared by the processes of a test run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interop.provision import (
    CACHE,
    PEER_SCRIPTS,
    PEERS,
    compiled,
    jar,
    java,
    lock,
    peer_python,
    pyspark_jar,
    run,
    unavailable,
)

# gcsfs would look for Google's own servers to find out what kind of bucket this is.
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"
BUCKET = "lake"
_AZURITE = "azurite@3.35.0"
_START_SECONDS = 90.0
_HADOOP = (
    *(f"org.apache.hadoop:hadoop-client-{part}:3.4.2" for part in ("minicluster", "api", "runtime")),
    "commons-logging:commons-logging:1.2",
)
# The account that every Azurite has; its key is in Microsoft's documentation.
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@dataclass(frozen=True)
class StoreServer:
    """A server that speaks the protocol of a storage."""

    name: str
    """The storage, in messages and tables."""

    program: str
    """The program that plays it, with its version."""

    package: str
    """The module by which the library talks to it."""

    scheme: str
    """The scheme of its URLs."""

    command: Callable[[int], Sequence[str | Path]]
    """Returns the command that serves on a port."""

    options: Callable[[int], Mapping[str, str]]
    """Returns the options of a catalog."""

    create_bucket: Callable[[int], None]
    """Creates `BUCKET`."""


def _s3_command(port: int) -> Sequence[str | Path]:
    return [peer_python("stores"), PEER_SCRIPTS / "atomic_moto.py", str(port)]


def _s3_options(port: int) -> Mapping[str, str]:
    return {
        "s3.endpoint": f"http://127.0.0.1:{port}",
        "s3.access-key": "test",
        "s3.secret-key": "test",
        "s3.path.style.access": "true",
        "s3.endpoint.region": "us-east-1",
    }


def _s3_bucket(port: int) -> None:
    _send("PUT", f"http://127.0.0.1:{port}/{BUCKET}")


def _azure_command(port: int) -> Sequence[str | Path]:
    node, npm = _program("node"), _program("npm")
    home = PEERS / "azurite"
    main = home / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    with lock("azurite"):
        if not main.is_file():
            home.mkdir(parents=True, exist_ok=True)
            installed = run([npm, "install", "--no-audit", "--no-fund", "--prefix", home, _AZURITE])
            if installed.returncode:
                unavailable(f"cannot install {_AZURITE}: {installed.stdout[-300:].strip()}")
    flags = ("--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry", "--silent")
    return [node, main, "--blobPort", str(port), *flags]


def _program(name: str) -> str:
    """Return a program of this Python environment, or of the machine."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if found is None:
        unavailable(f"Azurite needs {name}")
        raise AssertionError("unreachable")
    return found


def _azure_options(port: int) -> Mapping[str, str]:
    return {"fsspec.connection_string": _connection_string(port)}


def _connection_string(port: int) -> str:
    endpoint = f"http://127.0.0.1:{port}/{_ACCOUNT}"
    return f"DefaultEndpointsProtocol=http;AccountName={_ACCOUNT};AccountKey={_KEY};BlobEndpoint={endpoint};"


def _azure_bucket(port: int) -> None:
    from azure.core.exceptions import ResourceExistsError
    from azure.storage.blob import BlobServiceClient

    with BlobServiceClient.from_connection_string(_connection_string(port)) as client, suppress(ResourceExistsError):
        client.create_container(BUCKET)


def _gcs_command(port: int) -> Sequence[str | Path]:
    home = peer_python("stores").parents[1]
    (program,) = home.glob("lib/python*/site-packages/**/fake-gcs-server-linux-amd64")
    program.chmod(0o755)
    where = ("-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-public-host", f"127.0.0.1:{port}")
    return [program, *where, "-backend", "memory"]


def _gcs_options(port: int) -> Mapping[str, str]:
    return {"fsspec.token": "anon", "fsspec.endpoint_url": f"http://127.0.0.1:{port}", "fs.gs.project.id": "test"}


def _gcs_bucket(port: int) -> None:
    _send("POST", f"http://127.0.0.1:{port}/storage/v1/b?project=test", json.dumps({"name": BUCKET}).encode())


def _oss_command(port: int) -> Sequence[str | Path]:
    return [sys.executable, PEER_SCRIPTS / "oss_fake.py", str(port)]


def _oss_options(port: int) -> Mapping[str, str]:
    return {
        "fs.oss.endpoint": f"http://127.0.0.1:{port}",
        "fs.oss.region": "cn-hangzhou",
        "fs.oss.accessKeyId": "test",
        "fs.oss.accessKeySecret": "test",
        "fs.oss.path.style.access": "true",
    }


def _hdfs_command(port: int) -> Sequence[str | Path]:
    libraries = [*map(jar, _HADOOP), pyspark_jar("slf4j-api")]
    classes = compiled(["HdfsServer.java"], libraries)
    home = Path(tempfile.mkdtemp(prefix="hdfs"))
    opened = ("java.base/java.lang", "java.base/java.util")
    flags = [f"--add-opens={each}=ALL-UNNAMED" for each in opened]
    class_path = os.pathsep.join(map(str, [classes, *libraries]))
    return [java(), "-Xmx400m", *flags, "-cp", class_path, "HdfsServer", home, str(port)]


def _hdfs_directory(port: int) -> None:
    import fsspec

    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            files = fsspec.filesystem("hdfs", host="127.0.0.1", port=port)
            files.makedirs(f"/{BUCKET}", exist_ok=True)
            with files.open("/ready", "wb") as file:
                file.write(b"ready")
        except Exception:
            # The name node accepts connections before it knows a data node.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
        else:
            return


def _no_options(_: int) -> Mapping[str, str]:
    return {}


SERVERS = (
    StoreServer("S3", "moto 5.2.5", "s3fs", "s3", _s3_command, _s3_options, _s3_bucket),
    StoreServer("Azure", "Azurite 3.35.0", "adlfs", "abfs", _azure_command, _azure_options, _azure_bucket),
    StoreServer("GCS", "fake-gcs-server 0.1.1", "gcsfs", "gs", _gcs_command, _gcs_options, _gcs_bucket),
    StoreServer("OSS", "a fake", "alibabacloud_oss_v2", "oss", _oss_command, _oss_options, _s3_bucket),
)
HDFS = StoreServer("HDFS", "Hadoop 3.4.2", "hdfs_native", "hdfs", _hdfs_command, _no_options, _hdfs_directory)


@dataclass(frozen=True)
class RunningStore:
    """A storage with an empty bucket."""

    server: StoreServer
    port: int

    @property
    def url(self) -> str:
        """The bucket, or the directory in its place."""
        host = f"127.0.0.1:{self.port}/" if self.server is HDFS else ""
        return f"{self.server.scheme}://{host}{BUCKET}"

    @property
    def options(self) -> dict[str, str]:
        """The options of a catalog."""
        return dict(self.server.options(self.port))

    def options_behind(self, port: int) -> dict[str, str]:
        """Return the options of a catalog that reaches the server through a proxy on another port."""
        return dict(self.server.options(port))


@contextmanager
def running(server: StoreServer) -> Iterator[RunningStore]:
    """Use a server: the first process of a test run that needs it starts it, and the last one stops it."""
    state = CACHE / f"store-{server.scheme}.json"
    with lock(f"store-{server.scheme}"):
        known = _read(state)
        if known is None or not _is_alive(known["process"]):
            port = _free_port()
            known = {"port": port, "process": _start(server.command(port), port), "users": []}
            server.create_bucket(port)
        known["users"] = [each for each in known["users"] if _is_alive(each)] + [os.getpid()]
        state.write_text(json.dumps(known))
    try:
        yield RunningStore(server, known["port"])
    finally:
        with lock(f"store-{server.scheme}"):
            known = _read(state)
            if known is not None:
                known["users"].remove(os.getpid())
                state.write_text(json.dumps(known))
                if not any(map(_is_alive, known["users"])):
                    _stop(known["process"])
                    state.unlink()


def _start(command: Sequence[str | Path], port: int) -> int:
    process = subprocess.Popen(
        [str(each) for each in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return process.pid
        if process.poll() is not None:
            break
        time.sleep(0.1)
    process.kill()
    unavailable(f"{command[0]} did not start")
    raise AssertionError("unreachable")


def _stop(process: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGTERM)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _read(state: Path) -> dict[str, Any] | None:
    return json.loads(state.read_text()) if state.is_file() else None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _send(method: str, url: str, data: bytes | None = None) -> None:
    headers = {"Content-Type": "application/json"} if data else {}
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            urllib.request.urlopen(request, timeout=10).close()
        except urllib.error.HTTPError:
            # Some servers accept connections before they can answer.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return
