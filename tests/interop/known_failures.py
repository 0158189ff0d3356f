"""Known errors and refusals of referees, observed with tables that Java Paimon itself wrote, except for INT96.

If a column is finer than microseconds, our files store all timestamps as INT96, because Arrow has only one switch for
a whole file. Java's files store only that column as INT96, and every referee reads and filters their other columns
correctly.
"""

from __future__ import annotations

from tests.interop.cases import Case
from tests.interop.referees import Filter

BINARIES = ("BINARY(4)", "VARBINARY(30)", "BYTES")
FLOATS = ("FLOAT", "DOUBLE")
OUR_INT96 = "where TIMESTAMP(9) makes all timestamps of our file INT96"
PEERS = {"pypaimon": "pypaimon 2.1.0", "rust": "pypaimon-rust 0.4.0"}


def partition_types(case: Case) -> list[str]:
    """Types of the partition columns."""
    return [case.type_of(name) for name in case.partition_by]


def is_coarse_timestamp(type_text: str) -> bool:
    """Return whether a type is a timestamp of microseconds or coarser."""
    return type_text.startswith("TIMESTAMP") and type_text != "TIMESTAMP(9)"


def cannot_read(engine: str, case: Case) -> str | None:
    """Why the engine cannot read the case's table, or None."""
    if engine in PEERS and case.name.startswith("nanoseconds-far"):
        return f"{PEERS[engine]} overflows silently outside the years 1677 to 2262 {OUR_INT96}"
    return cannot_partition(engine, case)


def cannot_write(engine: str, case: Case) -> str | None:
    """Why the engine cannot write the case's table so that others can read it, or None."""
    return cannot_partition(engine, case)


def cannot_partition(engine: str, case: Case) -> str | None:
    """Why the engine cannot work with the partitions of the case's table, or None."""
    if not set(FLOATS).intersection(partition_types(case)):
        return None
    if engine == "rust":
        return f"{PEERS[engine]} refuses partition columns of FLOAT and DOUBLE"
    if engine == "pypaimon":
        return f"{PEERS[engine]} spells directories of float partitions its own way: p=-inf for Java's p=-Infinity"
    return None


def cannot_filter(engine: str, case: Case, condition: Filter) -> str | None:
    """Why the engine fails or loses rows under the condition, or None."""
    type_text = case.type_of(condition.column)
    if is_coarse_timestamp(type_text) and "TIMESTAMP(9)" in map(case.type_of, case.columns):
        if engine == "java-1.4.2":
            return f"Java 1.4.2 fails to filter TIMESTAMP(6) and coarser {OUR_INT96}"
        if engine == "pypaimon" and "ZONE" in type_text and not case.primary_key:
            return f"{PEERS[engine]} finds no zone and fails to compare {OUR_INT96}"
    if engine == "java-1.4.2" and type_text in BINARIES:
        return "Java 1.4.2 compares bytes as signed numbers when it prunes"
    if engine == "pypaimon" and type_text in FLOATS:
        return f"{PEERS[engine]} prunes by float statistics that hold NaN"
    wide = ("TIMESTAMP(6)", "TIMESTAMP(9)", "DECIMAL(38, 10)", "TIMESTAMP(6) WITH LOCAL TIME ZONE")
    if engine == "rust" and condition.column in case.partition_by and type_text in wide and condition.literals is None:
        return f"{PEERS[engine]} takes a null partition value of a wide type for a value"
    return None
