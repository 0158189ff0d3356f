"""Refusals of this library as the errors that Spark raises for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.errors import AnalysisException

from workbench.base import errors
from workbench.base.errors import WorkbenchError

# Errors that Spark detects before it runs a statement, each with a subclass that is an AnalysisException, too.
_ANALYZED: Mapping[type[WorkbenchError], type[WorkbenchError]] = {
    kind: type(kind.__name__, (kind, AnalysisException), {"__module__": kind.__module__})
    for kind in (
        errors.AlreadyExists,
        errors.CatalogError,
        errors.CatalogNotFound,
        errors.DatabaseNotFound,
        errors.InvalidExpression,
        errors.InvalidRequest,
        errors.InvalidSchema,
        errors.SchemaMismatch,
        errors.SnapshotNotFound,
        errors.TableNotFound,
        errors.UnknownOption,
        errors.Unsupported,
    )
}


@contextmanager
def refusals_of_spark() -> Iterator[None]:
    """Raise refusals of this library as errors that are an ``AnalysisException``, too."""
    try:
        yield
    except WorkbenchError as error:
        if type(error) not in _ANALYZED:
            raise
        raise _as_analysis(error).with_traceback(error.__traceback__) from error.__cause__


def _as_analysis(error: WorkbenchError) -> WorkbenchError:
    made = _ANALYZED[type(error)](error.message, error.hint)
    made.span, made.excerpt = error.span, error.excerpt
    return made
