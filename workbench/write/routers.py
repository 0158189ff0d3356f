"""The choice of the router for a table's bucket mode."""

from __future__ import annotations

from workbench.base.errors import Unsupported
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.metadata.bucket_states import BucketStates, KnownBuckets
from workbench.metadata.store import TableStore
from workbench.write.routing import FixedRouter, Router


def router_for(store: TableStore, buckets: BucketStates) -> Router:
    """Return the router of the table's bucket mode.

    Raises Unsupported if buckets are assigned and ``buckets`` does not know all assignments.
    """
    schema = store.schema
    if schema.is_primary_key_table and schema.core.bucket == POSTPONE_BUCKET:
        from workbench.write.postponed import PostponedRouter

        return PostponedRouter(store, buckets)
    if schema.core.bucket != -1 or not schema.is_primary_key_table:
        return FixedRouter(store, buckets)
    if not isinstance(buckets, KnownBuckets):
        raise Unsupported(
            f"{store.name} assigns buckets to its keys (option 'bucket' = '-1'), which only a single writer can do.",
            "Write it with table.write.",
        )
    # Loaded here, as few tables assign their buckets.
    if set(schema.partition_keys) <= set(schema.primary_keys):
        from workbench.write.dynamic_buckets import DynamicRouter

        return DynamicRouter(store, buckets)
    from workbench.write.cross_partition import CrossPartitionRouter

    return CrossPartitionRouter(store, buckets)
