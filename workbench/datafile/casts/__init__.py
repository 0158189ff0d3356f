"""Casts of stored values to the new type of an altered column, by the rules of Java's ``CastExecutors``."""
