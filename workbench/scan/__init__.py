"""Plan reads and run them: from a snapshot to splits, and from splits to Arrow."""
