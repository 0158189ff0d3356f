"""System tables: the metadata of a table as tables (Paimon's ``t$snapshots``, ``t$files`` …)."""
