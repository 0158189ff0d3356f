"""Definition of tables: creates schemas, checks options, and validates both as Java's ``SchemaValidation`` (format
§3).
"""
