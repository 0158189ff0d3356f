"""Data files of each format, written from Arrow rows. A format is loaded with the first file that is written in it."""
