"""Whether Spark itself reaches the files of a table: by Hadoop's file system for their storage, with its options.

The options apply to a read alone, so that tables of one bucket may have different credentials, and no configuration
keeps a secret. But Hadoop opens each storage once for a whole JVM: the first read determines the options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.spark.progress import classic_context

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from workbench.metadata.store import TableStore

# For the first request, which finds out whether the file system works: an answer is expected soon.
_SOON = {
    "fs.s3a.attempts.maximum": "1",
    "fs.s3a.retry.limit": "1",
    "fs.s3a.connection.establish.timeout": "5s",
    "fs.s3a.connection.request.timeout": "5s",
    "ipc.client.connect.max.retries": "1",
    "ipc.client.connect.max.retries.on.timeouts": "1",
    "ipc.client.connect.timeout": "5000",
}
# Why not, by application, URL of the storage, and options; None if Spark reaches it.
_tried: dict[tuple[str, str, frozenset[tuple[str, str]]], str | None] = {}


@dataclass(frozen=True)
class Reach:
    """How Spark reaches the files of a table."""

    reason: str | None = None
    """Why it does not; None if it does."""

    scheme: str | None = None
    """The scheme of Hadoop's file system; None for local files."""

    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The options of Spark's readers and writers."""

    renames: bool = True
    """Whether the storage moves files without copying them."""

    def path(self, path: str) -> str:
        """Return a path in the form that Spark knows."""
        return path if self.scheme is None else f"{self.scheme}:{path.partition(':')[2]}"


def reach(session: SparkSession, store: TableStore) -> Reach:
    """Return how the file systems of Spark's JVM reach the files of a table."""
    if store.file_io.is_local:
        return Reach()
    context = classic_context(session)
    if context is None:
        return Reach("sessions of Spark Connect do not say which storages they reach")
    found = store.hadoop_file_system()
    if found is None:
        return Reach("Spark does not read this storage itself")
    if found.missing:
        return Reach(f"Hadoop has no option like {found.missing[0]}")
    reached = Reach(None, found.scheme, found.options, found.renames)
    location = reached.path(store.location)
    storage = "/".join(location.split("/")[:3])
    key = (str(context.applicationId), storage, frozenset(found.options.items()))
    if key not in _tried:
        _tried[key] = _why_not(context, location, found.scheme, found.options)
    reason = _tried[key]
    return reached if reason is None else Reach(reason)


def _why_not(context: SparkContext, location: str, scheme: str, options: Mapping[str, str]) -> str | None:
    """Try the file system of a URL; return why Spark cannot use it."""
    from py4j.protocol import Py4JJavaError

    jvm: Any = context._jvm
    systems = jvm.org.apache.hadoop.fs.FileSystem
    configuration = _configuration(context, options)
    try:
        systems.getFileSystemClass(scheme, configuration)
    except Py4JJavaError:
        return f"this Spark has no file system for '{scheme}:'"
    path = jvm.org.apache.hadoop.fs.Path(location)
    try:
        tried = systems.newInstance(path.toUri(), _configuration(context, {**options, **_SOON}))
        try:
            tried.getFileStatus(path)
        finally:
            tried.close()
        opened = systems.get(path.toUri(), configuration).getConf()
    except Py4JJavaError as error:
        return f"Spark's file system for '{scheme}:' fails: {_first_line(error)}"
    # Options that only another catalog has, such as its keys, must not be used either.
    names = {name for _, _, known in _tried for name, _ in known} | set(options)
    if any(opened.get(name) != configuration.get(name) for name in names):
        return "this Spark has opened the storage with other options before"
    return None


def _configuration(context: SparkContext, options: Mapping[str, str]) -> Any:
    jvm: Any = context._jvm
    java_context: Any = context._jsc
    configuration = jvm.org.apache.hadoop.conf.Configuration(java_context.hadoopConfiguration())
    for name, value in options.items():
        configuration.set(name, value)
    return configuration


def _first_line(error: Any) -> str:
    lines = str(error.java_exception.toString()).strip().splitlines()
    return lines[0][:200] if lines else "no reason given"
