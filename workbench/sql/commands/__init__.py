"""Statements that the library runs by itself: one module for each family."""
