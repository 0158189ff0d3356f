"""Limitations of makers: what they refuse, and what they write or read differently from Paimon."""

from __future__ import annotations

import re

# Parts of the messages with which a maker refuses what it does not support.
OWN_REFUSALS: dict[str, tuple[str, ...]] = {
    "pypaimon": (
        "does not yet implement",
        "Unsupported data type: MULTISET",
        "Unsupported pyarrow type for Avro",
        "do not match ['null'",
        "requires the 'datasketches' package",
        "was expecting a tuple",
        "Unknown CompressionKind",
    ),
    "rust": (
        "is not supported by the current writer",
        "Unsupported Avro compression codec",
        "ORC writer does not support",
        "Codec 'bzip2' is not supported",
    ),
    "spark-0.9": (
        # Its deletes fail with this for keys of TINYINT and SMALLINT.
        "cannot be cast to class java.lang.Integer",
        "No enum constant org.apache.paimon.shade.org.apache.parquet.hadoop.metadata.CompressionCodecName.NONE",
    ),
}
UNCOMPACTED = "it shows nothing of such a table before Java compacts it"
# (maker, pattern of the feature and its combination, what is different): our library agrees with Java 2.0.0 there.
SHORTCOMINGS: tuple[tuple[str, str, str], ...] = (
    ("pypaimon|rust", "first-row", UNCOMPACTED),
    ("pypaimon|rust", "postponed", UNCOMPACTED),
    ("pypaimon|rust", "deletion vectors .*keyed", UNCOMPACTED),
    ("pypaimon|rust", "multisets", "it has no MULTISET"),
    ("pypaimon|rust", "lookup", "it has no compaction that looks rows up"),
    ("pypaimon|rust", "overflow", "its whole numbers wrap around"),
    ("spark-0.9", "aggregation-sum(?!-sequence)", "Spark gives null for decimals that overflow"),
    ("spark-0.9", "aggregation-sum-sequence", "Paimon 0.9 aggregates sequence fields as well"),
    ("spark-0.9", "keytime|nested_partial_update", "Paimon 0.9 has no such aggregate"),
    ("spark-0.9", r"\$(buckets|table_indexes|file_key_ranges|binlog)", "Paimon 0.9 has no such table"),
    ("spark-0.9", r"\$(files|partitions)", "Paimon 0.9 spells partitions and paths of files its own way"),
    ("spark-0.9", "partial-update-default-aggregate", "Paimon 0.9 aggregates sequence fields as well"),
    ("spark-0.9", "partial-update-group-collections", "Paimon 0.9 joins blank texts, keeps nulls among nested rows"),
    ("spark-0.9", "aggregation-listagg", "Paimon 0.9 joins blank texts too, and knows no distinct ones"),
    ("spark-0.9", "aggregation-nested_update", "Paimon 0.9 keeps nulls among nested rows, and knows no limit"),
    ("spark-0.9", "product-overflow", "its whole numbers wrap around"),
    ("spark-0.9", "sequence-descending", "Paimon 0.9 has no such order"),
    ("spark-0.9", "sequence-float", "Paimon 0.9 orders NaN otherwise"),
    ("spark-0.9", "postponed", "Paimon 0.9 has no postponed buckets"),
    ("spark-0.9", "record-level-expire", "Paimon 0.9 refuses rows whose time is null when it compacts"),
    ("pypaimon|rust", "aggregation-sum(?!-(sequence|lookup))", "it gives null for decimals that overflow"),
    ("pypaimon|rust", "aggregation-sum-lookup", "it has no compaction that looks rows up"),
    ("pypaimon", "partition of (FLOAT|DOUBLE)", "it spells directories of float partitions its own way"),
    ("rust", "partition of (FLOAT|DOUBLE)", "it refuses partition columns of FLOAT and DOUBLE"),
    ("pypaimon", "bucket function", "it ignores the function: rows are in other buckets than the option requires"),
    ("pypaimon", "texts and bytes orc", "it does not trim CHAR, as Java's ORC does"),
    (
        "spark-0.9",
        "texts and bytes|a format by level|(key|partition) of CHAR",
        "Spark pads CHAR by itself when it reads",
    ),
    ("pypaimon", "nanoseconds orc", "its times before 1970 are garbled in ORC: Java cannot read them either"),
    ("pypaimon", "aggregation-(max|min)", "it orders NaN otherwise"),
    ("rust", "hll_sketch", "it keeps sketches in another form"),
    ("rust", "arrays, maps and rows avro", "it loses nested rows of Avro files that it wrote"),
)


def shortcoming(maker: str, name: str) -> str | None:
    """Return the known deviation of the maker in a cell of this name, or None."""
    for makers, pattern, reason in SHORTCOMINGS:
        if maker in makers.split("|") and re.search(pattern, name):
            return reason
    return None


# The same for tables that others wrote: our library or Java 2.0.0.
SHORTCOMINGS_OF_READERS: tuple[tuple[str, str, str], ...] = (
    (
        "pypaimon",
        "aggregation-(listagg|collect-distinct|nested_)",
        "it folds a row that is alone with itself, which Java leaves as it is",
    ),
    ("spark-0.9", "thin mode", "Paimon 0.9 looks for the keys that thin files leave out"),
    (
        "spark-0.9",
        "partial-update-(remove-on-delete|partitioned|default-aggregate|groups-removing|groups( |$)"
        "|group-(sum|max|product|collections|last_value|first_non_null_value))",
        "Paimon 0.9 makes rows without a key of deletes that come first, or fails at them",
    ),
    (
        "spark-0.9",
        "aggregation-(collect|bool_or|product-retract)",
        "Paimon 0.9 fails at retracts, or folds them otherwise",
    ),
)


def reader_shortcoming(maker: str, name: str) -> str | None:
    """Return what the maker is known to read differently in a table that it did not write, or None."""
    for makers, pattern, reason in SHORTCOMINGS_OF_READERS:
        if maker in makers.split("|") and re.search(pattern, name):
            return reason
    return None


def refuses(maker: str, sentence: str) -> bool:
    """Return whether the message is a refusal of an unsupported feature."""
    return any(part in sentence for part in OWN_REFUSALS.get(maker, ()))
