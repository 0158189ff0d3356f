"""What tells one answer about a table from another, found out without reading more than a few small files."""

from __future__ import annotations

import hashlib
import json

from workbench.base.session import session_options
from workbench.base.version import VERSION
from workbench.table.snapshots import Snapshots
from workbench.table.table import Table

Fact = int | str | None
Facts = list[Fact]


def entity_tag(*facts: Facts) -> str:
    """An HTTP entity tag. Times are shown in the session's zone, and another version of the library may say more."""
    text = json.dumps([VERSION, session_options.timezone, *facts])
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def version_facts(table: Table) -> Facts:
    """The version that a table stands at. After a rollback another one may get the same id, but its list of changes has
    a name of its own."""
    version = table.version
    return [] if version is None else [version.id, version.delta_manifest_list]


def newest_facts(table: Table) -> Facts:
    """Which versions there are, from the oldest to the newest."""
    return [Snapshots(table.store).earliest_id(), *version_facts(table)]


def schema_facts(table: Table) -> Facts:
    """The schema of a version; the time tells tables apart that had the same name one after the other."""
    return [table.schema.id, table.schema.time_millis]


def tag_facts(table: Table) -> Facts:
    """All tags, and what they name."""
    facts: Facts = []
    for tag in table.tags().values():
        facts += [tag.name, tag.snapshot.id, tag.snapshot.delta_manifest_list, str(tag.created)]
    return facts
