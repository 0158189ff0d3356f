"""A read explained: which files it leaves out and why, what it reads and merges, and what would be cheaper."""
