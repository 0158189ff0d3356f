"""Java's own catalogs, which open what we made and make what we open: one Java process for each set of jars."""

from __future__ import annotations

import atexit
import functools
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.interop.provision import class_path, compiled, java
from tests.interop.referees import JAVA_VERSIONS, JVM_FLAGS, JVM_OPENS, LineProcess

_SOURCE = Path(__file__).parent / "java" / "CatalogReferee.java"


@functools.cache
def _process(jars: tuple[Path, ...], properties: tuple[str, ...]) -> LineProcess:
    libraries = class_path(JAVA_VERSIONS["java-2.0.0"])
    classes = compiled([_SOURCE], libraries)
    separated = os.pathsep.join(map(str, [classes, *libraries, *jars]))
    spill = tempfile.mkdtemp(prefix="catalog-referee-")
    process = LineProcess([java(), *JVM_FLAGS, *JVM_OPENS, *properties, "-cp", separated, "CatalogReferee", spill])
    atexit.register(process.close)
    return process


class JavaCatalog:
    """A catalog of Java Paimon 2.0.

    Args:
        options: Paimon's catalog options.
        jars: Jars that this kind of catalog needs in addition, such as the driver of a database.
        properties: Options of the Java process.
    """

    def __init__(self, options: Mapping[str, str], jars: Sequence[Path] = (), properties: Sequence[str] = ()) -> None:
        self._options = dict(options)
        self._process = _process(tuple(jars), tuple(properties))

    def run(self, step: str, **arguments: Any) -> Any:
        """Run a step and return its result; raise RefereeError with Java's message if it fails.

        Tables are named by ``table="db.t"`` (and ``branch``), databases by ``database``. Columns are
        ``[name, type, comment]`` with Paimon's JSON types, rows are lists of values.
        """
        return self._process.ask({"catalog": self._options, "step": step, **arguments})["result"]
