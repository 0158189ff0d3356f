"""The snapshots and schemas of a table as files of its directory."""
