"""``wb.connect``: from a path, a URL, a name or Paimon's catalog options to a catalog."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.base.errors import CatalogError, Unsupported, did_you_mean
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.options import option_text
from workbench.storage.file_io import file_io_for, parent, qualify

CATALOG_FILE = "paimon_catalogs.toml"
_OTHER_METASTORES = ("hive", "jdbc", "rest")


def connect(target: str | os.PathLike[str] | Mapping[str, Any] | None = None, **options: Any) -> FileSystemCatalog:
    """Open a warehouse.

    ``target``: a directory or any fsspec URL; a bare word, which is a name from the user's catalog file; or a
    mapping of Paimon's catalog options, which may also come as keyword arguments (``warehouse=…, metastore=…``).

    Raises:
        CatalogError: the path is no directory, the name is not in the catalog file, or there is no warehouse to open.
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
    return FileSystemCatalog(warehouse, file_io, given)


def _options_of(target: str) -> dict[str, str]:
    if _is_path(target):
        return {"warehouse": target}
    catalogs = read_catalog_file()
    if target not in catalogs:
        hint = did_you_mean(target, catalogs) or "A path has a slash in it: './name' or '/data/name'."
        raise CatalogError(f"There is no catalog '{target}' in {catalog_file()}.", hint)
    return catalogs[target]


def _is_path(target: str) -> bool:
    return not target or any(mark in target for mark in "/\\:") or target in (".", "..", "~")


def catalog_file() -> Path:
    """The user's catalog file. It is never looked for in a project folder, which may have come from somebody else."""
    directory = os.environ.get("JUPYTER_CONFIG_DIR") or "~/.jupyter"
    return Path(directory).expanduser() / CATALOG_FILE


def read_catalog_file() -> dict[str, dict[str, str]]:
    """The named catalogs: a TOML table of options for each. Raises CatalogError where the file is not such."""
    file = catalog_file()
    if not file.exists():
        return {}
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"{file} is not TOML: {error}.") from error
    if not all(isinstance(options, dict) for options in content.values()):
        raise CatalogError(
            f"{file} must hold one table of options for each catalog.", 'Write [name] and below it warehouse = "…".'
        )
    return {name: {key: option_text(key, value) for key, value in options.items()} for name, options in content.items()}


def _check_directory(warehouse: str) -> None:
    """A directory, or the place for a new one: a path whose parent is missing as well is a slip."""
    if os.path.isdir(warehouse):
        return
    if os.path.exists(warehouse):
        raise CatalogError(f"{warehouse} is a file, not a warehouse.", "Give the directory that holds the databases.")
    if not os.path.isdir(parent(warehouse)):
        raise CatalogError(f"There is no warehouse at {warehouse}.", f"{parent(warehouse)} does not exist either.")
