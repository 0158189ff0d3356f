"""The files of a table that determine its versions, which a sandbox keeps as they were when it was opened."""

from __future__ import annotations

from workbench.format.spec import paths

HINTS = (paths.LATEST, paths.EARLIEST)
VERSIONS = (
    paths.TAG_DIRECTORY,
    paths.BRANCH_DIRECTORY,
    paths.CONSUMER_DIRECTORY,
    paths.CHANGELOG_DIRECTORY,
    paths.SNAPSHOT_DIRECTORY,
    paths.SCHEMA_DIRECTORY,
)
"""Directories whose files are listed, replaced and deleted. Schemas come last, because snapshots refer to them."""
