"""What a Hive Metastore provides for its tables, whose schemas and snapshots are files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from workbench.base.errors import CatalogError, WorkbenchError
from workbench.catalog.hive.client import MetastoreRefusedError, client_for, thrift_types
from workbench.catalog.hive.lock import HiveLock
from workbench.catalog.hive.partitions import add_partitions, drop_partitions, mark_done
from workbench.catalog.hive.settings import HiveSettings
from workbench.catalog.hive.tables import TAG_PREVIEW, TAG_TO_PARTITION, altered_table, check_tags, has_partitions
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.metadata.file_system.environment import FileSnapshotCommit, FileSystemEnvironment
from workbench.metadata.file_system.schemas import FileSystemSchemaStore
from workbench.metadata.file_system.snapshots import FileSystemSnapshotStore
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.protocol import PartitionStatistics, SnapshotCommit, TableBranch
from workbench.metadata.refs.branches import all_branches, open_branch
from workbench.metadata.refs.tag_periods import PERIODIC, TagClock, TagPeriod
from workbench.metadata.runtime import TableRuntime
from workbench.metadata.store import TableStore
from workbench.metadata.totals import spec_of
from workbench.storage.lock import CatalogLock, lock_for

_INCOMPATIBLE = "hive.metastore.disallow.incompatible.col.type.changes"
Spec = Mapping[str, str]


@dataclass(frozen=True)
class HiveEnvironment(FileSystemEnvironment):
    """Opens the files of a table, and keeps the metastore in step with its schemas and partitions."""

    settings: HiveSettings
    """How the metastore is reached."""

    locks: bool = False
    """Whether writers hold the lock of the metastore while they publish."""

    previews: bool = False
    """Whether a commit adds the partition of the tag that is created next."""

    def lock(self, options: Mapping[str, str]) -> CatalogLock:
        """Return the lock of the metastore if writers use it, or the one that the options configure."""
        return HiveLock(self.settings) if self.locks else lock_for(options)

    def schemas(self, branch: TableBranch) -> FileSystemSchemaStore:
        """Open the schema files of a branch. The metastore has the newest schema of the main branch."""
        return HiveSchemaStore(branch, self.settings) if branch.branch == paths.MAIN_BRANCH else super().schemas(branch)

    def snapshot_commit(self, branch: TableBranch) -> SnapshotCommit:
        """Return the writer of the snapshot files of a branch, which registers partitions in the metastore."""
        return HiveSnapshotCommit(self.snapshots(branch), branch, self)

    def mark_partitions_done(self, branch: TableBranch, partitions: Sequence[Spec]) -> bool:
        """Mark partitions as done in the metastore, if it has those of the table."""
        schema = self.schemas(branch).latest()
        if schema is None or not has_partitions(schema):
            return False
        mark_done(self.settings, branch.identifier, partitions)
        return True

    def snapshots_replaced(self, branch: TableBranch, before: Snapshot | None, after: Snapshot | None) -> None:
        """Add the partitions that the newest snapshot has, and remove those that it no longer has."""
        schema = self.schemas(branch).latest()
        if schema is None or not has_partitions(schema):
            return
        with warned_unless_registered(branch, f"{branch.name} has other snapshots now, but"):
            store = self._store(branch, schema)
            old, new = (
                {} if each is None else {_key(spec): spec for spec in live_specs(store, each)}
                for each in (before, after)
            )
            gone = [spec for key, spec in old.items() if key not in new]
            others = self.live_elsewhere(branch, schema) if gone else set()
            # All of them: an earlier call may have been interrupted after the snapshot was published.
            self.add(branch, list(new.values()))
            table = client_for(self.settings).call("get_table", *branch.identifier)
            drop_partitions(self.settings, table, [each for each in gone if _key(each) not in others])

    def live_elsewhere(self, branch: TableBranch, schema: TableSchema) -> set[tuple[tuple[str, str], ...]]:
        """Return the partitions that have files in other branches of a table."""
        main = replace(self._store(branch, schema), name=branch.name.partition("$")[0], branch=paths.MAIN_BRANCH)
        found: set[tuple[tuple[str, str], ...]] = set()
        for name in (paths.MAIN_BRANCH, *all_branches(main)):
            if name != branch.branch:
                other = open_branch(main, name)
                newest = other.snapshots.latest()
                found |= {_key(each) for each in live_specs(other, newest)} if newest is not None else set()
        return found

    def _store(self, branch: TableBranch, schema: TableSchema) -> TableStore:
        runtime = TableRuntime(branch.file_io, lock=branch.lock, cache=branch.cache, environment=self)
        return TableStore(branch.name, branch.location, schema, runtime, branch.branch)

    def live(self, branch: TableBranch, schema: TableSchema, snapshot: Snapshot) -> set[tuple[tuple[str, str], ...]]:
        """Return the partitions that have files in a snapshot of a branch, or in another branch."""
        here = {_key(each) for each in live_specs(self._store(branch, schema), snapshot)}
        return here | self.live_elsewhere(branch, schema)

    def register_tags(self, branch: TableBranch, schema: TableSchema, names: Sequence[str]) -> None:
        """Add tags as partitions, if the table says so. Hive reads those of the main branch only."""
        field_name = tag_field(branch, schema)
        if field_name is not None:
            with warned_unless_registered(branch, f"Tag {', '.join(names)} of {branch.name} exists, but"):
                self.add(branch, [{field_name: each} for each in names])

    def unregister_tags(self, branch: TableBranch, schema: TableSchema, names: Sequence[str]) -> None:
        """Remove the partitions of tags."""
        field_name = tag_field(branch, schema)
        if field_name is not None:
            table = client_for(self.settings).call("get_table", *branch.identifier)
            drop_partitions(self.settings, table, [{field_name: each} for each in names])

    def add(self, branch: TableBranch, specs: Sequence[Spec]) -> None:
        """Add partitions of a table. Raises CatalogError if the metastore does not answer, or refuses."""
        add_partitions(self.settings, client_for(self.settings).call("get_table", *branch.identifier), specs)


@contextmanager
def warned_unless_registered(branch: TableBranch, done: str) -> Iterator[None]:
    """Warn if partitions cannot be registered after something is ``done`` that they show: `sys.repair` adds them."""
    try:
        yield
    except (WorkbenchError, OSError) as error:
        database, table = branch.identifier
        warnings.warn(
            f"{done} its partitions are not registered in Hive Metastore: {error} "
            f"CALL sys.repair('{database}.{table}') registers them.",
            RuntimeWarning,
            stacklevel=7,
        )


def tag_field(branch: TableBranch, schema: TableSchema) -> str | None:
    """Return the partition column that has the tags of a branch as values; None if there is none."""
    if branch.branch != paths.MAIN_BRANCH or schema.partition_keys:
        return None
    return schema.options.get(TAG_TO_PARTITION)


def previewed_tag(schema: TableSchema, snapshot: Snapshot) -> str | None:
    """Return the automatic tag that is created when the period of a snapshot is over; None if it is not previewed."""
    creation = schema.core.value(TAG_PREVIEW)
    if creation not in PERIODIC:
        return None
    moment = TagClock.of(schema.core, creation).time(snapshot)
    period = TagPeriod.of(schema.core)
    return None if moment is None else period.name(period.current(moment))


class HiveSchemaStore(FileSystemSchemaStore):
    """The schema files of a table, which decide; the metastore has a copy of the newest one."""

    def __init__(self, branch: TableBranch, settings: HiveSettings) -> None:
        super().__init__(branch)
        self._settings = settings

    def publish(self, schema: TableSchema, changes: Sequence[object] = ()) -> bool:
        """Write the schema if its id is free, then change the table in the metastore.

        Raises:
            CatalogError: The metastore refuses the change, which is undone; or it does not answer, and it is not known
                whether it has the change, which the files of the table have.
            Unsupported, InvalidSchema: The metastore cannot have such columns; nothing is changed.
        """
        before = {} if schema.id == 0 else self.get(schema.id - 1).options
        check_tags(self._branch.name, schema, None if schema.id == 0 else before)
        removed = set(before) - set(schema.options)
        current = client_for(self._settings).call("get_table", *self._branch.identifier)
        altered_table(current, schema, removed, self._settings)
        if not super().publish(schema, changes):
            return False
        try:
            alter_in_metastore(self._settings, self._branch.identifier, schema, removed)
        except MetastoreRefusedError as error:
            raise self._undone(schema, error) from error
        except CatalogError as error:
            database, table = self._branch.identifier
            raise CatalogError(
                f"{self._branch.name} has a new schema, but it is not known whether Hive Metastore has it: {error}",
                f"Run CALL sys.repair('{database}.{table}') when the metastore answers.",
            ) from error
        return True

    def _undone(self, schema: TableSchema, error: MetastoreRefusedError) -> CatalogError:
        """Delete a schema that the metastore refuses, unless it is in use already; return the error to raise."""
        hint = (
            f"If columns were moved or changed their types, start the metastore with '{_INCOMPATIBLE}' = 'false'."
            if "incompatible" in str(error)
            else "The schema of the table has not changed."
        )
        newest = FileSystemSnapshotStore(self._branch).latest()
        if self.latest_id() != schema.id or (newest is not None and newest.schema_id == schema.id):
            hint = "The new schema is in use already and was kept; run CALL sys.repair when the cause is removed."
        else:
            self._branch.file_io.delete(self.path(schema.id))
        return CatalogError(f"{self._branch.name} was not altered: {error}", hint)


def alter_in_metastore(
    settings: HiveSettings, identifier: tuple[str, str], schema: TableSchema, removed: set[str]
) -> None:
    """Change a table in the metastore to a newer schema; what others changed in it before is kept."""
    client, types = client_for(settings), thrift_types()
    table = client.call("get_table", *identifier)
    keeps_stats = settings.skip_update_stats or table.parameters.get("DO_NOT_UPDATE_STATS") == "true"
    context = {"DO_NOT_UPDATE_STATS": str(keeps_stats).lower()}
    if settings.cascade:
        context["CASCADE"] = "true"
    client.call(
        "alter_table_with_environment_context",
        *identifier,
        altered_table(table, schema, removed, settings),
        types.EnvironmentContext(properties=context),
    )


class HiveSnapshotCommit(FileSnapshotCommit):
    """Publishes snapshots as files, then registers their new partitions in the metastore."""

    def __init__(self, files: FileSystemSnapshotStore, branch: TableBranch, environment: HiveEnvironment) -> None:
        super().__init__(files)
        self._branch = branch
        self._environment = environment

    def commit(
        self,
        snapshot: Snapshot,
        base: Snapshot | None,
        statistics: Callable[[], Sequence[PartitionStatistics]],
    ) -> bool:
        """Write the file of the snapshot if its id is free. If its partitions cannot be registered, this warns: the
        snapshot is published, and the next `sys.repair` registers them."""
        if not super().commit(snapshot, base, statistics):
            return False
        with warned_unless_registered(self._branch, f"Snapshot {snapshot.id} of {self._branch.name} is published, but"):
            if snapshot.commit_kind in (CommitKind.APPEND, CommitKind.OVERWRITE):
                self._register(snapshot, statistics())
            if self._environment.previews:
                self._preview(snapshot)
        return True

    def _preview(self, snapshot: Snapshot) -> None:
        """Add the partition of the tag whose period has begun, so that Hive can read it before the tag exists."""
        schema = self._environment.schemas(self._branch).get(snapshot.schema_id)
        name = previewed_tag(schema, snapshot)
        field_name = tag_field(self._branch, schema)
        if field_name is not None and name is not None:
            self._environment.add(self._branch, [{field_name: name}])

    def _register(self, snapshot: Snapshot, changed: Sequence[PartitionStatistics]) -> None:
        """Add the partitions that a snapshot wrote, and remove those that it emptied."""
        if not any(each.spec for each in changed):
            return
        schema = self._environment.schemas(self._branch).get(snapshot.schema_id)
        if not has_partitions(schema):
            return
        grown = [each.spec for each in changed if each.file_count > 0]
        others = [each.spec for each in changed if each.file_count <= 0]
        empty: list[Spec] = []
        if others:
            live = self._environment.live(self._branch, schema, snapshot)
            grown += [each for each in others if _key(each) in live]
            empty = [each for each in others if _key(each) not in live]
        settings = self._environment.settings
        table = client_for(settings).call("get_table", *self._branch.identifier)
        add_partitions(settings, table, grown)
        drop_partitions(settings, table, empty)


def live_specs(store: TableStore, snapshot: Snapshot) -> list[dict[str, str]]:
    """Return the partitions that have files in a snapshot."""
    partitions = {entry.partition for entry in ManifestFiles(store).live_files(snapshot)}
    return [spec_of(store, partition) for partition in sorted(partitions)]


def _key(spec: Spec) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(spec.items()))
