"""Entity tags, made of facts about a table: reading the facts takes only a few small files, and they change whenever
the answer does."""

from __future__ import annotations

import hashlib
import json

from workbench.base.session import session_options
from workbench.base.version import VERSION
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.server.endpoint import Facts
from workbench.table.readable_table import ReadableTable


def entity_tag(*facts: Facts) -> str:
    """Return the HTTP entity tag that identifies the given facts.

    It also depends on the session's time zone, in which times are shown, and on the version of this library.
    """
    text = json.dumps([VERSION, session_options.timezone, *facts])
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def version_facts(table: ReadableTable) -> Facts:
    """Return the facts that identify the table's version: after a rollback, another snapshot may get the same id, but
    not the same delta manifest list."""
    version = table.version
    return [] if version is None else [version.id, version.delta_manifest_list]


def newest_facts(table: ReadableTable) -> Facts:
    """Return the range of snapshots, from the earliest to the newest."""
    return [Snapshots(table.store).earliest_id(), *version_facts(table)]


def schema_facts(table: ReadableTable) -> Facts:
    """Return the schema of a version; its time distinguishes a table from an earlier one of the same name."""
    return [table.schema.id, table.schema.time_millis]


def row_facts(table: ReadableTable) -> tuple[Facts, ...] | None:
    """Return what identifies the rows of a version; None for a table that is also read from another branch."""
    return None if table.schema.core.other_branches else (version_facts(table), schema_facts(table))


def tag_facts(table: ReadableTable) -> Facts:
    """Return all tags and the snapshots they point at."""
    facts: Facts = []
    for tag in Tags(table.store).all().values():
        facts += [tag.name, tag.snapshot.id, tag.snapshot.delta_manifest_list, str(tag.created)]
    return facts
