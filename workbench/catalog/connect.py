"""``wb.connect``: from a path, a URL, a name or Paimon's catalog options to a catalog."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from workbench.base.errors import CatalogError, Unsupported, did_you_mean
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.catalog.named import is_path, named_catalog
from workbench.format.options import option_text
from workbench.storage.file_io import file_io_for, parent, qualify
from workbench.storage.lock import lock_for

_OTHER_METASTORES = ("hive", "jdbc", "rest")


def connect(target: str | os.PathLike[str] | Mapping[str, Any] | None = None, **options: Any) -> FileSystemCatalog:
    """Open a warehouse.

    ``target``: a directory or any fsspec URL; a bare word, which is a name from the catalog file of the user or of the
    environment; or a mapping of Paimon's catalog options, which may also come as keyword arguments (``warehouse=…``).

    Raises:
        CatalogError: the path is no directory, the name is in no catalog file, or there is no warehouse to open.
        Unsupported: a metastore other than the file system.
    """
    given = {key: option_text(key, value) for key, value in options.items()}
    if isinstance(target, Mapping):
        given = {**{str(key): option_text(str(key), value) for key, value in target.items()}, **given}
    elif isinstance(target, str):
        given = {**_options_of(target), **given}
    elif target is not None:
        # A path object is a path, even where its text is a bare word.
        given = {"warehouse": os.fspath(target), **given}
    metastore = given.get("metastore", "filesystem")
    if metastore in _OTHER_METASTORES:
        raise Unsupported(
            f"Catalogs with 'metastore' = '{metastore}' are not supported yet.", "Open the warehouse directory."
        )
    if metastore != "filesystem":
        raise CatalogError(
            f"There is no metastore '{metastore}'.", did_you_mean(metastore, ("filesystem", *_OTHER_METASTORES))
        )
    if "warehouse" not in given:
        raise CatalogError("No warehouse is given.", "Pass its directory or URL: connect('/data/warehouse').")
    warehouse = qualify(given["warehouse"])
    file_io = file_io_for(warehouse, given)
    if file_io.is_local:
        _check_directory(warehouse)
    return FileSystemCatalog(warehouse, file_io, given, lock=lock_for(given))


def _options_of(target: str) -> Mapping[str, str]:
    return {"warehouse": target} if is_path(target) else named_catalog(target).options


def _check_directory(warehouse: str) -> None:
    """A directory, or the place for a new one: a path whose parent is missing as well is a slip."""
    if os.path.isdir(warehouse):
        return
    if os.path.exists(warehouse):
        raise CatalogError(f"{warehouse} is a file, not a warehouse.", "Give the directory that holds the databases.")
    if not os.path.isdir(parent(warehouse)):
        raise CatalogError(f"There is no warehouse at {warehouse}.", f"{parent(warehouse)} does not exist either.")
