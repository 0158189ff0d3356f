"""Conversion of Paimon's file system options (``s3.endpoint`` …) to arguments of fsspec file systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Arguments = dict[str, Any]

# Paimon reads each S3 option under three prefixes; Hadoop's own spelling is last, as the most general.
_S3_PREFIXES = ("s3.", "s3a.", "fs.s3a.")
_OSS_KEYS = {"fs.oss.endpoint": "endpoint", "fs.oss.accessKeyId": "key", "fs.oss.accessKeySecret": "secret"}


def store_arguments(scheme: str, options: Mapping[str, str]) -> Arguments:
    """Return the arguments of the file system of ``scheme``; options of other storages and of Paimon itself are
    ignored.

    Options ``fsspec.<argument>`` are passed on unchanged, for arguments that Paimon has no name for.
    """
    if scheme in ("s3", "s3a", "s3n"):
        arguments = _s3_arguments(options)
    elif scheme == "oss":
        arguments = {argument: options[key] for key, argument in _OSS_KEYS.items() if key in options}
    else:
        arguments = {}
    prefix = "fsspec."
    own = {key[len(prefix) :]: value for key, value in options.items() if key.startswith(prefix)}
    return {**arguments, **own}


def _s3_arguments(options: Mapping[str, str]) -> Arguments:
    def given(*names: str) -> str | None:
        return next((options[p + name] for name in names for p in _S3_PREFIXES if p + name in options), None)

    client: Arguments = {}
    arguments: Arguments = {}
    endpoint = given("endpoint")
    if endpoint:
        plain = _is_true(given("connection.ssl.enabled") or "true")
        arguments["endpoint_url"] = endpoint if "://" in endpoint else f"{'https' if plain else 'http'}://{endpoint}"
    for argument, names in (
        ("key", ("access-key", "access.key")),
        ("secret", ("secret-key", "secret.key")),
        ("token", ("session.token", "session-token")),
    ):
        value = given(*names)
        if value:
            arguments[argument] = value
    region = given("endpoint.region", "region")
    if region:
        client["region_name"] = region
    if client:
        arguments["client_kwargs"] = client
    path_style = given("path.style.access", "path-style-access")
    if path_style is not None:
        style = "path" if _is_true(path_style) else "virtual"
        arguments["config_kwargs"] = {"s3": {"addressing_style": style}}
    return arguments


def _is_true(text: str) -> bool:
    return text.strip().lower() == "true"
