"""Schema changes (format §3.3): the changes that users request, the schema that results, and its commit."""
