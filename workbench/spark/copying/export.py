"""COPY INTO a directory: Spark writes the rows of a query to files."""

from __future__ import annotations

from pyspark.sql import DataFrame, Observation, functions

from workbench.base.progress import Progress
from workbench.spark.copying.file_format import FileFormat
from workbench.spark.progress import run_job


def export_rows(
    frame: DataFrame, path: str, form: FileFormat, *, overwrite: bool = False, progress: Progress | None = None
) -> tuple[int, int]:
    """Write rows to files in a directory, and return the number of files and the number of rows.

    Args:
        frame: The rows.
        path: The directory.
        form: The format of the files.
        overwrite: Whether an existing directory is replaced; otherwise it is an error.
        progress: Receives progress reports and cancels the job.
    """
    session = frame.sparkSession
    written = Observation()
    counted = frame.observe(written, functions.count(functions.lit(1)).alias("rows"))
    writer = counted.write.mode("overwrite" if overwrite else "error").options(**form.options)
    run_job(session, "COPY INTO", lambda: writer.format(form.name.lower()).save(path), progress)
    files = session.read.format("binaryFile").option("pathGlobFilter", "part-*").load(path).select("path").count()
    return files, int(written.get["rows"])
