"""The registry of engines: a query runs on the engine that the user chose, or on the first that accepts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from workbench.base.errors import InvalidExpression, Unsupported, WorkbenchError, did_you_mean
from workbench.sql.context import Context
from workbench.sql.engines.choice import AUTO
from workbench.sql.engines.duckdb_native import prepare_native
from workbench.sql.engines.duckdb_translated import prepare_translated
from workbench.sql.engines.jar_engine import run_on_connector
from workbench.sql.engines.protocol import Engine, Prepare, Prepared, RunAsWritten
from workbench.sql.engines.spark_engine import prepare_automatic, prepare_spark
from workbench.sql.engines.views import Expanded, naming_views, with_views_expanded
from workbench.sql.statements import Select, TimeTravel
from workbench.sql.translate.values import NotTranslated

Outcome = TypeVar("Outcome")


_ENGINES: dict[str, Engine] = {}


def register_engine(engine: Engine) -> None:
    """Add an engine; `auto` tries the engines that have `Engine.automatic`, in the order in which they were added.

    Raises:
        InvalidExpression: If there is an engine of that name.
    """
    if engine.name == AUTO or engine.name in _ENGINES:
        raise InvalidExpression(f"There is already an engine '{engine.name}'.")
    _ENGINES[engine.name] = engine


def engine_names() -> tuple[str, ...]:
    """Return the names that users can choose from."""
    return (AUTO, *_ENGINES)


def chosen_engine(name: str) -> Engine | None:
    """Return the engine of that name, or None for the automatic choice.

    Raises:
        InvalidExpression: If there is no such engine.
    """
    if name == AUTO:
        return None
    engine = _ENGINES.get(name)
    if engine is None:
        names = engine_names()
        hint = did_you_mean(name, names) or f"Use {', '.join(names[:-1])} or {names[-1]}."
        raise InvalidExpression(f"There is no engine '{name}'.", hint)
    return engine


def runs_as_written(name: str, version: TimeTravel | None) -> RunAsWritten | None:
    """Return the function that runs statements as written, or None if the engine of that name runs only queries.

    Raises:
        InvalidExpression: If there is no such engine.
        Unsupported: If a version is given; for such an engine, only the statement's text can name one.
    """
    engine = chosen_engine(name)
    if engine is None or engine.run is None:
        return None
    if version is not None:
        raise Unsupported(
            f"Engine '{name}' runs statements as they are written.", "Write VERSION AS OF in the statement."
        )
    return engine.run


def without_views(context: Context, select: Select) -> Expanded:
    """Return a query in which each view of the catalog is replaced by the view's query.

    Raises:
        InvalidExpression, Unsupported: If a view cannot be read; the message names it.
    """
    return with_views_expanded(context, select, _width)


def run_on_engine(context: Context, select: Select, use: Callable[[Prepared], Outcome]) -> Outcome:
    """Return the result of calling ``use`` with the query as prepared by the engine that runs it.

    Raises:
        Unsupported: If no engine runs the query; the message names the construct, and the view whose query has it.
    """
    expanded = without_views(context, select)
    if not expanded.views:
        return _run(context, select, use)
    try:
        return _run(context, expanded.select, use)
    except WorkbenchError as error:
        raise naming_views(expanded, error, _width) from error


def _width(context: Context, select: Select) -> int:
    return _run(context, select, lambda query: query.width)


def _run(context: Context, select: Select, use: Callable[[Prepared], Outcome]) -> Outcome:
    engine = chosen_engine(context.engine)
    if engine is not None and engine.prepare is not None:
        return use(engine.prepare(context, select))
    candidates: list[Prepare] = [each.automatic for each in _ENGINES.values() if each.automatic is not None]
    for prepare in candidates[:-1]:
        try:
            return use(prepare(context, select))
        except NotTranslated as refusal:
            context = context.after_refusal(refusal)
    return use(candidates[-1](context, select))


register_engine(Engine("duckdb", prepare_native, prepare_translated, own_dialect=True))
register_engine(Engine("spark", prepare_spark, prepare_automatic))
register_engine(Engine("jar", run=run_on_connector))
