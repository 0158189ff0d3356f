"""Google Cloud Storage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.storage.stores.object_store import ObjectStoreFileIO
from workbench.storage.stores.options import Arguments

_KEY_FILES = (
    "fs.gs.auth.service.account.json.keyfile",
    "gs.auth.service.account.json.keyfile",
    "fs.gs.google.cloud.auth.service.account.json.keyfile",
)


def gcs_file_io(file_system: Any, arguments: Arguments) -> ObjectStoreFileIO:  # noqa: ARG001
    """Return the storage."""
    return ObjectStoreFileIO(file_system)


def gcs_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments of gcsfs for Paimon's options: the key file of a service account, and the project."""
    arguments: Arguments = {}
    token = next((options[key] for key in _KEY_FILES if key in options), None)
    if token is not None:
        arguments["token"] = token
    if "fs.gs.project.id" in options:
        arguments["project"] = options["fs.gs.project.id"]
    return arguments
