"""Compiles the Java files of this folder in Spark's JVM, with the compiler that Spark uses for generated code."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.base.errors import Unsupported
from workbench.spark.shipping import shares_files

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

# Each file may use the classes of the files before it.
_SOURCES = (
    *("Bridge", "Describe", "Buckets", "Functions", "PartitionFilters", "PaimonScan", "PaimonStream", "PaimonWrite"),
    *("PaimonChange", "PaimonStrategy", "PaimonTable", "PaimonCatalog", "PaimonSource"),
)
CATALOG_CLASS, SOURCE_CLASS = "workbench.PaimonCatalog", "paimon.DefaultSource"
# The file in which Spark finds the format names of a data source, which readers and writers may use in any case.
_SERVICES = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"
# Compiled separately: few reads need it, and it depends on more internals that may change between Spark versions.
_MERGE_SOURCE, _MERGE_CLASS = "PaimonMerge", "workbench.PaimonMerge"
_BRIDGE_CLASS, _STRATEGY_CLASS = "workbench.Bridge", "workbench.PaimonStrategy"
# Pairs of an application and a folder of classes that its executors already have.
_SENT: set[tuple[str, str]] = set()
# The Java language level that Janino accepts.
_JAVA_VERSION = 11


def bridge_functions(context: SparkContext) -> Any:
    """Return the map from the names of catalogs to the Python functions that the classes in the JVM call.

    The classes are compiled on first use. If the class loader of Spark's driver accepts more classes, all threads find
    them; otherwise, only this thread and the threads that it starts find them. They are also sent to the executors of a
    cluster, because the functions of the catalog run there.

    Args:
        context: The context of the session.

    Raises:
        Unsupported: If this Spark has no Janino, or the text does not compile with it.
    """
    from py4j.protocol import Py4JError

    jvm: Any = context._jvm
    thread = jvm.java.lang.Thread.currentThread()
    loader = thread.getContextClassLoader()
    try:
        bridge = loader.loadClass(_BRIDGE_CLASS)
    except Py4JError:
        loader = _compiled(jvm, loader)
        thread.setContextClassLoader(loader)
        bridge = loader.loadClass(_BRIDGE_CLASS)
    _send(context, bridge)
    return bridge.getField("FUNCTIONS").get(None)


def plan_changes(jvm: Any, session: SparkSession) -> None:
    """Enable a session to plan UPDATE, DELETE and MERGE for the tables of its catalogs.

    Args:
        jvm: Py4J's view of the JVM, which has the classes.
        session: The session.
    """
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    loader.loadClass(_STRATEGY_CLASS).newInstance().install(session._jsparkSession)


def merge_class(context: SparkContext) -> Any | None:
    """Return the class that merges rows, compiled on first use and sent to the executors of a cluster; None if tasks
    would not find it.

    Args:
        context: The context of the session.

    Raises:
        Unsupported: If this Spark has no Janino, or the text does not compile with it.
    """
    from py4j.protocol import Py4JError

    jvm: Any = context._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if not _is_shared(loader):
        return None
    try:
        found = loader.loadClass(_MERGE_CLASS)
    except Py4JError:
        found = _compiled(jvm, loader, (_MERGE_SOURCE,)).loadClass(_MERGE_CLASS)
    _send(context, found)
    return found


def _compiled(jvm: Any, loader: Any, sources: Sequence[str] = _SOURCES) -> Any:
    """Compile Java files, and return a class loader that has their classes."""
    from py4j.protocol import Py4JError

    folder = tempfile.mkdtemp(prefix="workbench-classes-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shared = _shared(jvm, loader, folder)
    for name in sources:
        try:
            compiler = jvm.org.codehaus.janino.SimpleCompiler()
            compiler.setParentClassLoader(loader)
            compiler.setSourceVersion(_JAVA_VERSION)
            compiler.setTargetVersion(_JAVA_VERSION)
            compiler.cook(Path(__file__).with_name(f"{name}.java").read_text(encoding="utf-8"))
        except (Py4JError, TypeError) as error:
            raise Unsupported(
                f"{name}.java cannot be compiled in this Spark: {error}",
                "Use wb.spark.sql with catalog=…, or wb.spark.read.",
            ) from error
        if shared:
            _store(compiler.getBytecodes(), Path(folder))
        else:
            loader = compiler.getClassLoader()
    if shared and sources is _SOURCES:
        _write(Path(folder, _SERVICES), SOURCE_CLASS.encode())
    return loader


def _shared(jvm: Any, loader: Any, folder: str) -> bool:
    """Make the class loader search a folder for classes, and return whether this is possible."""
    if not _is_shared(loader):
        return False
    loader.addURL(jvm.java.io.File(folder).toURI().toURL())
    return True


def _send(context: SparkContext, compiled: Any) -> None:
    """Make all classes in the folder of a compiled class available to the executors of a cluster."""
    source = compiled.getProtectionDomain().getCodeSource()
    if source is None or shares_files(str(context.master)):
        return
    folder = str(source.getLocation().getPath()).rstrip("/")
    sent = str(context.applicationId), folder
    if sent in _SENT:
        return
    if not Path(f"{folder}.jar").exists():
        Path(shutil.make_archive(folder, "zip", folder)).rename(f"{folder}.jar")
        atexit.register(Path(f"{folder}.jar").unlink, missing_ok=True)
    jsc: Any = context._jsc
    jsc.addJar(f"{folder}.jar")
    _SENT.add(sent)


def _is_shared(loader: Any) -> bool:
    """Return whether all threads of the JVM, and so the tasks of a local master, find the classes of a class loader."""
    return bool(loader.getClass().getName().endswith(".MutableURLClassLoader"))


def _store(classes: Any, folder: Path) -> None:
    for name in classes:
        _write(folder.joinpath(*str(name).split(".")).with_suffix(".class"), bytes(classes[name]))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
