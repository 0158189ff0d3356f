"""The choice of the router for a table's bucket mode."""

from __future__ import annotations

from workbench.base.errors import Unsupported
from workbench.format.spec.table_kind import BucketMode
from workbench.metadata.bucket_states import BucketStates, KnownBuckets
from workbench.metadata.store import TableStore
from workbench.write.routing import FixedRouter, Router


def router_for(store: TableStore, buckets: BucketStates) -> Router:
    """Return the router of the table's bucket mode.

    Raises Unsupported if buckets are assigned and ``buckets`` does not know all assignments.
    """
    mode = store.schema.kind.bucket_mode
    if mode.is_known:
        return FixedRouter(store, buckets)
    # The others are loaded when they are chosen, as few tables need them.
    if mode is BucketMode.POSTPONE_MODE:
        from workbench.write.postponed import PostponedRouter

        return PostponedRouter(store, buckets)
    if not isinstance(buckets, KnownBuckets):
        raise Unsupported(
            f"{store.name} assigns buckets to its keys (option 'bucket' = '-1'), which only a single writer can do.",
            "Write it with table.write.",
        )
    if mode is BucketMode.HASH_DYNAMIC:
        from workbench.write.dynamic_buckets import DynamicRouter

        return DynamicRouter(store, buckets)
    from workbench.write.cross_partition import CrossPartitionRouter

    return CrossPartitionRouter(store, buckets)
