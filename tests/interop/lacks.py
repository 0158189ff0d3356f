"""What a referee is known to get wrong or to refuse: each found with tables that Java Paimon itself wrote."""

from __future__ import annotations

from cases import Case
from referees import Filter

BINARIES = ("BINARY(4)", "VARBINARY(30)", "BYTES")
FLOATS = ("FLOAT", "DOUBLE")


def partition_types(case: Case) -> list[str]:
    """Types of the partition columns."""
    return [case.type_of(name) for name in case.partition_by]


def cannot_read(engine: str, case: Case) -> str | None:
    """Why the engine cannot read the case's table, or None."""
    if not set(FLOATS).intersection(partition_types(case)):
        return None
    if engine == "rust":
        return "pypaimon-rust 0.4.0 refuses partition columns of FLOAT and DOUBLE"
    if engine == "pypaimon":
        return "pypaimon 2.1.0 spells directories of float partitions its own way: p=-inf for Java's p=-Infinity"
    return None


def cannot_write(engine: str, case: Case) -> str | None:
    """Why the engine cannot write the case's table so that others can read it, or None."""
    return cannot_read(engine, case)


def cannot_filter(engine: str, case: Case, condition: Filter) -> str | None:
    """Why the engine loses rows under the condition, whoever wrote them, or None."""
    type_text = case.type_of(condition.column)
    if engine == "java-1.4.2" and type_text in BINARIES:
        return "Java 1.4.2 compares bytes as signed numbers when it prunes"
    if engine == "pypaimon" and type_text in FLOATS:
        return "pypaimon 2.1.0 prunes by float statistics that hold NaN"
    wide = ("TIMESTAMP(6)", "TIMESTAMP(9)", "DECIMAL(38, 10)", "TIMESTAMP(6) WITH LOCAL TIME ZONE")
    if engine == "rust" and condition.column in case.partition_by and type_text in wide and condition.literals is None:
        return "pypaimon-rust 0.4.0 takes a null partition value of a wide type for a value"
    return None
