"""Azure Blob Storage, with and without a hierarchical namespace."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from workbench.storage.stores.object_store import ObjectStoreFileIO
from workbench.storage.stores.options import Arguments, StoreOption, argument, arguments_of
from workbench.storage.stores.watched import Endpoint

Result = TypeVar("Result")

# The metadata by which Hadoop and Azure's own tools mark the empty blob of a directory.
_FOLDER = "hdi_isfolder"
_OF_ACCOUNT = re.compile(
    r"^(?P<name>(?:fs\.)?azure\.(?:account\.key|sas\.fixed\.token|account\.oauth2\.client\.(?:id|secret|endpoint)))"
    r"\.(?P<account>[^.]+)(?:\..*)?$"
)


class AzureFileIO(ObjectStoreFileIO):
    """Azure Blob Storage behind adlfs."""

    def _all_entries(self, path: str, prefix: str) -> Sequence[Mapping[str, Any]]:
        """Return what a directory contains in one request; adlfs would first request whether it is a file."""
        container, directory, _ = self._files.split_path(path)
        names = f"{directory.rstrip('/')}/{prefix}" if directory else prefix

        async def entries() -> list[Any]:
            async with self._files.service_client.get_container_client(container) as client:
                return [each async for each in client.walk_blobs(name_starts_with=names, include=["metadata"])]

        # A directory with a marker is listed twice: as a prefix and as a blob.
        found: dict[str, Mapping[str, Any]] = {}
        for each in self._sent(entries, path):
            name = f"{container}/{each.name.rstrip('/')}"
            info = _info(name, each)
            if info["type"] == "directory" or name not in found:
                found[name] = info
        return list(found.values())

    def _below(self, path: str) -> tuple[Sequence[str], Sequence[str]]:
        self._files.invalidate_cache()
        root = str(self._files._strip_protocol(path)).rstrip("/")
        below = self._files.find(path, withdirs=True, detail=True)
        urls = {f"{path}{found[len(root) :]}": info for found, info in below.items() if len(found) > len(root)}
        files = [url for url, info in urls.items() if info["type"] == "file"]
        return files, [url for url, info in urls.items() if _is_folder(info)]

    def delete_directory(self, path: str) -> None:
        """Delete all blobs below a prefix, and those that mark directories."""
        _, markers = self._below(path)
        super().delete_directory(path)
        for marker in markers:
            self._delete_marker(marker)

    def _put_marker(self, path: str) -> None:
        async def upload(blob: Any) -> None:
            await blob.upload_blob(b"", overwrite=True, metadata={_FOLDER: "true"})

        self._with_blob(path, upload)

    def _delete_marker(self, path: str) -> None:
        async def delete(blob: Any) -> None:
            from azure.core.exceptions import ResourceNotFoundError

            try:
                await blob.delete_blob()
            except ResourceNotFoundError:
                return  # There is no marker: the directory was only a prefix.

        self._with_blob(path, delete)

    def _with_blob(self, path: str, request: Any) -> None:
        """Send a request about a blob of which adlfs has no method."""
        container, blob, _ = self._files.split_path(path)

        async def send() -> None:
            async with self._files.service_client.get_blob_client(container=container, blob=blob) as client:
                await request(client)

        self._sent(send, path)

    def _sent(self, send: Callable[[], Awaitable[Result]], path: str) -> Result:
        from fsspec.asyn import sync

        answer: Result = self._files.request(lambda: sync(self._files.loop, send), path)
        return answer


def _info(name: str, entry: Any) -> Mapping[str, Any]:
    """Return what fsspec knows about an entry of a listing: a blob, or a prefix of several."""
    is_marker = (getattr(entry, "metadata", None) or {}).get(_FOLDER) == "true"
    if is_marker or "BlobPrefix" in type(entry).__name__:
        return {"name": name, "type": "directory"}
    return {
        "name": name,
        "type": "file",
        "size": entry.size,
        "last_modified": entry.last_modified,
        "etag": entry.etag,
    }


def _is_folder(info: Mapping[str, Any]) -> bool:
    return info["type"] == "directory" and (info.get("metadata") or {}).get(_FOLDER) == "true"


def azure_file_io(file_system: Any, arguments: Arguments) -> AzureFileIO:  # noqa: ARG001
    """Return the storage. `WatchedFileSystem` repeats requests; the client, which would first wait for 15 seconds,
    repeats them once after two seconds, for the parts of a file."""
    policy = file_system.service_client._config.retry_policy
    policy.total_retries, policy.initial_backoff, policy.increment_base, policy.random_jitter_range = 1, 0, 2, 1
    return AzureFileIO(file_system)


def azure_endpoint(file_system: Any, arguments: Arguments) -> Endpoint:  # noqa: ARG001
    """Return the server of the account."""
    url = str(file_system.service_client.url)
    return Endpoint(urlsplit(url).netloc, url)


def _put_tenant(arguments: Arguments, value: str) -> None:
    """Take the tenant from the address of tokens: ``https://login.microsoftonline.com/<tenant>/oauth2/token``."""
    arguments["tenant_id"] = urlsplit(value).path.strip("/").split("/")[0]


AZURE_PREFIXES = ("fs.azure.", "azure.")
AZURE_OPTIONS = (
    StoreOption(("account.key",), "The key of the account", argument("account_key")),
    StoreOption(("sas.fixed.token",), "A token for shared access", argument("sas_token")),
    StoreOption(("account.oauth2.client.id",), "The id of an application", argument("client_id")),
    StoreOption(("account.oauth2.client.secret",), "Its secret", argument("client_secret")),
    StoreOption(("account.oauth2.client.endpoint",), "The address of its tokens, with the tenant", _put_tenant),
)
_SECRETS = ("account_key", "sas_token", "client_secret")


def azure_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments of adlfs for Hadoop's options, whose names may end with the host of the account:
    ``fs.azure.account.key.lake.dfs.core.windows.net``."""
    plain: dict[str, str] = {}
    account = None
    for key, value in options.items():
        match = _OF_ACCOUNT.match(key)
        plain[match.group("name") if match else key] = value
        account = match.group("account") if match else account
    arguments = arguments_of(AZURE_OPTIONS, AZURE_PREFIXES, plain)
    if account is not None and arguments:
        arguments["account_name"] = account
    if arguments.keys().isdisjoint(_SECRETS):
        # Managed identities, the environment and the command line of Azure.
        arguments["anon"] = False
    return arguments
