"""Stored values of a column whose type was altered, in its new type: the rules of Java's ``CastExecutors``."""
