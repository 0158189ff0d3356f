"""Finds violations of the rules in `schema_rules`: each function yields the values for the message of its rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.base.errors import InvalidSchema, WorkbenchError
from workbench.format.file_formats.registry import find_traits, known_traits
from workbench.format.options.core_options import CoreOptions
from workbench.format.options.merge_engine import merge_engine_names
from workbench.format.options.values import parse_option, split_list
from workbench.format.types import ArrayType, DataField, DataType, MapType, RowType, VectorType, holds
from workbench.metadata.definition.file_formats import chosen_formats

if TYPE_CHECKING:
    from workbench.format.spec.schema import TableSchema

_FIELDS, _LAYOUT = "fields.", ".map.storage-layout"
_PER_LEVEL = ("file.format.per.level", "file.compression.per.level", "metadata.stats-mode.per.level")
_NEVER_EMPTY = ("sequence.field", "rowkind.field", "record-level.time-field", "blob-field", "vector.file.format")
_NESTED = ("ARRAY", "MAP", "MULTISET", "ROW", "VECTOR")
_TEXTS = ("CHAR", "VARCHAR")
_KEY_INDEXES = ("pk-vector", "pk-btree", "pk-bitmap", "pk-full-text")
_SHREDDED_CODECS = ("none", "lz4", "zstd")
_METRICS = ("l2", "cosine", "inner_product")
_KEY_OPTIONS = {
    "streaming-read-overwrite": "Use 'streaming-read-append-overwrite'.",
    "table-read.sequence-number.enabled": "Only rows of primary-key tables have a sequence number.",
    "sequence.snapshot-ordering": "Remove the option.",
}

_SNAPSHOT, _TAG, _WATERMARK = "scan.snapshot-id", "scan.tag-name", "scan.watermark"
_TIMES = ("scan.timestamp-millis", "scan.timestamp")
_FILE_TIME, _TIME = "scan.file-creation-time-millis", "scan.creation-time-millis"
_BETWEEN = ("incremental-between", "incremental-between-timestamp", "incremental-to-auto-tag")
_POSITIONS = (_SNAPSHOT, _TAG, *_TIMES, _FILE_TIME, *_BETWEEN)
# For each mode: the options of which exactly one must be set, and the other `_POSITIONS` that may be set too.
_MODES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "from-timestamp": (_TIMES, ()),
    "from-snapshot": ((_SNAPSHOT, _TAG, _WATERMARK), ()),
    "incremental": (_BETWEEN, ()),
    "from-snapshot-full": ((_SNAPSHOT,), ()),
    "from-file-creation-time": ((_FILE_TIME,), ("scan.timestamp",)),
}
_IMPLIED_MODES = (
    (_TIMES, "from-timestamp"),
    ((_SNAPSHOT, _TAG, _WATERMARK, "scan.version"), "from-snapshot"),
    ((_FILE_TIME,), "from-file-creation-time"),
    ((_TIME,), "from-creation-timestamp"),
    (_BETWEEN[:2], "incremental"),
)

Findings: TypeAlias = Iterator[Mapping[str, object]]


# --- options alone -------------------------------------------------------------------------------------------------


def retained(core: CoreOptions) -> Findings:
    """Yield minimum numbers of retained snapshots or changelogs that exceed the maximum."""
    for kind in ("snapshot", "changelog"):
        minimum, maximum = f"{kind}.num-retained.min", f"{kind}.num-retained.max"
        low, high = getattr(core, f"{kind}_num_retained_min"), getattr(core, f"{kind}_num_retained_max")
        if (minimum in core.options or maximum in core.options) and low > high:
            yield {"least": minimum, "low": low, "most": maximum, "high": high}


def contradicting_deletes(core: CoreOptions) -> Findings:
    """Yield pairs of options that give a deleted row two different effects."""
    ignored = [name for name in core.options if name.startswith(_FIELDS) and name.endswith(".ignore-retract")]
    if core.engine.combines_rows and core.aggregation_remove_record_on_delete:
        for name in ignored:
            if core.options[name].strip().lower() == "true":
                yield {"one": "aggregation.remove-record-on-delete", "other": name}
    if core.engine.updates_partially:
        whole, group = "partial-update.remove-record-on-delete", "partial-update.remove-record-on-sequence-group"
        if core.ignore_delete:
            yield from ({"one": name, "other": "ignore-delete"} for name in (whole, group) if core.value(name))
        if core.sequence_groups and core.value(whole):
            group = f"fields.{','.join(next(iter(core.sequence_groups)))}.sequence-group"
            yield {"one": whole, "other": group}


def wrong_levels(core: CoreOptions) -> Findings:
    """Yield levels that are not numbers, or that occur twice."""
    for option in _PER_LEVEL:
        seen = set()
        for level in core.value(option):
            try:
                number = parse_option(option, "int", level)
            except InvalidSchema:
                number = None
            if number is None or number in seen:
                yield {"option": option, "text": core.text(option), "level": level}
            seen.add(number)


def variant_shredding(core: CoreOptions) -> Findings:
    """Yield settings of shredding that are out of range."""
    prefix = "variant.shredding."
    kept = core.value(f"{prefix}minFieldCardinalityRatio")
    ranges: list[tuple[str, Callable[[Any], bool], str]] = [
        ("maxInferBufferRow", lambda rows: rows > 0, "a whole number of at least 1"),
        ("minFieldCardinalityRatio", lambda ratio: 0 <= ratio <= 1, "a number from 0 to 1"),
    ]
    if core.value(f"{prefix}inferenceMode") == "adaptive":
        ranges.append(("adaptive.maxInferBufferRow", lambda rows: rows > 0, "a whole number of at least 1"))
        ranges.append(("adaptive.retentionRatio", lambda ratio: 0 <= ratio <= kept, f"a number from 0 to {kept}"))
    for name, fits, allowed in ranges:
        value = core.value(prefix + name)
        if not fits(value):
            yield {"option": prefix + name, "value": value, "allowed": allowed}


def empty_values(core: CoreOptions) -> Findings:
    """Yield options for names of columns or formats that contain an empty name."""
    names = [*_NEVER_EMPTY]
    if core.engine.updates_partially:
        names.append("partial-update.remove-record-on-sequence-group")
    for option in names:
        text = core.text(option)
        if text is not None and any(not part.strip() for part in split_list(text)):
            yield {"option": option}


# --- keys, partitions and buckets ----------------------------------------------------------------------------------


def enabled_without_key(schema: TableSchema) -> Findings:
    """Yield enabled options that only primary-key tables support."""
    if not schema.primary_keys:
        yield from ({"option": name, "hint": hint} for name, hint in _KEY_OPTIONS.items() if schema.core.value(name))


def incremental_clustering(schema: TableSchema) -> Findings:
    """Yield the reasons why a table does not support incremental clustering."""
    core = schema.core
    if not core.value("clustering.incremental"):
        return
    if schema.primary_keys:
        yield {"where": "on a table with a primary key", "hint": "Remove the option."}
    if core.bucket != -1 and core.bucket_append_ordered:
        yield {"where": "on a table with ordered buckets", "hint": "Set 'bucket-append-ordered' to 'false'."}
    if core.bucket != -1 and core.deletion_vectors_enabled:
        yield {
            "where": "on a table with buckets and deletion vectors",
            "hint": "Set 'deletion-vectors.enabled' to 'false', or 'bucket' to '-1'.",
        }


def clustering_override(schema: TableSchema) -> Findings:
    """Yield the missing requirements for sorting files by columns other than the key."""
    core = schema.core
    if not core.value("pk-clustering-override"):
        return
    whole_rows = [f"'{name}'" for name in merge_engine_names(lambda engine: not engine.combines_rows)]
    needs = {
        "'clustering.columns'": core.names("clustering.columns"),
        "'deletion-vectors.enabled' = 'true'": core.deletion_vectors_enabled or core.engine.keeps_first,
        "a table without 'record-level.expire-time'": core.record_level_expire_time is None,
        f"'merge-engine' = {' or '.join(whole_rows)}": not core.engine.combines_rows,
        "a table without 'sequence.field'": not core.sequence_field,
        "'changelog-producer' = 'none' or 'input'": core.changelog_producer in ("none", "input"),
    }
    yield from ({"need": need} for need, kept in needs.items() if not kept)


def manifest_sort_field(schema: TableSchema) -> Findings:
    """Yield the column to sort manifests by if it is not a partition column."""
    name = schema.core.text("manifest-sort.partition-field")
    if schema.core.value("manifest-sort.enabled") and name and name not in schema.partition_keys:
        yield {"column": name}


def key_indexes(schema: TableSchema) -> Findings:
    """Yield the missing requirements for the indexes of a primary-key table."""
    core = schema.core
    columns = {
        kind: [part.strip() for part in text.split(",")]
        for kind in _KEY_INDEXES
        if (text := core.text(f"{kind}.index.columns")) is not None
    }
    every = [name for names in columns.values() for name in names]
    for kind, names in columns.items():
        merges = core.deletion_vectors_enabled
        if kind in ("pk-vector", "pk-full-text"):
            merges = merges or core.engine.keeps_first
        needs = {
            "a primary key": schema.primary_keys,
            "'deletion-vectors.enabled' = 'true'": merges,
            "'deletion-vectors.merge-on-read' = 'false'": not (
                core.deletion_vectors_enabled and core.deletion_vectors_merge_on_read
            ),
            "'bucket' to be -2 or a number of buckets": core.bucket > 0 or core.bucket == -2,
            "a table without 'pk-clustering-override'": not core.value("pk-clustering-override"),
            "names of columns": all(name in schema.field_names for name in names),
            "columns that have no other index": all(every.count(name) == 1 for name in names),
            **(_needs_of_kind(schema, kind, names) if set(names) <= set(schema.field_names) else {}),
        }
        yield from ({"option": f"{kind}.index.columns", "need": need} for need, kept in needs.items() if not kept)


def _needs_of_kind(schema: TableSchema, kind: str, names: list[str]) -> dict[str, object]:
    types = [schema.field(name).type for name in names]
    if kind == "pk-full-text":
        return {"one text column": len(types) == 1 and types[0].root in _TEXTS}
    if kind != "pk-vector":
        return {}
    prefix = f"fields.{names[0]}.pk-vector."
    floats = len(types) == 1 and isinstance(types[0], VectorType) and types[0].element.root == "FLOAT"
    metric = schema.options.get(f"{prefix}distance.metric", "inner_product")
    return {
        "one column of type VECTOR<FLOAT, n>": floats,
        f"option '{prefix}index.type'": schema.options.get(f"{prefix}index.type", "").strip(),
        f"'{prefix}distance.metric' to be one of {', '.join(_METRICS)}": metric in _METRICS,
    }


# --- columns -------------------------------------------------------------------------------------------------------


def unknown_single_columns(schema: TableSchema) -> Findings:
    """Yield options that must name exactly one column, but contain something else."""
    for option in ("rowkind.field", "record-level.time-field"):
        text = schema.core.text(option)
        if text is not None and text not in schema.field_names:
            yield {"option": option, "column": text}


def member_options(schema: TableSchema) -> Findings:
    """Yield options of columns that refer to a field inside a ROW."""
    rows = {each.name for each in schema.fields if isinstance(each.type, RowType)}
    for option in schema.options:
        parts = option.split(".")
        if option.startswith(_FIELDS) and len(parts) > 3 and parts[1] in rows:
            yield {"option": option, "column": parts[1]}


def unnamed_aggregates(schema: TableSchema) -> Findings:
    """Yield columns whose aggregate function has an empty name."""
    if schema.primary_keys and schema.core.engine.combines_rows:
        for name in schema.field_names:
            function = schema.core.aggregate_function(name)
            if function is not None and not function.strip():
                yield {"column": name}


def unsupported_types(schema: TableSchema) -> Findings:
    """Yield columns that a file format of the table cannot store."""
    apart = ("BLOB", "VECTOR") if schema.core.text("vector.file.format") else ("BLOB",)
    for chosen in chosen_formats(schema.core):
        traits = find_traits(chosen.name)
        if traits is None:
            continue
        for field in schema.fields:
            unheld = None if holds(field.type, *apart) else traits.unsupported_type(field.type)
            if unheld is not None:
                yield {
                    "message": f"Option '{chosen.option}' cannot be '{chosen.text}': {traits.title} files have no "
                    f"{unheld}, so column '{field.name}' of type {field.type} cannot be written.",
                    "hint": "Change the type of the column, or use Parquet files.",
                }


def file_indexes(schema: TableSchema) -> Findings:
    """Yield the error of file indexes with unknown types, unsupported columns, or settings of undefined indexes."""
    if any(option.startswith("file-index.") for option in schema.options):
        from workbench.format.index.file_index.requests import check_index_options

        try:
            check_index_options(schema)
        except WorkbenchError as error:
            yield {"message": error.message, "hint": error.hint or "Change or remove the option."}


def vector_fields(schema: TableSchema) -> Findings:
    """Yield columns declared as vectors that have another type."""
    text = (schema.core.text("vector-field") or "").strip()
    yield from _of_other_types(schema, split_list(text) if text else [], lambda data_type: data_type.root == "VECTOR")


def blob_fields(schema: TableSchema) -> Findings:
    """Yield columns declared as large objects that have another type or two kinds of references."""
    for option in ("blob-field", "blob-descriptor-field", "blob-view-field"):
        fits = _is_blob_file_type if option == "blob-field" else _is_blob
        for finding in _of_other_types(schema, schema.core.names(option), fits):
            yield {"option": option, **finding}
    for name in set(schema.core.names("blob-view-field")) & set(schema.core.names("blob-descriptor-field")):
        yield {"option": "blob-view-field", "column": name, "what": "in 'blob-descriptor-field' too"}


def _is_blob(data_type: DataType) -> bool:
    return data_type.root == "BLOB"


def _is_blob_file_type(data_type: DataType) -> bool:
    match data_type:
        case ArrayType():
            return _is_blob(data_type.element)
        case MapType():
            return _is_blob(data_type.value)
    return _is_blob(data_type)


def upsert_keys(schema: TableSchema) -> Findings:
    """Yield columns of the upsert key that do not exist or have a nested type."""
    text = schema.options.get("upsert-key")
    yield from _of_other_types(
        schema, split_list(text) if text else [], lambda data_type: data_type.root not in _NESTED
    )


def _of_other_types(schema: TableSchema, names: Iterable[str], fits: Callable[[DataType], bool]) -> Findings:
    for name in names:
        if name not in schema.field_names:
            yield {"column": name, "what": "not a column"}
        elif not fits(schema.field(name).type):
            yield {"column": name, "what": f"of type {schema.field(name).type}"}


def map_layouts(schema: TableSchema) -> Findings:
    """Yield layouts of columns that are not a MAP, and shredded maps that files of the table cannot store."""
    for option in schema.options:
        if option.startswith(_FIELDS) and option.endswith(_LAYOUT):
            name = option[len(_FIELDS) : -len(_LAYOUT)]
            if name not in schema.field_names or not isinstance(schema.field(name).type, MapType):
                yield {"option": option, "why": f"'{name}' is not a column of type MAP"}
            elif schema.core.column_value(name, "map.storage-layout") == "shared-shredding":
                yield from ({"option": option, "why": why} for why in _unshreddable(schema, schema.field(name)))


def _unshreddable(schema: TableSchema, field: DataField) -> Iterator[str]:
    core, data_type = schema.core, field.type
    assert isinstance(data_type, MapType)
    if data_type.key.root not in _TEXTS or data_type.key.nullable:
        yield f"the keys of '{field.name}' have type {data_type.key}, not STRING NOT NULL"
    if holds(data_type.value, "BLOB", "VECTOR"):
        yield f"the values of '{field.name}' have type {data_type.value}"
    if core.bucket == -2:
        yield "the table postpones the choice of buckets"
    yield from (
        f"column '{each.name}' has type {each.type}"
        for each in schema.fields
        if holds(each.type, "VARIANT", "MULTISET")
    )
    formats = (core.file_format, *core.value("file.format.per.level").values(), core.value("changelog-file.format"))
    fitting = {each.name: each.title for each in known_traits() if each.holds_shredded_maps}
    yield from (
        f"it needs {' or '.join(fitting.values())} files, not {each}"
        for each in formats
        if each and each.lower() not in fitting
    )
    codecs = (
        core.file_compression,
        *core.value("file.compression.per.level").values(),
        core.value("changelog-file.compression"),
    )
    yield from (f"it requires files without {each}" for each in codecs if each and each.lower() not in _SHREDDED_CODECS)


# --- the start of a read -------------------------------------------------------------------------------------------


def scan_positions(schema: TableSchema) -> Findings:
    """Yield start positions of reads that the scan mode does not allow, or that it requires and that are not set."""
    core = schema.core
    mode = str(core.value("scan.mode"))
    setting = f"'scan.mode' = '{mode}'"
    if mode == "latest-delta":
        yield {"said": setting, "problem": "is unknown to Java Paimon 2.0", "hint": "Use another mode."}
    if mode == "default":
        implying = (
            (name, implied) for names, implied in _IMPLIED_MODES for name in names if core.text(name) is not None
        )
        name, mode = next(implying, ("scan.mode", mode))
        setting = f"'{name}'"
    needed, allowed = _MODES.get(mode, ((), ()))
    given = [name for name in needed if core.text(name) is not None]
    if needed and len(given) != 1:
        yield {
            "said": setting,
            "problem": f"needs exactly one of {', '.join(needed)}",
            "hint": "Set one of them for the table, or pass one of them to the read.",
        }
    for name in _POSITIONS:
        if name not in (*needed, *allowed) and core.text(name) is not None:
            yield {"said": setting, "problem": f"does not allow '{name}'", "hint": "Remove one of them."}
