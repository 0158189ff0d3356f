"""The second phase of a write: messages become snapshots."""
