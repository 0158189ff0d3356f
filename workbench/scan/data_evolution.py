"""Tables that store new values of some columns in separate files (format §26): which files belong together, and which
columns are read from each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from workbench.base.errors import CorruptFile, Unsupported
from workbench.datafile.open import open_rows, open_stored_file
from workbench.datafile.protocol import DataFile
from workbench.datafile.readers.column_files import ColumnFiles, ColumnSource, FileColumnsSource, SuccessiveFiles
from workbench.datafile.readers.columns import stored_names
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.row_tracking import TRACKING_COLUMNS
from workbench.format.spec.schema import TableSchema
from workbench.metadata.index_files import DeletionFile
from workbench.metadata.store import TableStore
from workbench.scan.split import Section
from workbench.storage.file_io import join

_BLOB_FILE = ".blob"
_VECTOR_FILE = ".vector."


def is_blob_file(file: DataFileMeta) -> bool:
    """Return whether a file holds large objects of one column."""
    return file.file_name.endswith(_BLOB_FILE)


def is_vector_file(file: DataFileMeta) -> bool:
    """Return whether a file holds vectors."""
    return _VECTOR_FILE in file.file_name


def is_normal_file(file: DataFileMeta) -> bool:
    """Return whether a file has all rows of its range; the other files each cover a part of the range."""
    return not is_blob_file(file) and not is_vector_file(file)


def row_ids(file: DataFileMeta, path: str) -> range:
    """Return the ids of the rows of a file. Raises CorruptFile if it has none."""
    if file.first_row_id is None:
        raise CorruptFile(path, "its manifest entry has no row ids, which data evolution requires")
    return range(file.first_row_id, file.first_row_id + file.row_count)


def sections_by_row_id(files: Iterable[DataFileMeta], directory: str) -> list[Section]:
    """Return the files of each range of rows, in the order of row ids: files whose ids overlap belong together
    (``DataEvolutionSplitRead.mergeRangesAndSort``). ``directory`` is the directory of the files.

    Raises:
        CorruptFile: Files contradict each other.
    """
    numbered = [(row_ids(file, _path(file, directory)), file) for file in files]
    numbered.sort(key=lambda each: (each[0].start, each[0].stop))
    ranges: list[list[DataFileMeta]] = []
    end = -1
    for ids, file in numbered:
        if ids.start >= end:
            ranges.append([])
        ranges[-1].append(file)
        end = max(end, ids.stop)
    return [_section(members, directory) for members in ranges]


def _section(files: Iterable[DataFileMeta], directory: str) -> Section:
    """Return one run for each file, in the order in which the files are searched for a column: newest first, files of
    large objects and vectors last."""
    ordered = sorted(
        files, key=lambda file: (not is_normal_file(file), is_vector_file(file), -file.max_sequence_number)
    )
    first = ordered[0]
    if not is_normal_file(first):
        raise CorruptFile(_path(first, directory), "the files with the other columns of its rows are missing")
    for file in ordered:
        if is_normal_file(file) and (file.first_row_id, file.row_count) != (first.first_row_id, first.row_count):
            raise CorruptFile(_path(file, directory), f"its row ids overlap those of {first.file_name}")
    return tuple((file,) for file in ordered)


def _path(file: DataFileMeta, directory: str) -> str:
    return file.external_path or join(directory, file.file_name)


def anchor(files: Iterable[DataFileMeta]) -> DataFileMeta:
    """Return the file that the deletion vectors of a range of rows refer to: the oldest one that has all rows."""
    return min(filter(is_normal_file, files), key=lambda file: (file.max_sequence_number, file.file_name))


def owned_columns(store: TableStore, section: Iterable[DataFileMeta], schema: TableSchema) -> dict[str, frozenset[str]]:
    """Return, by file name, the columns that are read from each file: the columns that no preceding file has. The
    columns of row tracking are read from the newest file. (Java considers only files that have a requested column, and
    uses the newest of them, so there the sequence number of a row depends on the other columns that are read.)"""
    taken: set[str] = set()
    owned = {}
    for file in filter(is_normal_file, section):
        present = frozenset(stored_names(store, file, schema)) | frozenset(TRACKING_COLUMNS)
        owned[file.file_name] = present - taken
        taken |= present
    return owned


def columns_of_files(
    store: TableStore, files: Sequence[DataFileMeta], schema: TableSchema, columns: Sequence[str]
) -> list[list[str]]:
    """Return, for each file of a section, which of the given columns are read from it. Columns that no normal file has
    are read from files of large objects and vectors."""
    owned = owned_columns(store, files, schema)
    taken = frozenset().union(*owned.values())
    there = [owned.get(file.file_name, frozenset(stored_names(store, file, schema)) - taken) for file in files]
    return [[each for each in columns if each in held] for held in there]


def open_row_range(
    store: TableStore,
    section: Section,
    path_of: Callable[[DataFileMeta], str],
    schema: TableSchema,
    deletions: Mapping[str, DeletionFile],
) -> DataFile:
    """Open the files of a section as one data file."""
    marked = anchor(file for run in section for file in run)
    deletion = deletions.get(marked.file_name)
    rows = stored_row_range(store, section, path_of, schema)
    return open_rows(store, rows, None if deletion is None else partial(deletion.read, store, marked))


def stored_row_range(
    store: TableStore, section: Section, path_of: Callable[[DataFileMeta], str], schema: TableSchema
) -> ColumnFiles:
    """Open the files of a section as one file with all rows, including deleted ones."""
    files = [file for run in section for file in run]
    newest = files[0]
    sources: list[ColumnSource] = []
    owned = owned_columns(store, files, schema)
    for file in filter(is_normal_file, files):
        opened = open_stored_file(store, path_of(file), file, schema)
        sources.append(FileColumnsSource(opened, owned[file.file_name]))
    taken = frozenset().union(*owned.values())
    ids = row_ids(newest, path_of(newest))
    sources += _blob_sources(store, list(filter(is_blob_file, files)), path_of, schema, taken, ids)
    sources += _vector_sources(store, list(filter(is_vector_file, files)), path_of, schema, taken, ids)
    return ColumnFiles(path_of(newest), newest, schema, sources, range(newest.row_count))


def _blob_sources(
    store: TableStore,
    files: Iterable[DataFileMeta],
    path_of: Callable[[DataFileMeta], str],
    schema: TableSchema,
    taken: frozenset[str],
    ids: range,
) -> list[ColumnSource]:
    columns: dict[str, list[tuple[str, DataFileMeta]]] = {}
    for file in files:
        row_ids(file, path_of(file))
        if len(file.write_cols or ()) != 1:
            raise CorruptFile(path_of(file), "its manifest entry does not say which column it holds")
        for name in stored_names(store, file, schema):
            columns.setdefault(name, []).append((path_of(file), file))
    if not columns:
        return []
    from workbench.datafile.formats.blob_reader import BlobFiles

    wanted = {name: members for name, members in columns.items() if name not in taken}
    return [BlobFiles(store, name, members, ids.start, len(ids)) for name, members in wanted.items()]


def _vector_sources(
    store: TableStore,
    files: Iterable[DataFileMeta],
    path_of: Callable[[DataFileMeta], str],
    schema: TableSchema,
    taken: frozenset[str],
    ids: range,
) -> list[ColumnSource]:
    """Return the columns of vector files; files with the same schema, format and columns hold consecutive rows
    (``VectorFileBunch``)."""
    bunches: dict[tuple[int, str, tuple[str, ...]], list[DataFileMeta]] = {}
    for file in files:
        kind = (file.schema_id, file.file_name.rpartition(".")[2], tuple(sorted(file.write_cols or ())))
        bunches.setdefault(kind, []).append(file)
    sources: list[ColumnSource] = []
    known = set(taken)
    for members in bunches.values():
        chosen = _newest_in_succession(members, path_of, ids)
        columns = frozenset(stored_names(store, chosen[0], schema)) - taken
        if columns & known:
            raise Unsupported(f"{store.name} has column '{min(columns & known)}' in vector files of different layouts.")
        known |= columns
        opened = [open_stored_file(store, path_of(file), file, schema) for file in chosen]
        starts = [row_ids(file, path_of(file)).start - ids.start for file in chosen]
        sources.append(SuccessiveFiles(opened, starts, columns))
    return sources


def _newest_in_succession(
    files: Iterable[DataFileMeta], path_of: Callable[[DataFileMeta], str], ids: range
) -> list[DataFileMeta]:
    chosen: list[DataFileMeta] = []
    end = ids.start
    for file in sorted(files, key=lambda each: (row_ids(each, path_of(each)).start, -each.max_sequence_number)):
        start = row_ids(file, path_of(file)).start
        if chosen and start < end and file.max_sequence_number < chosen[-1].max_sequence_number:
            continue
        if start != end:
            raise CorruptFile(path_of(file), "its row ids do not continue those of the preceding vector file")
        chosen.append(file)
        end = start + file.row_count
    if end != ids.stop:
        raise CorruptFile(path_of(chosen[-1]), "it and its sibling files do not cover exactly the rows of their range")
    return chosen
