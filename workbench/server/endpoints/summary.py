"""``…/tables/{table}``: the summary of a version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Client, Endpoint, Facts, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.protocol import Answer
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


def _value() -> Any:
    from workbench.lens.summary import SummaryValue

    return SummaryValue


def _read(request: VersionRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.base.failed_reads import FAILED_READS
    from workbench.lens.summary import collect_summary
    from workbench.server.entity_tags import newest_facts, schema_facts, version_facts

    table, shown = catalogs.table(request), catalogs.version(request)
    failures: Facts = [FAILED_READS.changes]
    facts = version_facts(shown), newest_facts(table), schema_facts(shown), failures
    return Reading(lambda: collect_summary(shown), facts, is_lasting=lambda summary: summary.damage is None)


async def _handle(request: VersionRequest, client: Client) -> Answer:
    names = request.table, request.database, request.catalog
    client.workbench.log.info("Paimon workbench: table %r of %r in catalog %r was opened", *names)
    return await client.ask_worker()


SUMMARY = Endpoint("summary", TABLE, VersionRequest, _value, _read, handle=_handle)
