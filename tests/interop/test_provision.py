"""The requirements of the referees: a Java runtime, no compiler and no build tool."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.interop import provision
from tests.interop.referees import JAVA_VERSIONS

pytestmark = [pytest.mark.long, pytest.mark.java]


def test_a_runtime_compiles_the_helpers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing on the path, the wheel's runtime runs a compiler that is a jar."""
    jars = provision.class_path(JAVA_VERSIONS["java-2.0.0"])
    compiler = provision.jar(provision.COMPILER)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(provision, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(provision, "jar", {provision.COMPILER: compiler}.__getitem__)
    provision.java_runtimes.cache_clear()
    try:
        assert shutil.which("javac") is None
        assert not Path(provision.java()).with_name("javac").exists()
        classes = provision.compiled(["Referee.java", *others(provision.JAVA_SOURCES)], jars)
    finally:
        provision.java_runtimes.cache_clear()
    assert (classes / "Referee.class").is_file()


def others(sources: Path) -> list[str]:
    """The dependencies of the helper's main class."""
    apart = ("Referee", "Flink", "HdfsServer", "RecordCompactionPicks")
    return [path.name for path in sorted(sources.glob("*.java")) if not path.stem.startswith(apart)]
