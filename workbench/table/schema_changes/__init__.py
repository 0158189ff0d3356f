"""Schema changes (format §3.3): what users ask for, what becomes of the schema, and how it is committed."""
