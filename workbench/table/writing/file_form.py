"""How the data files of a level are made, by the options of their table (Java ``KeyValueFileWriterFactory``)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.format.core_options import CoreOptions
from workbench.format.parquet import data_file_fields
from workbench.format.schema import TableSchema
from workbench.format.stats import KEY_STATS_MODE, ModeOf, StatsMode, table_stats_modes
from workbench.table.writing.formats.protocol import FileShape

_SEQUENCE_AND_KIND = 2


@dataclass(frozen=True)
class FileForm:
    """The shape of the files, and which statistics are kept of keys and of values.

    ``own_prefix`` begins their names, where that is not the prefix of the writer's data files.
    """

    shape: FileShape
    own_prefix: str | None
    key_modes: ModeOf
    value_modes: ModeOf

    @property
    def shown_compression(self) -> str | None:
        """The codec where file names show it."""
        return self.shape.compression if self.shape.options.file_suffix_include_compression else None


def file_form(schema: TableSchema, level: int, is_changelog: bool) -> FileForm:
    """The form of files of ``level``; the levels of an append table do not matter to it.

    An append table's ``schema`` may have the columns of row tracking, where its rows bring these.
    """
    core = schema.core
    prefix = core.changelog_file_prefix if is_changelog else None
    if not schema.is_primary_key_table:
        shape = FileShape(core.file_format.lower(), tuple(schema.fields), core.file_compression, core)
        modes = table_stats_modes(core, schema.fields)
        return FileForm(shape, prefix, modes, modes)
    shape = FileShape(
        core.file_format_at(level, is_changelog),
        data_file_fields(schema, core.thin_mode),
        core.file_compression_at(level, is_changelog),
        core,
    )
    return FileForm(shape, prefix, *_keyed_modes(schema, shape, level, is_changelog))


def _keyed_modes(schema: TableSchema, shape: FileShape, level: int, is_changelog: bool) -> tuple[ModeOf, ModeOf]:
    """The modes of keys and of values. Where a file has no copies of its keys, both are those of the same columns."""
    core, keys = schema.core, {field.name for field in schema.key_fields}
    if shape.format == "avro":
        # Here the columns that Java adds are like any other: they count, and no mode of theirs is fixed.
        copies = 0 if core.thin_mode else len(keys)
        values = table_stats_modes(core, schema.fields, level, is_changelog, copies + _SEQUENCE_AND_KIND)
        return (values if core.thin_mode else table_stats_modes(core, schema.key_fields, level, is_changelog)), values
    values = table_stats_modes(core, schema.fields, level, is_changelog)
    if not core.thin_mode:
        return (lambda _: KEY_STATS_MODE), values

    def thin(name: str) -> StatsMode:
        return KEY_STATS_MODE if name in keys and not _has_own_mode(core, name) else values(name)

    return thin, thin


def _has_own_mode(core: CoreOptions, column: str) -> bool:
    return core.column_value(column, "stats-mode") is not None
