"""The storages of a warehouse by the schemes of their URLs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import CatalogError
from workbench.storage.disk_cache import DiskCachedFileIO
from workbench.storage.file_io import FileIO, scheme
from workbench.storage.fsspec_io import FsspecFileIO
from workbench.storage.stores.azure import azure_arguments, azure_endpoint, azure_file_io
from workbench.storage.stores.gcs import gcs_arguments, gcs_endpoint, gcs_file_io
from workbench.storage.stores.hdfs import hdfs_arguments, hdfs_endpoint, hdfs_file_io, hdfs_hadoop
from workbench.storage.stores.memory import memory_file_io
from workbench.storage.stores.options import Arguments, HadoopFileSystem, own_arguments
from workbench.storage.stores.oss import oss_arguments, oss_endpoint, oss_file_io, oss_files
from workbench.storage.stores.s3 import (
    cos_arguments,
    obs_arguments,
    s3_arguments,
    s3_endpoint,
    s3_file_io,
    s3_files,
    s3_hadoop,
)
from workbench.storage.stores.watched import Endpoint, WatchedFileSystem


@dataclass(frozen=True)
class Store:
    """A kind of storage."""

    schemes: tuple[str, ...]
    """The schemes of its URLs, in lower case."""

    file_io: Callable[[Any, Arguments], FileIO]
    """Returns the storage for a file system of fsspec and its arguments."""

    arguments: Callable[[Mapping[str, str]], Arguments] = lambda _: {}
    """Returns the arguments of the file system for options under Paimon's and Hadoop's names; others are ignored."""

    file_system: Callable[[Arguments], Any] | None = None
    """Returns the file system; None if fsspec has it."""

    endpoint: Callable[[Any, Arguments], Endpoint] | None = None
    """Returns the server of a file system; None if there is none."""

    protocol: str | None = None
    """The scheme by which fsspec knows the file system; None if that is the scheme of the URL."""

    hadoop: Callable[[Mapping[str, str]], HadoopFileSystem] | None = None
    """Returns Hadoop's file system for the storage and the options of a catalog; None if Spark does not use one."""

    is_object_store: bool = True
    """Whether directories are prefixes of names. Listings of these are cached by fsspec unless this is prevented."""


def _directories(file_system: Any, arguments: Arguments) -> FileIO:  # noqa: ARG001
    return FsspecFileIO(file_system)


_OTHER = Store((), _directories, is_object_store=False)
STORES: dict[str, Store] = {}


def register_store(store: Store) -> None:
    """Add a kind of storage.

    Raises:
        ValueError: Another one has a scheme of it.
    """
    for each in store.schemes:
        if each in STORES:
            raise ValueError(f"There already is a storage for '{each}:'.")
        STORES[each] = store


register_store(Store(("s3", "s3a", "s3n"), s3_file_io, s3_arguments, s3_files, s3_endpoint, "s3", s3_hadoop))
register_store(Store(("obs",), s3_file_io, obs_arguments, s3_files, s3_endpoint, protocol="s3"))
register_store(Store(("cosn", "cos"), s3_file_io, cos_arguments, s3_files, s3_endpoint, protocol="s3"))
register_store(Store(("gs", "gcs"), gcs_file_io, gcs_arguments, endpoint=gcs_endpoint))
_AZURE = ("abfs", "abfss", "az", "wasb", "wasbs")
register_store(Store(_AZURE, azure_file_io, azure_arguments, endpoint=azure_endpoint, protocol="abfs"))
register_store(Store(("oss",), oss_file_io, oss_arguments, oss_files, oss_endpoint))
register_store(
    Store(("hdfs",), hdfs_file_io, hdfs_arguments, endpoint=hdfs_endpoint, hadoop=hdfs_hadoop, is_object_store=False)
)
register_store(Store(("memory",), memory_file_io))


# URLs that are names of tables, and what to do with them.
_NAMES_OF_TABLES = {
    "pvfs": "Open the table in its catalog: connect(metastore='rest', uri=…).get_table('database.table'). fsspec opens "
    "single files of tables by such URLs."
}


def open_store(location: str, options: Mapping[str, str]) -> FileIO:
    """Return the storage of the URL ``location``.

    Raises:
        CatalogError: fsspec does not support this storage, or its package is not installed.
    """
    import fsspec

    kind = scheme(location)
    if kind in _NAMES_OF_TABLES:
        raise CatalogError(f"'{location}' is the name of a table, not its directory.", _NAMES_OF_TABLES[kind])
    store = STORES.get(kind, _OTHER)
    arguments = store_arguments(kind, options)
    if store.file_system is None and store.is_object_store:
        # Files of other writers must be visible immediately. Storages without a listings cache may not accept this.
        arguments["use_listings_cache"] = False
    try:
        if store.file_system is not None:
            file_system = store.file_system(arguments)
        else:
            file_system, _ = fsspec.core.url_to_fs(_as_known(location, store.protocol), **arguments)
    except ImportError as error:
        raise CatalogError(f"'{kind}://' requires a package that is not installed.", str(error)) from error
    except ValueError as error:
        raise CatalogError(f"There is no file system for '{location}'.", str(error)) from error
    if store.protocol is not None:
        _know_schemes(file_system, store)
    if store.endpoint is None:
        return store.file_io(file_system, arguments)
    endpoint = store.endpoint(file_system, arguments)
    file_io = store.file_io(WatchedFileSystem(file_system, endpoint), arguments)
    return DiskCachedFileIO(file_io, endpoint.host)


def _as_known(location: str, protocol: str | None) -> str:
    """Return a URL with the scheme that fsspec knows."""
    return location if protocol is None else f"{protocol}:{location.partition(':')[2]}"


def _know_schemes(file_system: Any, store: Store) -> None:
    """Let a file system find the names in URLs with all schemes of its storage."""
    strip = type(file_system)._strip_protocol
    pattern = re.compile(f"^(?:{'|'.join(store.schemes)}):(?=//)")

    def strip_any(path: Any) -> Any:
        if isinstance(path, list):
            return [strip_any(each) for each in path]
        return strip(pattern.sub(f"{store.protocol}:", path))

    file_system._strip_protocol = strip_any


def hadoop_file_system(location: str, options: Mapping[str, str]) -> HadoopFileSystem | None:
    """Return Hadoop's file system for the storage of a URL; None if Spark does not use one."""
    store = STORES.get(scheme(location), _OTHER)
    return None if store.hadoop is None else store.hadoop(options)


def store_arguments(kind: str, options: Mapping[str, str]) -> Arguments:
    """Return the arguments of the file system of a scheme; options of other storages and of Paimon itself are ignored.

    Options ``fsspec.<argument>`` are passed on unchanged, for arguments that Paimon has no name for.
    """
    return {**STORES.get(kind, _OTHER).arguments(options), **own_arguments(options)}


def is_object_store(location: str) -> bool:
    """Return whether a location is in an object store, in which directories are prefixes of names.

    Args:
        location: A path or URL.
    """
    return STORES.get(scheme(location), _OTHER).is_object_store
