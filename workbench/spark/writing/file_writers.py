"""The two writers of data files: this library's in Python tasks, and Spark's own Parquet writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import types as spark

from workbench.base.errors import InvalidRequest, Unsupported
from workbench.commit.cleanup import removed_if_unpublished
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.table_kind import BucketMode
from workbench.spark.maintenance.buckets import with_compactions
from workbench.spark.progress import classic_context, run_job
from workbench.spark.reach import Reach, reach
from workbench.spark.session import map_in_arrow
from workbench.spark.types import spark_schema
from workbench.spark.writing import placement
from workbench.spark.writing.jvm_choice import why_not_in_jvm
from workbench.spark.writing.jvm_files import JvmFiles
from workbench.spark.writing.placement import Placement
from workbench.spark.writing.tasks import ORDER, AssignTask, WriteTask
from workbench.write.dynamic_buckets import AssignerOptions
from workbench.write.elsewhere.assigned import BUCKET, KIND

if TYPE_CHECKING:
    from workbench.base.progress import Progress
    from workbench.metadata.bucket_states import KnownBuckets
    from workbench.metadata.store import TableStore
    from workbench.table.commits.commit import Commit

_MESSAGE = "message binary"
_FILE_WRITERS = ("auto", "arrow", "jvm")
_FEW_BYTES = 1 << 20
_Publish = Callable[[Sequence[bytes | CommitMessage]], "Commit"]


@dataclass(frozen=True)
class Writing:
    """One write of the rows of `placement.project_to_table`.

    ``known`` are the buckets of the table with their files, or none for an overwrite; ``files`` selects the
    writer: auto, arrow or jvm.
    """

    rows: DataFrame
    task: WriteTask
    known: KnownBuckets
    files: str = "auto"
    progress: Progress | None = None

    def run(self, commit: _Publish) -> Commit:
        """Write the rows and commit their messages.

        Raises:
            InvalidRequest: If ``files`` is another value.
            Unsupported: If Spark's writer is requested, and cannot make the files.
        """
        chosen = self._placement()
        reached = reach(self.rows.sparkSession, self.task.store)
        reason = self._why_by_tasks(chosen, reached)
        if reason is None:
            return replace(self._by_jvm(chosen, reached, commit), writer="Spark's own writer")
        return replace(self._by_arrow(chosen, commit), writer=f"Python tasks: {reason}")

    def _placement(self) -> Placement:
        schema = self.task.store.schema
        assigns = schema.kind.bucket_mode in (BucketMode.HASH_DYNAMIC, BucketMode.KEY_DYNAMIC)
        return placement.choose_placement(schema, is_small=assigns and placement.is_small(self.rows))

    def _why_by_tasks(self, chosen: Placement, reached: Reach) -> str | None:
        """Return why Python tasks write the files; None if Spark's own writer does."""
        if self.files not in _FILE_WRITERS:
            raise InvalidRequest(
                f"Argument 'files' cannot be '{self.files}'.", f"Use one of {', '.join(_FILE_WRITERS)}."
            )
        if self.files == "arrow":
            return "argument 'files' selects them"
        store = self.task.store
        reason = why_not_in_jvm(store.schema, chosen, reached, self.task.row_kind)
        if classic_context(self.rows.sparkSession) is None:
            reason = "Spark Connect has no access to Spark's own writer"
        if self.files == "jvm" and reason is not None:
            raise Unsupported(f"Spark's writer cannot make the files of {store.name}: {reason}.", "Pass files='auto'.")
        # A small number of rows is written faster without a temporary directory.
        is_small = reason is None and self.files != "jvm" and placement.is_small(self.rows, _FEW_BYTES)
        return "there are few rows" if is_small else reason

    def _by_jvm(self, chosen: Placement, reached: Reach, commit: _Publish) -> Commit:
        store, session = self.task.store, self.rows.sparkSession
        files = JvmFiles(store, self.known, reached)
        try:
            run_job(session, self._label, lambda: files.write(self.rows, chosen), self.progress)
            messages = files.messages()
            if self.task.compacts:
                keeps = self.task.keeps_changelog
                messages = with_compactions(session, store, self.known, messages, self.progress, keeps_changelog=keeps)
        except BaseException:
            files.abort()
            raise
        finally:
            files.close()
        with removed_if_unpublished(store, messages):
            return commit(messages)

    def _by_arrow(self, chosen: Placement, commit: _Publish) -> Commit:
        written = self._messages(chosen)
        collected = run_job(self.rows.sparkSession, self._label, written.collect, self.progress)
        return commit([bytes(row.message) for row in collected])

    def _messages(self, chosen: Placement) -> DataFrame:
        """Return the messages of the tasks that write the rows."""
        rows, task, schema = self.rows, self.task, self.task.store.schema
        if chosen is not Placement.ASSIGNED:
            task = replace(task, waits=chosen is Placement.KEY)
            return map_in_arrow(placement.distributed(rows, schema, chosen), task.run, _MESSAGE)
        store, parts = _with_assigners(task.store, placement.parallelism(rows.sparkSession))
        assign = AssignTask(store, task.buckets, task.row_kind)
        assigned = map_in_arrow(placement.placed_by_key(rows, schema, parts), assign.run, _assigned_schema(store))
        task = replace(task, assigned=True, row_kind=None)
        return map_in_arrow(placement.placed_by_bucket(assigned, schema), task.run, _MESSAGE)

    @property
    def _label(self) -> str:
        return f"Writing {self.task.store.name}"


def _assigned_schema(store: TableStore) -> spark.StructType:
    added = [(BUCKET, spark.IntegerType()), (KIND, spark.ByteType()), (ORDER, spark.LongType())]
    return spark.StructType([*spark_schema(store.schema.fields), *(spark.StructField(*each) for each in added)])


def _with_assigners(store: TableStore, wanted: int) -> tuple[TableStore, int]:
    """Return the table with a number of assigners, and that number: the value of its option, or else ``wanted``."""
    schema = store.schema
    number = schema.core.dynamic_bucket_initial_buckets or wanted
    options = {**schema.options, "dynamic-bucket.initial-buckets": str(max(number, 1))}
    changed = store.with_schema(replace(schema, options=options))
    return changed, AssignerOptions.of(changed, is_limited=not schema.kind.crosses_partitions).assigners
