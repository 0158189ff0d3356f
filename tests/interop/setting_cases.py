"""Settings that Java's ``SchemaValidation`` refuses, settings that it accepts, and changes that break a setting."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import workbench as wb

COLUMNS = {
    "k": "INT NOT NULL",
    "p": "STRING NOT NULL",
    "a": "INT",
    "b": "STRING",
    "r": "ROW<x INT, y STRING>",
    "m": "MAP<STRING, INT>",
    "n": "MAP<INT, INT>",
    "d": "DECIMAL(30, 2)",
    "t": "TIMESTAMP(9)",
    "f": "BOOLEAN",
}
KINDS: dict[str, dict[str, Any]] = {
    "append": {},
    "append-bucketed": {"options": {"bucket": "2", "bucket-key": "a"}},
    "append-partitioned": {"partition_by": ["p"]},
    "key": {"primary_key": ["k"], "options": {"bucket": "2"}},
    "key-partitioned": {"primary_key": ["k", "p"], "partition_by": ["p"], "options": {"bucket": "2"}},
    "key-across-partitions": {"primary_key": ["k"], "partition_by": ["p"]},
}
ON = "true"
AVRO = {"file.format": "avro"}
LEVEL_AVRO = {"file.format.per.level": "0:avro"}
AGGREGATION = {"merge-engine": "aggregation"}
PARTIAL = {"merge-engine": "partial-update"}


@dataclass(frozen=True)
class Setting:
    """Options of one kind of table. ``unlike``: columns that differ from `COLUMNS`; None removes one."""

    kind: str
    options: dict[str, str]
    unlike: dict[str, str | None] = field(default_factory=dict)

    def __str__(self) -> str:
        reported = ",".join(f"{name}={text}" for name, text in {**self.options, **self.unlike}.items())
        return f"{self.kind}-{reported}"

    @property
    def columns(self) -> dict[str, str]:
        return {name: kind for name, kind in {**COLUMNS, **self.unlike}.items() if kind is not None}

    @property
    def table(self) -> dict[str, Any]:
        """The keys, partitions and options that this kind of table has."""
        return KINDS[self.kind]


def every(kinds: str, *settings: dict[str, str], **unlike: str | None) -> list[Setting]:
    return [Setting(kind, options, unlike) for kind in kinds.split() for options in settings]


def named(option: str, *values: str) -> list[dict[str, str]]:
    return [{option: value} for value in values]


PLAIN = {"t": "TIMESTAMP(3)", "d": "DECIMAL(9, 2)"}
REFUSED: list[Setting] = [
    *every("append append-bucketed append-partitioned", *named("streaming-read-overwrite", ON)),
    *every("append append-bucketed", *named("table-read.sequence-number.enabled", ON)),
    *every("append", {"sequence.snapshot-ordering": ON, "write-only": ON}),
    *every("append append-bucketed", *named("changelog-producer", "input", "lookup", "full-compaction")),
    *every("key", {"streaming-read-overwrite": ON, "changelog-producer": "lookup"}),
    *every("key", {"streaming-read-overwrite": ON, "changelog-producer": "full-compaction"}),
    *every("append key", *named("target-file-row-num", "0", "-1")),
    *every("append append-partitioned", *named("full-compaction.delta-commits", "3")),
    *every("append key-across-partitions", *named("bucket-key", "")),
    *every("append key", *named("sequence.field", "", "a,,b", " ")),
    *every("append key", *named("rowkind.field", "", " b", "a,b")),
    *every("append key", *named("record-level.time-field", "")),
    *every("key-across-partitions", *named("sequence.field", "a")),
    *every("append key", {"sequence.field": "a", "fields.a.aggregate-function": "sum"}),
    *every("key", {**AGGREGATION, "sequence.field": "b,a", "fields.a.aggregate-function": "max"}),
    *every("append key", *named("fields.r.x.aggregate-function", "sum"), *named("fields.r.x.stats-mode", "none")),
    *every("key", {**AGGREGATION, "fields.r.x.aggregate-function": "sum"}),
    *every("key", {**AGGREGATION, "fields.a.aggregate-function": ""}),
    *every("key", {**AGGREGATION, "fields.default-aggregate-function": ""}),
    *every("key", {**PARTIAL, "partial-update.remove-record-on-sequence-group": ""}),
    *every("append", *named("file-index.bitmap.columns", "", "a,,b", " ", "nope", "a[x]", "n[x]", "m[x", "d", "r")),
    *every("append key", *named("file-index.nope.columns", "a"), *named("file-index.columns", "a")),
    *every("append", *named("file-index.bloom-filter.columns", "f", "d", "m", "a,f")),
    *every("append", *named("file-index.bsi.columns", "b", "f", "r")),
    *every("append", *named("file-index.range-bitmap.columns", "t", "d", "r")),
    *every("append", *named("file-index.bitmap.a.version", "1")),
    *every("append", {"file-index.bitmap.columns": "b", "file-index.bitmap.a.version": "1"}),
    *every("append key", *named("file.format.per.level", "x:avro", "0:avro,00:orc", "99999999999:orc"), **PLAIN),
    *every("append key", AVRO, LEVEL_AVRO, {"file.format.per.level": "3:AVRO"}),
    *every("append", {**AVRO, "file.format.per.level": "0:parquet"}),
    *every("append", AVRO, LEVEL_AVRO, t="TIMESTAMP(7) WITH LOCAL TIME ZONE"),
    *every("append", AVRO, t="ARRAY<TIMESTAMP(9)>"),
    *every("append", AVRO, t="ROW<x ROW<y TIMESTAMP(7)>>"),
    *every("append", AVRO, t="TIME(6)"),
    *every("append", AVRO, {"file.format": "orc"}, t="VARIANT"),
    *every("append", {"file.format": "orc"}, t="VECTOR<FLOAT, 3>"),
    *every("append key", *named("vector-field", "a", "nope", "k")),
    *every("append key", *named("blob-field", "", " ")),
    *every("append key", *named("vector.file.format", "")),
    *every("key key-partitioned key-across-partitions append-bucketed", *named("clustering.incremental", ON)),
    *every(
        "append-bucketed",
        {"clustering.incremental": ON, "bucket-append-ordered": "false", "deletion-vectors.enabled": ON},
    ),
    *every("append", *named("pk-clustering-override", ON)),
    *every("append append-bucketed key", *named("manifest-sort.enabled", ON)),
    *every("append-partitioned", {"manifest-sort.enabled": ON, "manifest-sort.partition-field": "a"}),
    *every("append", {"row-tracking.enabled": ON, "bucket": "2", "bucket-key": "a"}),
    *every("append key", *named("fields.a.map.storage-layout", "default")),
    *every("append key", *named("variant.shredding.maxInferBufferRow", "0", "-1")),
    *every("append", *named("variant.shredding.minFieldCardinalityRatio", "-1", "2")),
    *every(
        "append",
        {"variant.shredding.inferenceMode": "adaptive", "variant.shredding.adaptive.retentionRatio": "0.5"},
        {"variant.shredding.inferenceMode": "adaptive", "variant.shredding.adaptive.maxInferBufferRow": "0"},
    ),
    *every("append", *named("pk-vector.index.columns", "a", ""), *named("pk-btree.index.columns", "a", "")),
    *every("append", *named("pk-bitmap.index.columns", "a", ""), *named("pk-full-text.index.columns", "b", "")),
    *every("key", *named("pk-btree.index.columns", ""), *named("pk-vector.index.columns", "")),
    *every("append", *named("upsert-key", "nope", "r", "a, b")),
    *every("key", *named("upsert-key", "a")),
    *every("append key", *named("scan.fallback-branch", "dev", "main"), *named("scan.primary-branch", "dev")),
    *every("append", *named("scan.version", "1"), *named("incremental-to-auto-tag", "x")),
    *every("append", *named("scan.mode", "from-timestamp", "from-snapshot", "from-snapshot-full", "incremental")),
    *every("append", *named("scan.mode", "from-file-creation-time", "latest-delta")),
    *every("append", {"scan.mode": "latest", "scan.snapshot-id": "1"}, {"scan.snapshot-id": "1", "scan.tag-name": "x"}),
    *every("append", {"scan.mode": "compacted-full", "incremental-between": "1,2"}),
    *every("append", {"scan.timestamp": "2026-01-01", "scan.timestamp-millis": "1"}),
]
ACCEPTED: list[Setting] = [
    *every("key", *named("streaming-read-overwrite", ON), *named("table-read.sequence-number.enabled", ON)),
    *every("append", *named("streaming-read-append-overwrite", ON)),
    *every("key", {"streaming-read-overwrite": ON, "changelog-producer": "input"}),
    *every("key", {"sequence.snapshot-ordering": ON, "write-only": ON}),
    *every("append key", *named("target-file-row-num", "1")),
    *every("append-bucketed key", *named("full-compaction.delta-commits", "3")),
    *every("key key-partitioned", *named("sequence.field", "a", " a , b", "a,")),
    *every("append", *named("rowkind.field", "b"), *named("fields.m.x.aggregate-function", "sum")),
    *every("append", *named("fields.a.aggregate-function", "")),
    *every("append", *named("file-index.bitmap.columns", "a", "a,", " a , b ", "m[x]", "t", "f")),
    *every("append", {"file-index.bitmap.columns": "a", "file-index.bitmap.a.version": "1"}),
    *every("append", {"file-index.bitmap.columns": "m[x]", "file-index.bitmap.m.version": "1"}),
    *every("append", *named("file-index.bloom-filter.columns", "a,b,t"), *named("file-index.bsi.columns", "a,t")),
    *every("append", *named("file-index.range-bitmap.columns", "a,b,f")),
    *every("append key", *named("file.format.per.level", "0:avro", "-1:avro", "+1:avro", " 0 : avro "), **PLAIN),
    *every("append key", {"file.format": "orc"}, *named("changelog-file.format", "avro")),
    *every("append", AVRO, LEVEL_AVRO, t="TIMESTAMP(6)"),
    *every("append", *named("vector-field", "t", " "), t="VECTOR<FLOAT, 3>"),
    *every("append append-partitioned", *named("clustering.incremental", ON)),
    *every("append-bucketed", {"clustering.incremental": ON, "bucket-append-ordered": "false"}),
    *every("append-partitioned key-partitioned", *named("manifest-sort.enabled", ON)),
    *every("append-partitioned", {"manifest-sort.enabled": ON, "manifest-sort.partition-field": "p"}),
    *every("append-partitioned", *named("manifest-sort.partition-field", "a")),
    *every("append", *named("row-tracking.enabled", ON), *named("fields.m.map.storage-layout", "default")),
    *every("append", *named("variant.shredding.adaptive.retentionRatio", "0.5")),
    *every(
        "append", *named("scan.snapshot-id", "1"), *named("scan.timestamp", "2026-01-01"), *named("scan.watermark", "1")
    ),
    *every("append", {"scan.mode": "from-snapshot", "scan.tag-name": "x"}),
    *every(
        "append", *named("scan.fallback-branch", " "), {"my.own": "x", "owner": "me", "team": "a", "created.by": "b"}
    ),
]


@dataclass(frozen=True)
class Change:
    """A change of a table that removes a requirement of a setting."""

    before: Setting
    change: Any
    taken: bool = False

    def __str__(self) -> str:
        return f"{self.before}-{self.change}"


def changes(setting: Setting, *result: Any, taken: bool = False) -> list[Change]:
    return [Change(setting, each, taken) for each in result]


_FINE = tuple(
    wb.AddColumn(("new",), kind) for kind in ("TIMESTAMP(7)", "TIMESTAMP(9)", "TIMESTAMP(8) WITH LOCAL TIME ZONE")
)
CHANGES: list[Change] = [
    *changes(
        Setting("append", AVRO, PLAIN),
        *_FINE,
        wb.AddColumn(("r", "z"), "TIMESTAMP(9)"),
        wb.AddColumn(("v",), "VARIANT"),
    ),
    *changes(Setting("key", LEVEL_AVRO, PLAIN), *_FINE, wb.UpdateColumnType(("t",), "TIMESTAMP(9)")),
    *changes(Setting("append", AVRO, PLAIN), wb.AddColumn(("new",), "TIMESTAMP(6)"), taken=True),
    *changes(Setting("append", {}), *_FINE, taken=True),
    *changes(
        Setting("append", {}), wb.SetOption("file.format", "avro"), wb.SetOption("file.format.per.level", "0:avro")
    ),
    *changes(
        Setting("append", {"file-index.bitmap.columns": "a"}),
        wb.DropColumn(("a",)),
        wb.RenameColumn(("a",), "c"),
        wb.UpdateColumnType(("a",), "DECIMAL(9, 2)"),
        wb.SetOption("file-index.bitmap.b.version", 1),
    ),
    *changes(Setting("append", {"file-index.bsi.columns": "a"}), wb.UpdateColumnType(("a",), "STRING")),
    *changes(Setting("append", {"file-index.bsi.columns": "a"}), wb.UpdateColumnType(("a",), "BIGINT"), taken=True),
    *changes(Setting("append", {"vector-field": "t"}, {"t": "VECTOR<FLOAT, 3>"}), wb.RenameColumn(("t",), "v")),
    *changes(Setting("append", {"fields.m.map.storage-layout": "default"}), wb.RenameColumn(("m",), "map"), taken=True),
    *changes(
        Setting("key", {"changelog-producer": "lookup"}),
        wb.SetOption("streaming-read-overwrite", True),
        wb.SetOption("full-compaction.delta-commits", 3),
    ),
    *changes(
        Setting("key", {"sequence.snapshot-ordering": ON, "write-only": ON}),
        wb.RemoveOption("write-only"),
        wb.SetOption("sequence.field", "a"),
    ),
    *changes(
        Setting("append-bucketed", {"clustering.incremental": ON, "bucket-append-ordered": "false"}),
        wb.RemoveOption("bucket-append-ordered"),
    ),
    *changes(Setting("key", {"sequence.field": "a"}), wb.SetOption("fields.a.aggregate-function", "sum")),
    *changes(Setting("key", {}), wb.SetOption("clustering.incremental", True), wb.SetOption("target-file-row-num", 0)),
    *changes(Setting("append", {"my.own": "x"}), wb.SetOption("my.own", "y"), wb.RemoveOption("my.own"), taken=True),
    *changes(
        Setting("append", {}), wb.SetOption("team", "a"), wb.SetOption("scan.fallback-branch", "main"), taken=True
    ),
]
