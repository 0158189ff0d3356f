"""Record the answers of Paimon's own connector: ``python -m tests.spark.official.record CONNECTOR.jar [page …]``.

It needs a PySpark that fits the connector, and nothing of this package. The answers of a page are written to
``answers/<page>.json``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.spark.official.corpus import HERE, cases
from tests.spark.official.running import run_case


def official_session(connector: str, warehouse: Path) -> Any:
    """Return a session whose catalog ``paimon`` is that of the connector."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.jars": connector,
        "spark.sql.extensions": "org.apache.paimon.spark.extensions.PaimonSparkSessionExtensions",
        "spark.sql.catalog.paimon": "org.apache.paimon.spark.SparkCatalog",
        "spark.sql.catalog.paimon.warehouse": warehouse.as_uri(),
        "spark.sql.catalog.paimon.cache-enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Duser.timezone=UTC",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def record(connector: str, pages: list[str]) -> None:
    """Run the statements of pages, or of all, and write their answers."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    home = Path(tempfile.mkdtemp(prefix="official-"))
    session = official_session(connector, home / "warehouse")
    for page in pages or sorted({case.page for case in cases()}):
        answers = {
            case.name: run_case(session, case, home / "files", (PySparkException, Py4JError)) for case in cases(page)
        }
        text = json.dumps(answers, indent=1, ensure_ascii=False)
        (HERE / "answers" / f"{page}.json").write_text(compact(text) + "\n", "utf-8")
        failed = sum("failure" in answer for each in answers.values() for answer in each)
        print(f"{page}: {len(answers)} cases, {sum(map(len, answers.values()))} statements, {failed} of them fail")
    session.stop()


def compact(text: str) -> str:
    """Return indented JSON with each answer on a line."""
    loaded = json.loads(text)
    lines = []
    for name, answers in loaded.items():
        inner = ",\n  ".join(json.dumps(answer, ensure_ascii=False) for answer in answers)
        lines.append(f" {json.dumps(name, ensure_ascii=False)}: [\n  {inner}\n ]")
    return "{\n" + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    record(sys.argv[1], sys.argv[2:])
