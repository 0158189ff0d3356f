"""``…/tables/{table}/explain``: which files a read leaves out and why, what it reads, and what would be cheaper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import Limit, QueryFlag, Text
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs

_FEW_FILES = 10


@dataclass(frozen=True)
class ExplainRequest(VersionRequest):
    """A read of the rows that match ``where``, or of all rows if it is empty. At most ``limit`` of the files that
    ``step`` excludes are listed. With ``run``, the rows are read and counted; with ``footers``, the footers of all
    files are read."""

    where: Text = ""
    step: Text | None = None
    limit: Limit = _FEW_FILES
    run: QueryFlag = False
    footers: QueryFlag = False


def _value() -> Any:
    from workbench.lens.explain.value import ExplainValue

    return ExplainValue


def _read(request: ExplainRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.explain.collect import FOOTERS, collect_explain
    from workbench.server.entity_tags import row_facts

    shown = catalogs.version(request)
    return Reading(
        lambda: collect_explain(
            shown,
            request.where,
            run=request.run,
            footers=None if request.footers else FOOTERS,
            step=request.step,
            limit=request.limit,
            progress=catalogs.progress,
        ),
        row_facts(shown),
    )


EXPLAIN = Endpoint("explain", f"{TABLE}/explain", ExplainRequest, _value, _read)
