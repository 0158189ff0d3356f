"""Paimon's own REST server, started from its published test jar, and facts that Java's classes print."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.interop.provision import class_path, compiled, jar, java
from tests.interop.referees import JAVA_VERSIONS, JVM_FLAGS, JVM_OPENS
from tests.stores.proxy import Request

WAREHOUSE = "wh1"
TOKEN = "the-bearer-token-of-the-tests"
_TABLE = re.compile(r"/tables/[^/?]+$")
_SOURCES = [Path(__file__).parent / "java" / name for name in ("RestServer.java", "RestFacts.java")]
_JARS = (
    "org.apache.paimon:paimon-core:2.0.0:tests",
    "com.squareup.okhttp3:mockwebserver:4.12.0",
    "com.squareup.okhttp3:okhttp:4.12.0",
    "com.squareup.okio:okio-jvm:3.6.0",
    "org.jetbrains.kotlin:kotlin-stdlib:1.9.10",
    "junit:junit:4.13.2",
    # For branches.
    "commons-io:commons-io:2.11.0",
    # The newest that is published.
    "org.apache.paimon:paimon-s3:1.4.2",
)


@functools.cache
def _command() -> tuple[str, ...]:
    libraries = [*class_path(JAVA_VERSIONS["java-2.0.0"]), *map(jar, _JARS)]
    classes = compiled(_SOURCES, libraries)
    return (java(), *JVM_FLAGS, *JVM_OPENS, "-cp", os.pathsep.join(map(str, [classes, *libraries])))


@contextmanager
def rest_server(
    directory: Path, defaults: Mapping[str, str], url: str | None = None, storage: Mapping[str, str] | None = None
) -> Iterator[int]:
    """Run a server over a directory, or over one in a storage with some options, and provide its port."""
    log = directory.parent / "rest-server.log"
    settings = [f"{key}={value}" for key, value in defaults.items()]
    settings += [f"storage:{key}={value}" for key, value in (storage or {}).items()]
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*_command(), "RestServer", url or str(directory), WAREHOUSE, TOKEN, *settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://"), f"the REST server did not start:\n{log.read_text()[-2000:]}"
        yield int(address.rstrip("/").rpartition(":")[2])
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def moved_tables(port: int, place: Callable[[dict[str, Any]], str]) -> Callable[[Request], tuple[int, bytes] | None]:
    """Return the answers of a proxy that says that tables are elsewhere than where the server keeps them.

    Args:
        port: The port of the server.
        place: Returns the location of a table, which is given as the server describes it.
    """

    def answer(request: Request) -> tuple[int, bytes] | None:
        if request.method != "GET" or not _TABLE.search(request.target):
            return None
        headers = {"Authorization": request.headers["Authorization"]}
        sent = urllib.request.Request(f"http://127.0.0.1:{port}{request.target}", headers=headers)
        try:
            with urllib.request.urlopen(sent) as found:
                document = json.load(found)
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        document["path"] = place(document)
        return 200, json.dumps(document).encode()

    return answer


@functools.cache
def java_facts() -> dict[str, Any]:
    """What Java's own classes sign and write."""
    done = subprocess.run([*_command(), "RestFacts"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts
