"""System tables: what the metadata of a table says, as tables (features of Paimon's ``t$snapshots``, ``t$files`` …)."""
