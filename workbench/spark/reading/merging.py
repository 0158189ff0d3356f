"""Merges the sorted runs of primary-key tables inside the JVM, where the newest row of a key replaces all others.

Spark's own reader reads the files, so that no row passes through Python. Everything else is merged by Python tasks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.base.errors import Unsupported
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER_FIELD, VALUE_KIND_FIELD
from workbench.format.types import AtomicType, DataField
from workbench.spark.classes.compiler import merge_class
from workbench.spark.progress import classic_context
from workbench.spark.types import spark_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from workbench.format.spec.schema import TableSchema
    from workbench.scan.split import Section, Split

_FEW_BYTES = 1 << 20
_ORDERED = ("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "DATE", "CHAR", "VARCHAR", "TIMESTAMP")


def can_merge_in_jvm(schema: TableSchema, session: SparkSession) -> bool:
    """Return whether the JVM can merge the rows of a table: the order of the rows alone decides, and Spark sorts the
    keys in the same way."""
    core, engine = schema.core, schema.kind.merge_engine
    if classic_context(session) is None or engine is None:
        return False
    by_order = engine.keeps_newest and not core.sequence_field and not core.ignore_delete
    return by_order and all(_is_ordered(each) for each in schema.key_fields)


def _is_ordered(field: DataField) -> bool:
    data_type = field.type
    if not isinstance(data_type, AtomicType) or data_type.root not in _ORDERED:
        return False
    return data_type.root != "TIMESTAMP" or (data_type.precision or 0) <= 6


def is_worth_merging_in_jvm(splits: Sequence[Split]) -> bool:
    """Return whether a merge in the JVM is worth its preparation."""
    return sum(each.size for each in splits) >= _FEW_BYTES


def merged_rows(
    session: SparkSession, schema: TableSchema, splits: Sequence[Split], columns: Sequence[DataField]
) -> DataFrame | None:
    """Return the rows of splits whose files all have the columns of ``schema``.

    Returns:
        A lazy DataFrame with one task for each split; None if this Spark cannot compile the merge.
    """
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

    try:
        found = merge_class(session.sparkContext)
    except Unsupported:
        return None
    if found is None:
        return None
    keys = schema.key_fields
    stored = [*keys, SEQUENCE_NUMBER_FIELD, VALUE_KIND_FIELD, *(each for each in columns if each not in keys)]
    position = {each.name: number for number, each in enumerate(stored)}
    largest_first = sorted(splits, key=lambda split: split.size, reverse=True)
    rows = found.newInstance().rows(
        session._jsparkSession,
        spark_schema(stored).json(),
        len(keys),
        json.dumps([[_section(split, section) for section in split.sections] for split in largest_first]),
        json.dumps([position[each.name] for each in columns]),
    )
    return ClassicDataFrame(rows, session)


def _section(split: Split, section: Section) -> list[list[tuple[str, int]]]:
    """Return the runs of a section, each as the paths and sizes of its files."""
    return [[(split.path(file), file.file_size) for file in run] for run in section]
