"""Spark SQL with the official connector of Paimon 0.9."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.interop.matrix import feature as f
from tests.interop.matrix.feature import Feature, Question, Step
from tests.interop.matrix.makers import java_options, table_of
from tests.interop.matrix.spelling import alteration, spark_table, spark_type
from tests.interop.matrix.sql import SqlMaker
from tests.interop.provision import PEER_SCRIPTS, jar, java, peer_python
from tests.interop.referees import Engine
from tests.interop.rows import Rows, from_arrow

CONNECTOR = "org.apache.paimon:paimon-spark-3.5:0.9.0"


class SparkSql(SqlMaker):
    """One Spark session over one warehouse for all its tables."""

    def __init__(self, warehouse: Path) -> None:
        super().__init__(warehouse)
        script = PEER_SCRIPTS / "spark_peer.py"
        command = [peer_python("spark-0.9"), "-u", script, jar(CONNECTOR), warehouse]
        home = str(Path(java()).resolve().parents[1])
        reported = {"TZ": "UTC", "PYTHONPATH": "", "PYTHONUTF8": "1", "JAVA_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1"}
        reported["PATH"] = f"{home}/bin{os.pathsep}{os.environ['PATH']}"
        self.engine = Engine("spark-0.9", command, reported)

    def execute(self, statement: str) -> None:
        self.engine.process.ask({"op": "sql", "sql": statement})

    def create(self, feature: Feature, table: str) -> None:
        self.execute(f"CREATE DATABASE IF NOT EXISTS {table.split('.')[0]}")
        self.execute(spark_table(feature, table))

    def insert(self, table: str, data: pa.Table, columns: dict[str, Any], overwrite: bool) -> None:
        path = self.engine.path("parquet")
        pq.write_table(data, path, coerce_timestamps="us", allow_truncated_timestamps=False)
        expressions = [f"CAST(`{name}` AS {spark_type(columns[name])})" for name in data.column_names]
        self.engine.process.ask(
            {"op": "insert", "rows": str(path), "table": table, "expressions": expressions, "overwrite": overwrite}
        )

    def procedure(self, step: Step, table: str) -> list[str]:
        match step:
            case f.Compact():
                return [f"CALL sys.compact(table => '{table}')"]
            case f.Alter(changes):
                return [alteration(change, table, spark=True) for change in changes]
            case f.Tag(name, snapshot):
                return [f"CALL sys.create_tag(table => '{table}', tag => '{name}', snapshot => {snapshot})"]
            case f.Branch(name, tag):
                source = f", tag => '{tag}'" if tag else ""
                return [f"CALL sys.create_branch(table => '{table}', branch => '{name}'{source})"]
            case f.FastForward(branch):
                return [f"CALL sys.fast_forward(table => '{table}', branch => '{branch}')"]
            case f.SortCompact(strategy, columns):
                order = f"order_strategy => '{strategy}', order_by => '{columns}'"
                return [f"CALL sys.compact(table => '{table}', {order})"]
            case f.Analyze():
                return [f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR ALL COLUMNS"]
            case f.Expire(retain):
                return [
                    f"CALL sys.expire_snapshots(table => '{table}', retain_max => {retain}, retain_min => {retain},"
                    f" older_than => TIMESTAMP_LTZ '2100-01-01 00:00:00')"
                ]
            case f.RollBack(snapshot):
                return [f"CALL sys.rollback(table => '{table}', version => '{snapshot}')"]
            case f.DropPartition(column, value):
                return [f"ALTER TABLE {table} DROP PARTITION ({column} = '{value}')"]
        raise AssertionError(step)

    def read(self, _warehouse: Path, table: str, question: Question) -> Rows:
        database, name = table_of(question, table).split(".", 1)
        path = self.engine.path("arrow")
        request = {"op": "read", "table": f"{database}.`{name}`", "options": java_options(question), "out": str(path)}
        self.engine.process.ask(request)
        with pa.OSFile(str(path)) as source:
            return from_arrow(pa.ipc.open_file(source).read_all())

    def close(self) -> None:
        self.engine.close()
