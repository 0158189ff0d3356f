"""Compiles the Java text of this folder in Spark's JVM, with the compiler that Spark uses for generated code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.base.errors import Unsupported

CATALOG_CLASS = "workbench.PaimonCatalog"
_SOURCE = Path(__file__).with_name("PaimonCatalog.java")
# The level of the language that Janino reads.
_JAVA_VERSION = 11


def catalog_class(jvm: Any) -> Any:
    """Return the class of the catalog, compiled on first use, and let this thread and those that it starts find it.

    Args:
        jvm: Py4J's view of the JVM.

    Raises:
        Unsupported: If this Spark has no Janino, or the text does not compile with it.
    """
    from py4j.protocol import Py4JError

    thread = jvm.java.lang.Thread.currentThread()
    loader = thread.getContextClassLoader()
    try:
        return loader.loadClass(CATALOG_CLASS)
    except Py4JError:
        pass  # Not compiled yet.
    try:
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(loader)
        compiler.setSourceVersion(_JAVA_VERSION)
        compiler.setTargetVersion(_JAVA_VERSION)
        compiler.cook(_SOURCE.read_text(encoding="utf-8"))
    except (Py4JError, TypeError) as error:
        raise Unsupported(
            f"The catalog cannot be compiled in this Spark: {error}",
            "Use wb.spark.sql with catalog=…, or wb.spark.read.",
        ) from error
    compiled = compiler.getClassLoader()
    thread.setContextClassLoader(compiled)
    return compiled.loadClass(CATALOG_CLASS)
