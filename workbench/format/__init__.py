"""Bytes and values: one file per on-disk structure of a Paimon table. Pure: no file system, no clock, no network."""
