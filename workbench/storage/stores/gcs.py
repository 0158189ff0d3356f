"""Google Cloud Storage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import MethodType
from typing import Any
from urllib.parse import urlsplit

from workbench.storage.file_io import FileStatus
from workbench.storage.stores.failures import NO_BUCKET, storage_error
from workbench.storage.stores.object_store import ObjectStoreFileIO, Page
from workbench.storage.stores.options import Arguments, StoreOption, argument, arguments_of
from workbench.storage.stores.watched import Endpoint

# How often the client sends a request.
_TRIES = 3


class GcsFileIO(ObjectStoreFileIO):
    """Google Cloud Storage behind gcsfs, in which a missing bucket looks like a missing file."""

    _has_bucket = False

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file in one request."""
        try:
            super().write_bytes(path, data)
        except FileNotFoundError as error:
            raise storage_error(NO_BUCKET, self._files.host, path, error) from error

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        """Return the files and directories directly in the directory, sorted by name."""
        found = super().list_files(path, prefix)
        if not found and not self._has_bucket:
            try:
                self._files.info(self._files.split_path(path)[0])
            except FileNotFoundError as error:
                raise storage_error(NO_BUCKET, self._files.host, path, error) from error
        self._has_bucket = True
        return found

    def _pages(self, path: str, prefix: str) -> Iterator[Page]:
        """List a directory in one request for 1,000 names; gcsfs would look for a file if there are none."""
        bucket, key, _ = self._files.split_path(path)
        if not bucket:
            yield from super()._pages(path, prefix)
            return
        given = {"delimiter": "/", "prefix": f"{key}/{prefix}" if key else prefix}
        list_page = partial(self._files.inner.call, "GET", "b/{}/o", bucket, json_out=True)
        token = None
        while token or "pageToken" not in given:
            page = self._files.request(partial(list_page, **given), path)
            token = given["pageToken"] = page.get("nextPageToken")
            yield (
                [
                    *({**each, "name": f"{bucket}/{each['name']}"} for each in page.get("items", ())),
                    *({"name": f"{bucket}/{each}", "type": "directory"} for each in page.get("prefixes", ())),
                ],
                not token,
            )

    def _create(self, path: str, data: bytes) -> bool:
        try:
            return super()._create(path, data)
        except FileNotFoundError as error:
            raise storage_error(NO_BUCKET, self._files.host, path, error) from error

    def _put_marker(self, path: str) -> None:
        self.write_bytes(f"{path}/", b"")


def gcs_file_io(file_system: Any, arguments: Arguments) -> GcsFileIO:  # noqa: ARG001
    """Return the storage. `WatchedFileSystem` repeats requests; the client, which would do so for a minute, repeats
    them for a few seconds, for the parts of a file."""
    from gcsfs.retry import retry_request

    client = file_system.inner
    once = getattr(type(client)._request, "__wrapped__", None)
    if once is not None:
        client._request = MethodType(retry_request(retries=_TRIES)(once), client)
    return GcsFileIO(file_system)


def gcs_endpoint(file_system: Any, arguments: Arguments) -> Endpoint:  # noqa: ARG001
    """Return the server: Google's, or an emulator."""
    url = str(file_system._location)
    return Endpoint(urlsplit(url).netloc, url)


GCS_PREFIXES = ("fs.gs.", "gs.")
GCS_OPTIONS = (
    StoreOption(
        ("auth.service.account.json.keyfile", "google.cloud.auth.service.account.json.keyfile"),
        "The key file of a service account",
        argument("token"),
    ),
    StoreOption(("project.id",), "The project, for buckets that are created", argument("project")),
    StoreOption(("storage.root.url",), "The address of the server", argument("endpoint_url")),
)


def gcs_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments of gcsfs for Paimon's and Hadoop's options."""
    return arguments_of(GCS_OPTIONS, GCS_PREFIXES, options)
