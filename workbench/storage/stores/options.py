"""Options of storages as arguments of fsspec file systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Arguments = dict[str, Any]
_PREFIX = "fsspec."


def own_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments that a user passes under fsspec's names: ``fsspec.<argument>``."""
    return {key[len(_PREFIX) :]: value for key, value in options.items() if key.startswith(_PREFIX)}


def is_true(text: str) -> bool:
    """Return whether an option is switched on."""
    return text.strip().lower() == "true"
