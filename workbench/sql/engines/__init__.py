"""The engines that run queries, and their registry."""
