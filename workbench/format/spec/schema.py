"""The table schema and its file (format §3, Java `TableSchema` and `SchemaSerializer`); assigns field ids like Java's
`Schema`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pyarrow as pa

from workbench.base.card import Card, HasCard, shortened
from workbench.base.counting import counted
from workbench.base.errors import CorruptFile, InvalidSchema, SchemaMismatch, did_you_mean
from workbench.base.lazy import cached_property
from workbench.base.markup import printable
from workbench.base.secrets import shown_value
from workbench.format.options.core_options import CoreOptions
from workbench.format.options.values import option_text
from workbench.format.spec.table_kind import BucketMode, TableKind, kind_of
from workbench.format.types import (
    ArrayType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
    field_from_json,
    field_to_arrow,
    field_to_json,
)

CURRENT_VERSION = 3
_DIGEST_LENGTH = 32
_SHOWN_COLUMNS = 20


@dataclass(frozen=True, repr=False)
class TableSchema(HasCard):
    """One version of a table's definition.

    `highest_field_id` is the highest field id ever used, including those of nested ROW fields and dropped fields.
    `primary_keys` are as declared, including partition columns; `time_millis` is since the epoch, 0 if unknown.
    """

    id: int
    fields: tuple[DataField, ...]
    highest_field_id: int
    partition_keys: tuple[str, ...] = ()
    primary_keys: tuple[str, ...] = ()
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    comment: str | None = None
    time_millis: int = 0

    def __repr__(self) -> str:
        columns = [str(each) for each in self.fields[:_SHOWN_COLUMNS]]
        more = len(self.fields) - len(columns)
        columns += [f"{more:,} more"] if more else []
        keys = (("primary key", self.primary_keys), ("partitioned by", self.partition_keys))
        facts = [f"{name} {', '.join(names)}" for name, names in keys if names]
        return printable(f"<Schema {self.id}: {'; '.join([', '.join(columns), *facts])}>")

    def _card(self) -> Card:
        """Return the keys, options and columns."""
        facts = (
            ("comment", self.comment or ""),
            ("primary key", ", ".join(self.primary_keys)),
            ("partitioned by", ", ".join(self.partition_keys)),
            ("options", ", ".join(f"{key} = {shown_value(key, value)}" for key, value in self.options.items())),
        )
        rows = tuple((each.name, str(each.type), each.description or "") for each in self.fields)
        title = f"Schema {self.id}, {counted(len(self.fields), 'columns')}"
        card = Card(title, tuple(fact for fact in facts if fact[1]), ("column", "type", "comment"), rows)
        return shortened(card, "column")

    @property
    def is_primary_key_table(self) -> bool:
        """Whether rows with the same key are merged."""
        return bool(self.primary_keys)

    @property
    def is_bucket_unaware(self) -> bool:
        """Whether this is an append table without buckets, whose deletion vectors may be in several index files."""
        return self.kind.bucket_mode is BucketMode.BUCKET_UNAWARE

    @cached_property
    def field_names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(each.name for each in self.fields)

    @cached_property
    def _fields_by_name(self) -> dict[str, DataField]:
        return {each.name: each for each in self.fields}

    def field(self, name: str) -> DataField:
        """Return the column of that name.

        Raises:
            SchemaMismatch: If it does not exist; the message suggests the most similar name.
        """
        field = self._fields_by_name.get(name)
        if field is None:
            raise SchemaMismatch(f"There is no column '{name}'.", did_you_mean(name, self.field_names))
        return field

    @cached_property
    def trimmed_primary_keys(self) -> tuple[str, ...]:
        """The primary key without partition columns, which identifies a row inside one partition."""
        return tuple(name for name in self.primary_keys if name not in self.partition_keys)

    @cached_property
    def bucket_keys(self) -> tuple[str, ...]:
        """The columns whose hash determines the bucket: option ``bucket-key``, otherwise the trimmed primary key."""
        return self.core.bucket_key or self.trimmed_primary_keys

    @cached_property
    def key_fields(self) -> tuple[DataField, ...]:
        """The columns of the trimmed primary key, in key order."""
        return tuple(self.field(name) for name in self.trimmed_primary_keys)

    @cached_property
    def partition_fields(self) -> tuple[DataField, ...]:
        """The partition columns, in partition order."""
        return tuple(self.field(name) for name in self.partition_keys)

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of this table's rows in memory."""
        return pa.schema([field_to_arrow(each) for each in self.fields])

    @cached_property
    def core(self) -> CoreOptions:
        """The typed options."""
        return CoreOptions(self.options)

    @cached_property
    def kind(self) -> TableKind:
        """What the kind of the table decides."""
        return kind_of(self.core, self.partition_keys, self.primary_keys)

    def to_json(self) -> str:
        """Return the text of the schema file without nulls: Java reads a null comment as the text ``null``."""
        value: dict[str, Any] = {
            "version": CURRENT_VERSION,
            "id": self.id,
            "fields": [field_to_json(each) for each in self.fields],
            "highestFieldId": self.highest_field_id,
            "partitionKeys": list(self.partition_keys),
            "primaryKeys": list(self.primary_keys),
            "options": dict(self.options),
        }
        if self.comment is not None:
            value["comment"] = self.comment
        value["timeMillis"] = self.time_millis
        return json.dumps(value, indent=2, ensure_ascii=False)

    @cached_property
    def digest(self) -> str:
        """A digest of everything in the schema file, independent of the order of the options."""
        ordered = replace(self, options=dict(sorted(self.options.items())))
        # Loaded here: it is slow to import, and a reader does not need it.
        import hashlib

        return hashlib.sha256(ordered.to_json().encode()).hexdigest()[:_DIGEST_LENGTH]

    @classmethod
    def from_json(cls, text: str | bytes, path: str) -> TableSchema:
        """Return the schema from the text of its file; errors name ``path``. Unknown members are ignored.

        Files of versions 1 and 2 get the defaults of these versions: ``bucket=1`` and ``file.format=orc``.

        Raises:
            CorruptFile: If the text is not a schema.
        """
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CorruptFile(path, f"not a schema in JSON ({error})") from error
        if not isinstance(value, dict):
            raise CorruptFile(path, "not a schema: not a JSON object")
        try:
            return _schema_of(value)
        except (InvalidSchema, RecursionError) as error:
            raise CorruptFile(path, f"not a schema: {error}") from error


