"""The values that views display: ``collect_*`` reads a table, ``describe_*`` is pure."""
