"""The layout of the data files of a level, by the options of their table (Java ``KeyValueFileWriterFactory``)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.datafile.file_format import FileFormat
from workbench.datafile.formats.registry import find_file_format
from workbench.datafile.writer_protocol import FileShape
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file_fields import data_file_fields
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.stats import KEY_STATS_MODE, ModeOf, StatsMode, table_stats_modes
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind

_SEQUENCE_AND_KIND = 2


@dataclass(frozen=True)
class FileLayout:
    """The format and the shape of the files, and which statistics are kept of keys and of values.

    ``own_prefix`` is the prefix of their names if it differs from that of the writer's data files.
    """

    format: FileFormat
    shape: FileShape
    own_prefix: str | None
    key_modes: ModeOf
    value_modes: ModeOf

    @property
    def shown_compression(self) -> str | None:
        """The codec, if file names contain it."""
        return self.shape.compression if self.shape.options.file_suffix_include_compression else None


def file_layout(schema: TableSchema, level: int, is_changelog: bool) -> FileLayout:
    """Return the layout of files of ``level``, which is irrelevant in append tables.

    An append table's ``schema`` may include the columns of row tracking, if its rows have them.
    """
    prefix = schema.core.changelog_file_prefix if is_changelog else None
    layout = schema.kind.choose({KeyValueKind: _keyed_layout, AppendOnlyKind: _append_layout})
    return layout(schema, level, is_changelog, prefix)


def _append_layout(schema: TableSchema, _: int, __: bool, prefix: str | None) -> FileLayout:
    core = schema.core
    file_format = find_file_format(core.file_format, "Option 'file.format'")
    shape = FileShape(file_format.traits, tuple(schema.fields), core.file_compression, core)
    modes = table_stats_modes(core, schema.fields)
    return FileLayout(file_format, shape, prefix, modes, modes)


def _keyed_layout(schema: TableSchema, level: int, is_changelog: bool, prefix: str | None) -> FileLayout:
    core = schema.core
    option = "changelog-file.format" if is_changelog else "file.format.per.level"
    file_format = find_file_format(
        core.file_format_at(level, is_changelog), f"Level {level} (option 'file.format' or '{option}')"
    )
    shape = FileShape(
        file_format.traits,
        data_file_fields(schema, core.thin_mode),
        core.file_compression_at(level, is_changelog),
        core,
    )
    return FileLayout(file_format, shape, prefix, *_keyed_modes(schema, shape, level, is_changelog))


def _keyed_modes(schema: TableSchema, shape: FileShape, level: int, is_changelog: bool) -> tuple[ModeOf, ModeOf]:
    """Return the statistics modes of keys and of values. If a file has no copies of its keys, both are for the same
    columns."""
    core, keys = schema.core, {field.name for field in schema.key_fields}
    if not shape.format.has_key_stats_mode:
        # In these formats, the columns that Java adds are like any other: they count, and their mode is not fixed.
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
