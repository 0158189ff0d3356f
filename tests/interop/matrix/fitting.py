"""Which engine can create which feature, and what it omits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from tests.interop.matrix import feature as f
from tests.interop.matrix.feature import Feature, Question, Step, Write
from tests.interop.matrix.shortcomings import shortcoming
from tests.interop.matrix.spelling import spark_type

ADDED = ("+I", "+U")
NEWEST = "java-2.0.0"


def without_retracts(step: Step) -> Step | None:
    """Return the step for an engine whose inserts have no row kinds; None if no row is left."""
    if not isinstance(step, Write) or not step.kinds:
        return step
    added = pa.array([kind in ADDED for kind in step.kinds])
    data = step.data.filter(added)
    return replace(step, data=data, kinds=None) if data.num_rows else None


def plain_steps(feature: Feature) -> Feature:
    """Return the feature without compactions and retracts, which Python peers do not support."""
    kept = (without_retracts(step) for step in feature.steps if not isinstance(step, f.Compact))
    return replace(feature, steps=tuple(step for step in kept if step is not None))


IN_SQL = (Write, f.Compact, f.Alter, f.Tag, f.Branch, f.FastForward, f.Expire, f.RollBack, f.DropPartition)
PERFORMS: Mapping[str, tuple[type, ...]] = {
    "java-2.0.0": (*IN_SQL, f.Erase, f.Watermark, f.Consumer),
    "java-1.4.2": (*IN_SQL, f.Watermark, f.Consumer),
    "flink-2.0.0": (*IN_SQL, f.SortCompact),
    "spark-0.9": (*IN_SQL, f.SortCompact, f.Analyze),
    "pypaimon": (Write,),
    "rust": (Write,),
}
MAKERS = (NEWEST, "flink-2.0.0", "java-1.4.2", "spark-0.9", "pypaimon", "rust")
# Statements take seconds, so these makers make only one combination of a feature's dimensions, in rotation.
IN_ROTATION = ("flink-2.0.0", "spark-0.9")
TITLES = {
    NEWEST: "Java 2.0.0",
    "flink-2.0.0": "Flink SQL 2.0.0",
    "java-1.4.2": "Java 1.4.2",
    "spark-0.9": "Spark SQL 0.9",
    "pypaimon": "pypaimon 2.1.0",
    "rust": "pypaimon-rust 0.4.0",
}


def answered(maker: str, question: Question, keyed: bool) -> bool:
    """Return whether the engine answers such a question in a way that is comparable with ours; ``keyed``: for a table
    with a primary key."""
    if maker in ("pypaimon", "rust"):
        return not question.suffix and not question.changes and set(question.version) <= {"scan.snapshot-id"}
    if maker == "spark-0.9" and question.changes:
        start, end, mode = question.changes
        # Paimon 0.9 has no mode diff, and for several commits it returns only the last row of each key.
        return mode != "diff" and not (keyed and int(end.lstrip("@")) - int(start.lstrip("@")) > 1)
    # Flink's source cannot determine its start from this option alone.
    return maker not in IN_ROTATION or "scan.version" not in question.version


def fitted(feature: Feature, variant: str, maker: str) -> Feature | str:
    """Return the feature as the engine can make it, or why it cannot."""
    result = readable(feature, variant, maker)
    if isinstance(result, Feature):
        for step in result.steps:
            if not isinstance(step, PERFORMS[maker]):
                return f"no {type(step).__name__} by its means"
    return result


def readable(feature: Feature, variant: str, maker: str) -> Feature | str:
    """Return the feature as far as the engine can read it, regardless of its maker, or why it cannot."""
    if reason := shortcoming(maker, f"{feature.name} {variant}"):
        return reason
    if feature.only and maker not in feature.only:
        return feature.lacks.get(maker, "not its way to make it")
    if maker in feature.lacks:
        return feature.lacks[maker]
    if maker in ("pypaimon", "rust"):
        feature = plain_steps(feature)
    questions = tuple(each for each in feature.questions if answered(maker, each, bool(feature.primary_key)))
    if not questions:
        return "it answers none of the questions"
    feature = replace(feature, questions=questions)
    return spark_fitted(feature) if maker == "spark-0.9" else feature


def widened(type_json: Any) -> Any:
    """Return the type with which Spark stores such values: timestamps with microseconds, bytes of any length."""
    if not isinstance(type_json, str):
        return type_json
    required = " NOT NULL" if type_json.endswith("NOT NULL") else ""
    name = type_json.removesuffix(" NOT NULL")
    if name.startswith("TIMESTAMP") and "(9)" not in name:
        return f"TIMESTAMP(6){' WITH LOCAL TIME ZONE' if 'ZONE' in name else ''}{required}"
    return f"BYTES{required}" if name.startswith(("BINARY(", "VARBINARY(")) else type_json


def spark_fitted(feature: Feature) -> Feature | str:
    """Return the feature without columns of types that Spark lacks, or which of these types it requires."""
    columns = {name: widened(type_json) for name, type_json in feature.columns.items()}
    unknown = [name for name, type_json in columns.items() if spark_type(type_json) is None]
    needed = {
        *feature.primary_key,
        *feature.partition_by,
        *",".join([*feature.options, *feature.options.values()]).split(","),
    }
    for name in unknown:
        dotted = any(name in option.split(".") for option in feature.options)
        if name in needed or dotted or len(columns) - len(unknown) < 2:
            return f"no {columns[name]} in Spark 3.5"
    steps = tuple(
        replace(step, data=step.data.drop_columns([name for name in unknown if name in step.data.column_names]))
        if isinstance(step, Write)
        else step
        for step in feature.steps
    )
    kept = {name: type_json for name, type_json in columns.items() if name not in unknown}
    return replace(feature, columns=kept, steps=steps)
