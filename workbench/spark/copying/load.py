"""COPY INTO a table: Spark reads files as strings, one job finds the rows that do not fit, and one commit writes the
rows that do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, SparkSession, functions
from pyspark.sql import types as spark

from workbench.base.counting import counted
from workbench.base.errors import InvalidRequest, SchemaMismatch, did_you_mean
from workbench.base.progress import Progress
from workbench.format.types import AtomicType, DataField
from workbench.spark.bucket import quoted
from workbench.spark.copying.file_format import FileFormat
from workbench.spark.copying.history import LoadHistory, SourceFile
from workbench.spark.progress import run_job
from workbench.spark.types import to_spark
from workbench.spark.writing.writer import write

if TYPE_CHECKING:
    from workbench.table.table import Table

ABORT, CONTINUE, SKIP_FILE = "ABORT_STATEMENT", "CONTINUE", "SKIP_FILE"
ON_ERROR = (ABORT, CONTINUE, SKIP_FILE)
# Columns in addition to the values. The values have numbered names, because the table may have a column of any name.
_FILE, _PLACE, _MALFORMED, _MISFIT = "file", "place", "malformed", "misfit"


@dataclass(frozen=True)
class Load:
    """What to load.

    Args:
        path: A file, or a directory whose files are loaded, except those in its subdirectories.
        format: The format of the files.
        columns: The columns of the table to fill; all by default.
        pattern: A regular expression that matches a part of the names of the files to load.
        force: Whether files that were already loaded are loaded again.
        on_error: What happens if a row does not fit: one of `ON_ERROR`.
    """

    path: str
    format: FileFormat
    columns: tuple[str, ...] = ()
    pattern: str | None = None
    force: bool = False
    on_error: str = ABORT


@dataclass(frozen=True)
class LoadedFile:
    """The outcome of loading a file."""

    file_name: str
    status: str
    rows_loaded: int = 0
    rows_parsed: int = 0
    errors_seen: int = 0
    first_error: str | None = None


def load_files(
    table: Table,
    load: Load,
    session: SparkSession,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> list[LoadedFile]:
    """Load files into a table in one commit, and return the outcome for each file.

    Raises:
        InvalidRequest: If a row does not fit, and errors abort the statement.
        SchemaMismatch: If the table lacks one of the columns, or a required column is missing.
    """
    fields = _target_fields(table, load.columns)
    history = LoadHistory(table.store)
    files = _listed(session, load)
    skipped = [] if load.force else [file for file in files if history.has(file)]
    chosen = [file for file in files if file not in skipped]
    results = []
    if chosen:
        rows = _read(session, load.format, chosen, fields).persist()
        try:
            found = _examined(rows, load, chosen, progress)
            good = rows.where(functions.col(_MALFORMED).isNull() & functions.col(_MISFIT).isNull())
            if load.on_error == SKIP_FILE:
                good = good.where(~functions.col(_FILE).isin([each.file_name for each in found if each.errors_seen]))
            write(_named(good, fields), table, progress=progress, properties=properties)
        finally:
            rows.unpersist()
        newest = table.scan().snapshot
        for file, result in zip(chosen, found, strict=True):
            if result.rows_loaded or not result.errors_seen:
                history.add(file, result.rows_loaded, 0 if newest is None else newest.id)
        results += found
    return results + [LoadedFile(file.name, "SKIPPED") for file in skipped]


def _target_fields(table: Table, columns: Sequence[str]) -> list[DataField]:
    """Return the fields of the table that the files fill, in the order of the statement."""
    fields = list(table.schema.fields)
    if not columns:
        return fields
    by_name = {field.name.lower(): field for field in fields}
    lowered = [name.lower() for name in columns]
    for name in columns:
        if name.lower() not in by_name:
            raise SchemaMismatch(f"Table {table.name} has no column '{name}'.", did_you_mean(name, by_name))
        if lowered.count(name.lower()) > 1:
            raise InvalidRequest(f"Column '{name}' is named twice.", "Name each column once.")
    for field in fields:
        if field.name.lower() not in lowered and not field.type.nullable and field.default_value is None:
            raise SchemaMismatch(
                f"Column '{field.name}' is NOT NULL and has no default.", "Add it to the list of columns."
            )
    return [by_name[name] for name in lowered]


def _listed(session: SparkSession, load: Load) -> list[SourceFile]:
    """Return the files of a directory, ordered by path."""
    modified = functions.unix_millis("modificationTime")
    found = session.read.format("binaryFile").load(load.path).select("path", "length", modified)
    files = sorted((SourceFile(*row) for row in found.collect()), key=lambda file: file.path)
    depth = min((file.path.count("/") for file in files), default=0)
    matches = re.compile(load.pattern or "").search
    return [file for file in files if file.path.count("/") == depth and matches(file.name)]


def _read(
    session: SparkSession, form: FileFormat, files: Sequence[SourceFile], fields: Sequence[DataField]
) -> DataFrame:
    """Return the rows of files: the numbered values of the fields, the file, and what is wrong with a row."""
    paths = [file.path for file in files]
    raw = _texts(session, form, paths, fields) if form.is_text else session.read.options(**form.options).parquet(*paths)
    given = _given_columns(raw, form, fields)
    values, problems = [], []
    for number, field in enumerate(fields):
        if field.name not in given:
            continue
        column = _without_nulls(functions.col(quoted(given[field.name])), form)
        value = _fitting(column, field)
        values.append(value.alias(_numbered(number)))
        problems.append(functions.when(column.isNotNull() & value.isNull(), functions.lit(_misfit_text(field.name))))
    malformed = functions.col(quoted(_malformed_name(fields))) if form.is_text else functions.lit(None).cast("string")
    return raw.select(
        *values,
        functions.col("_metadata.file_name").alias(_FILE),
        functions.monotonically_increasing_id().alias(_PLACE),
        malformed.alias(_MALFORMED),
        functions.coalesce(*problems, functions.lit(None).cast("string")).alias(_MISFIT),
    )


def _misfit_text(column: str) -> str:
    # This text is a value of the statement's result, worded as in Paimon's connector.
    return (
        f"Cast failure in column '{column}'. Source data contains values that cannot be converted to the target type."
    )


def _texts(session: SparkSession, form: FileFormat, paths: list[str], fields: Sequence[DataField]) -> DataFrame:
    malformed = _malformed_name(fields)
    schema = spark.StructType([spark.StructField(name, spark.StringType()) for name in _text_names(form, fields)])
    reader = session.read.schema(schema.add(malformed, spark.StringType())).options(**form.options)
    reader = reader.options(mode="PERMISSIVE", columnNameOfCorruptRecord=malformed)
    return reader.json(paths) if form.name == "JSON" else reader.csv(paths)


def _text_names(form: FileFormat, fields: Sequence[DataField]) -> list[str]:
    """Return the column names with which Spark reads text files; columns of CSV only have positions."""
    return [field.name if form.name == "JSON" else _numbered(number) for number, field in enumerate(fields)]


def _given_columns(raw: DataFrame, form: FileFormat, fields: Sequence[DataField]) -> dict[str, str]:
    """Return the file column that fills each field, by the name of the field."""
    if form.is_text:
        return dict(zip((field.name for field in fields), _text_names(form, fields), strict=True))
    by_name = {name.lower(): name for name in raw.columns}
    return {field.name: by_name[field.name.lower()] for field in fields if field.name.lower() in by_name}


def _malformed_name(fields: Sequence[DataField]) -> str:
    name = "_corrupt_record"
    while name in {field.name.lower() for field in fields}:
        name = f"_{name}"
    return name


def _without_nulls(column: Column, form: FileFormat) -> Column:
    return functions.when(~column.isin(list(form.nulls)), column) if form.nulls else column


def _fitting(column: Column, field: DataField) -> Column:
    """Return the value cast to the type of the field; NULL if it does not fit."""
    value = column.try_cast(to_spark(field.type))
    if isinstance(field.type, AtomicType) and field.type.root in ("CHAR", "VARCHAR") and field.type.length is not None:
        value = functions.when(functions.length(value) <= field.type.length, value)
        if field.type.root == "CHAR":
            value = functions.rpad(value, field.type.length, " ")
    return value


def _examined(rows: DataFrame, load: Load, files: Sequence[SourceFile], progress: Progress | None) -> list[LoadedFile]:
    """Return the outcome for each file.

    Raises:
        InvalidRequest: If a row does not fit, and errors abort the statement.
    """
    malformed, misfit = functions.col(_MALFORMED), functions.col(_MISFIT)
    place = functions.col(_PLACE)
    counts = rows.groupBy(_FILE).agg(
        functions.count(functions.lit(1)),
        functions.count_if(malformed.isNotNull() | misfit.isNotNull()),
        functions.min_by(malformed, functions.when(malformed.isNotNull(), place)),
        functions.min_by(misfit, functions.when(malformed.isNull() & misfit.isNotNull(), place)),
    )
    found = {row[0]: row[1:] for row in run_job(rows.sparkSession, "COPY INTO", counts.collect, progress)}
    results = [_result(file, found.get(file.name, (0, 0, None, None)), load.on_error) for file in files]
    wrong = next((each for each in results if each.errors_seen), None)
    if wrong is not None and load.on_error == ABORT:
        raise InvalidRequest(
            f"File {wrong.file_name} has {counted(wrong.errors_seen, 'rows')} that cannot be loaded: "
            f"{wrong.first_error}",
            "Correct them, or write ON_ERROR = CONTINUE or ON_ERROR = SKIP_FILE.",
        )
    return results


def _result(file: SourceFile, found: tuple[int, int, str | None, str | None], on_error: str) -> LoadedFile:
    parsed, errors, malformed, misfit = found
    loaded = 0 if errors and on_error == SKIP_FILE else parsed - errors
    status = "LOADED" if not errors else "PARTIALLY_LOADED" if loaded else "LOAD_FAILED"
    first = misfit if malformed is None else f"Malformed record: {malformed}"
    return LoadedFile(file.name, status, loaded, parsed, errors, first)


def _named(rows: DataFrame, fields: Sequence[DataField]) -> DataFrame:
    """Return the values under the names of their fields."""
    present = [(number, field) for number, field in enumerate(fields) if _numbered(number) in rows.columns]
    return rows.select(*(functions.col(_numbered(number)).alias(field.name) for number, field in present))


def _numbered(number: int) -> str:
    return f"value_{number}"
