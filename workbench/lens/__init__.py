"""What views show, as plain values: ``collect_*`` reads a table, ``describe_*`` is pure."""
