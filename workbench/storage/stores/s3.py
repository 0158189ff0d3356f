"""Amazon S3 and storages with its protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from workbench.storage.stores.object_store import ObjectStoreFileIO
from workbench.storage.stores.options import Arguments, is_true
from workbench.storage.stores.watched import Endpoint

# Paimon reads each S3 option under three prefixes; Hadoop's own spelling is last, as the most general.
_PREFIXES = ("s3.", "s3a.", "fs.s3a.")


class S3FileIO(ObjectStoreFileIO):
    """S3 behind s3fs."""

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file in one request; s3fs would request its size first, to read parts at the same time."""
        return bytes(self._files.cat_file(path, max_concurrency=1))

    def _put_marker(self, path: str) -> None:
        self._request("put_object", path, Body=b"")

    def _delete_marker(self, path: str) -> None:
        self._request("delete_object", path)

    def _request(self, method: str, path: str, **given: Any) -> None:
        # Methods of s3fs drop the slash at the end of a path.
        bucket, key, _ = self._files.split_path(path)
        if key:
            self._files.call_s3(method, Bucket=bucket, Key=f"{key}/", **given)


def s3_file_io(file_system: Any, arguments: Arguments) -> S3FileIO:
    """Return the storage; servers other than Amazon's may ignore the condition of a write."""
    return S3FileIO(file_system, verify_condition="endpoint_url" in arguments)


def s3_endpoint(file_system: Any, arguments: Arguments) -> Endpoint:  # noqa: ARG001
    """Return the server: Amazon's, or the one of the option."""
    url = arguments.get("endpoint_url", "https://s3.amazonaws.com")
    return Endpoint(urlsplit(url).netloc, url)


def s3_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments of s3fs for Paimon's options, in all spellings."""

    def given(*names: str) -> str | None:
        return next((options[p + name] for name in names for p in _PREFIXES if p + name in options), None)

    client: Arguments = {}
    arguments: Arguments = {}
    endpoint = given("endpoint")
    if endpoint:
        encrypted = is_true(given("connection.ssl.enabled") or "true")
        arguments["endpoint_url"] = (
            endpoint if "://" in endpoint else f"{'https' if encrypted else 'http'}://{endpoint}"
        )
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
    # Requests are repeated by `WatchedFileSystem`, which knows how long that may take.
    config: Arguments = {"retries": {"max_attempts": 0}}
    path_style = given("path.style.access", "path-style-access")
    if path_style is not None:
        config["s3"] = {"addressing_style": "path" if is_true(path_style) else "virtual"}
    arguments["config_kwargs"] = config
    return arguments