def _schema_of(value: dict[str, Any]) -> TableSchema:
    version = _integer(value, "version", 1)
    fields = _member(value, "fields", list)
    options = {str(key): option_text(str(key), each) for key, each in _member(value, "options", dict).items()}
    if version <= 1:
        options.setdefault("bucket", "1")
    if version <= 2:
        options.setdefault("file.format", "orc")
    comment = value.get("comment")
    schema = TableSchema(
        id=_integer(value, "id"),
        fields=tuple(field_from_json(each) for each in fields),
        highest_field_id=_integer(value, "highestFieldId"),
        partition_keys=_names(value, "partitionKeys"),
        primary_keys=_names(value, "primaryKeys"),
        options=options,
        comment=None if comment is None else str(comment),
        time_millis=_integer(value, "timeMillis", 0),
    )
    for name in (*schema.partition_keys, *schema.primary_keys):
        if name not in schema.field_names:
            raise InvalidSchema(f"key column '{name}' is not among the fields")
    return schema


def _member(value: dict[str, Any], name: str, member_type: type) -> Any:
    if not isinstance(value.get(name), member_type):
        raise InvalidSchema(f"'{name}' is missing or wrong")
    return value[name]


def _integer(value: dict[str, Any], name: str, default: int | None = None) -> int:
    number = value.get(name, default)
    if not isinstance(number, int) or isinstance(number, bool):
        raise InvalidSchema(f"'{name}' is missing or wrong")
    return number


def _names(value: dict[str, Any], name: str) -> tuple[str, ...]:
    names = _member(value, name, list)
    if not all(isinstance(each, str) for each in names):
        raise InvalidSchema(f"'{name}' has a value that is not a name")
    return tuple(names)


def assign_field_ids(fields: Iterable[DataField], highest_field_id: int) -> tuple[tuple[DataField, ...], int]:
    """Return columns with new ids, and the highest id then used (format §3.2).

    A column is numbered before the fields inside it, but each of these fields is numbered after the fields inside it
    (Java ``ReassignFieldId``). ``highest_field_id`` is the last id in use, -1 for a new table; existing ids of the
    fields are ignored.
    """
    ids = count(highest_field_id + 1)
    numbered = tuple(replace(each, id=next(ids), type=_type_with_ids(each.type, ids)) for each in fields)
    return numbered, next(ids) - 1


def _type_with_ids(data_type: DataType, ids: count[int]) -> DataType:
    if isinstance(data_type, RowType):
        typed = ((each, _type_with_ids(each.type, ids)) for each in data_type.fields)
        return replace(data_type, fields=tuple(replace(each, type=inner, id=next(ids)) for each, inner in typed))
    if isinstance(data_type, ArrayType | MultisetType | VectorType):
        return replace(data_type, element=_type_with_ids(data_type.element, ids))
    if isinstance(data_type, MapType):
        key = _type_with_ids(data_type.key, ids)
        return replace(data_type, key=key, value=_type_with_ids(data_type.value, ids))
    return data_type
