"""Flink SQL with the connector of Paimon 2.0.0: one session for all its tables. Rows are written by Java's core."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.interop.flink import FlinkSql
from tests.interop.matrix import feature as f
from tests.interop.matrix.feature import Feature, Question, Step
from tests.interop.matrix.makers import java_options, table_of
from tests.interop.matrix.spelling import alteration, flink_table
from tests.interop.matrix.sql import SqlMaker
from tests.interop.referees import JavaPaimon
from tests.interop.rows import Rows


class FlinkMaker(SqlMaker):
    """Batch statements in one process."""

    def __init__(self, warehouse: Path, java: JavaPaimon) -> None:
        super().__init__(warehouse)
        self.session = FlinkSql(warehouse)
        self.java = java
        self.stages = itertools.count()

    def execute(self, statement: str) -> None:
        self.session.execute(statement, limit=0 if statement.startswith(("INSERT", "DELETE")) else -1)

    def create(self, feature: Feature, table: str) -> None:
        self.execute(f"CREATE DATABASE IF NOT EXISTS {table.split('.')[0]}")
        self.execute(flink_table(feature, table))

    def insert(self, table: str, data: pa.Table, columns: dict[str, Any], overwrite: bool) -> None:
        stage = f"stage.s{next(self.stages)}"
        self.java.create(self.warehouse, stage, {name: columns[name] for name in data.column_names})
        self.java.write(self.warehouse, stage, data)
        self.execute(f"INSERT {'OVERWRITE' if overwrite else 'INTO'} {table} SELECT * FROM {stage}")

    def procedure(self, step: Step, table: str) -> list[str]:
        match step:
            case f.Compact():
                return [f"CALL sys.compact(`table` => '{table}')"]
            case f.Alter(changes):
                return [alteration(change, table, spark=False) for change in changes]
            case f.Tag(name, snapshot):
                return [f"CALL sys.create_tag(`table` => '{table}', tag => '{name}', snapshot_id => {snapshot})"]
            case f.Branch(name, tag):
                # Flink accepts no named arguments for a procedure that has several signatures.
                source = f", '{tag}'" if tag else ""
                return [f"CALL sys.create_branch('{table}', '{name}'{source})"]
            case f.FastForward(branch):
                return [f"CALL sys.fast_forward(`table` => '{table}', branch => '{branch}')"]
            case f.SortCompact(strategy, columns):
                order = f"order_strategy => '{strategy}', order_by => '{columns}'"
                return [f"CALL sys.compact(`table` => '{table}', {order})"]
            case f.Expire(retain):
                return [
                    f"CALL sys.expire_snapshots(`table` => '{table}', retain_max => {retain}, retain_min => {retain},"
                    " older_than => '2100-01-01 00:00:00')"
                ]
            case f.RollBack(snapshot):
                return [f"CALL sys.rollback_to(`table` => '{table}', snapshot_id => {snapshot})"]
            case f.DropPartition(column, value):
                return [f"ALTER TABLE {table} DROP PARTITION ({column} = '{value}')"]
        raise AssertionError(step)

    def read(self, _warehouse: Path, table: str, question: Question) -> Rows:
        database, name = table_of(question, table).split(".", 1)
        reported = ", ".join(f"'{key}'='{value}'" for key, value in java_options(question).items())
        hint = f" /*+ OPTIONS({reported}) */" if reported else ""
        return self.session.query(f"SELECT * FROM {database}.`{name}`{hint}")

    def close(self) -> None:
        self.session.close()
