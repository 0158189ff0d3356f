"""Evaluation of a predicate with the indexes of data files (format §22), stored in a separate file or in the manifest
entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from workbench.base.errors import CorruptFile
from workbench.base.parallel import parallel_map
from workbench.datafile.readers.columns import stored_names
from workbench.expr.expressions import Expr
from workbench.expr.file_index import IndexesOf, rows_that_may_match
from workbench.expr.widening import keeps_keys
from workbench.format.file_formats.registry import find_traits
from workbench.format.index.file_index.container import Bodies, read_file_index
from workbench.format.index.file_index.indexes import open_index
from workbench.format.index.file_index.keys import KeyKind, key_kind
from workbench.format.index.file_index.row_index import RowIndex
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.paths import FILE_INDEX_SUFFIX, file_format_of
from workbench.format.spec.schema import TableSchema
from workbench.metadata.errors import reading
from workbench.metadata.store import TableStore
from workbench.storage.file_io import join, name, parent

_READERS = 8
_READ_WITHOUT = "To read without file indexes, set option 'file-index.read.enabled' to 'false'."


@dataclass(frozen=True)
class FileIndexes:
    """The file indexes for one predicate, bound to ``schema``."""

    store: TableStore
    schema: TableSchema
    where: Expr

    def may_match(self, paths: Sequence[str], files: Sequence[DataFileMeta]) -> list[bool]:
        """Return whether each data file may have matching rows: False only if no row can satisfy the predicate.

        Raises:
            CorruptFile: An index is missing or corrupt; the error names the index file, or the data file whose manifest
                entry contains it.
        """
        return parallel_map(self._may_match, zip(paths, files, strict=True), workers=_READERS)

    def _may_match(self, file_at: tuple[str, DataFileMeta]) -> bool:
        path, file = file_at
        beside, stored = index_path(path, file), stored_index(self.store, path, file)
        if stored is None:
            return True
        try:
            bodies = read_file_index(stored)
            if bodies is None:
                return True
            matching = rows_that_may_match(self.where, self._indexes(file, name(path), bodies), file.row_count)
        except ValueError as error:
            what = "the file index in its manifest entry" if beside is None else "the file index"
            raise CorruptFile(beside or path, f"{what} is corrupt ({error})", _READ_WITHOUT) from error
        return matching is None or bool(matching)

    def kinds(self, path: str, file: DataFileMeta, columns: Iterable[str]) -> list[tuple[str, str]]:
        """Return the indexes that a data file has for some columns, as pairs of column and index type."""
        stored = stored_index(self.store, path, file)
        bodies = None if stored is None else read_file_index(stored)
        names = stored_names(self.store, file, self.schema)
        return [(each, kind) for each in columns if each in names for kind in (bodies or {}).get(names[each], {})]

    def _indexes(self, file: DataFileMeta, file_name: str, bodies: Bodies) -> IndexesOf:
        """Return a function that finds the indexes of a column. They are stored under the name and type that the column
        had when the file was written."""
        written = {each.id: each for each in self.store.schema_of(file.schema_id).fields}
        traits = find_traits(file_format_of(file_name) or "")
        trims_char = traits is None or traits.trims_char

        @cache
        def find(column: str) -> tuple[KeyKind, Sequence[RowIndex]] | None:
            now = self.schema.field(column)
            then = written.get(now.id)
            kind = None if then is None else key_kind(then.type)
            if then is None or kind is None or not keeps_keys(then.type, now.type):
                return None
            if then.type.root == "CHAR" and trims_char:
                # Java trims such values when it reads them, but not when it builds the index (format §29.39).
                return None
            opened = (open_index(*each, kind, file.row_count) for each in bodies.get(then.name, {}).items())
            return kind, [index for index in opened if index is not None]

        return find


def index_path(path: str, file: DataFileMeta) -> str | None:
    """Return the path of the index file of a data file; an index in the manifest entry has precedence, as in Java."""
    names = [each for each in file.extra_files if each.endswith(FILE_INDEX_SUFFIX)]
    return None if file.embedded_index is not None or not names else join(parent(path), names[0])


def stored_index(store: TableStore, path: str, file: DataFileMeta) -> bytes | None:
    """Return the bytes of a data file's indexes, which are cached; None if it has none. Raises CorruptFile if they are
    missing."""
    beside = index_path(path, file)
    if beside is None:
        return file.embedded_index

    def load() -> bytes:
        with reading(beside):
            return store.file_io.read_bytes(beside)

    return store.cache.get_or_load(beside, load, len)
