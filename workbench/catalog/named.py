"""Catalogs that have a name: those of the user's file, and those of the environment's, written by whoever runs it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench.base.errors import AlreadyExists, CatalogError, CatalogNotFound, did_you_mean
from workbench.format.options.values import option_text
from workbench.storage.file_io import qualify

CATALOG_FILE = "paimon_catalogs.toml"
Origin = Literal["user", "server"]

_writing = threading.Lock()


@dataclass(frozen=True)
class NamedCatalog:
    """Paimon's catalog options under a name. ``origin``: the file that holds them."""

    name: str
    options: Mapping[str, str]
    origin: Origin


def user_catalog_file() -> Path:
    """The user's own file. Neither file is ever looked for in a project folder, which may come from somebody else."""
    directory = os.environ.get("JUPYTER_CONFIG_DIR") or "~/.jupyter"
    return Path(directory).expanduser() / CATALOG_FILE


def server_catalog_file() -> Path:
    """The file of the Python environment, for all of its users."""
    return Path(sys.prefix) / "etc" / "jupyter" / CATALOG_FILE


def named_catalogs() -> dict[str, NamedCatalog]:
    """All named catalogs, by name; the user's one counts where both files have it.

    Raises:
        CatalogError: a file is not TOML, or holds something else than a table of options for each catalog.
    """
    server, user = server_catalog_file(), user_catalog_file()
    both = [*_read(server, "server"), *_read(user, "user")]
    return {each.name: each for each in sorted(both, key=lambda each: (each.name, each.origin))}


def named_catalog(name: str) -> NamedCatalog:
    """The catalog of a name. Raises CatalogNotFound, with the nearest name; CatalogError as `named_catalogs`."""
    known = named_catalogs()
    if name not in known:
        hint = did_you_mean(name, known) or "A path has a slash in it: './name' or '/data/name'."
        raise CatalogNotFound(f"There is no catalog '{name}' in {user_catalog_file()}.", hint)
    return known[name]


def is_path(target: str) -> bool:
    """Whether a text names a place; every other text is the name of a catalog."""
    return not target or any(mark in target for mark in "/\\:") or target in (".", "..", "~")


def check_catalog_name(name: str) -> str:
    """The name, if a catalog can have it. Raises CatalogError."""
    if is_path(name) or name != name.strip() or not name.isprintable():
        raise CatalogError(f"{name!r} cannot be the name of a catalog.", "Use letters, digits and underscores.")
    return name


def absolute_warehouse(warehouse: str) -> str:
    """A directory or URL as it reads the same from every folder. Raises CatalogError where it is none."""
    return qualify(warehouse)


def remember_catalog(name: str, options: Mapping[str, str]) -> NamedCatalog:
    """Add a catalog to the user's file. What is there stays as it is, comments too; readers never see half a file.

    Raises:
        AlreadyExists: a catalog of the user has that name.
        CatalogError: the name is none, or the file cannot be understood or written.
    """
    check_catalog_name(name)
    file = user_catalog_file()
    with _writing:
        if name in {each.name for each in _read(file, "user")}:
            raise AlreadyExists(f"There is a catalog '{name}' in {file} already.", "Choose another name.")
        try:
            # A file that is a link stays one: what it points to is replaced.
            _replace(Path(os.path.realpath(file)), _table(name, options))
        except OSError as error:
            raise CatalogError(f"{file} cannot be written: {error.strerror}.") from error
    return NamedCatalog(name, dict(options), "user")


# --- the file -----------------------------------------------------------------------------------------------------


def _read(file: Path, origin: Origin) -> list[NamedCatalog]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CatalogError(f"{file} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"{file} is not TOML: {error}.") from error
    if not all(isinstance(options, dict) for options in content.values()):
        raise CatalogError(
            f"{file} must hold one table of options for each catalog.", 'Write [name] and below it warehouse = "…".'
        )
    return [NamedCatalog(name, _flat(options), origin) for name, options in content.items()]


def _flat(options: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Options as text; ``s3.endpoint = "…"`` without quotes makes tables in TOML and is the option all the same."""
    found: dict[str, str] = {}
    for key, value in options.items():
        if isinstance(value, dict):
            found.update(_flat(value, f"{prefix}{key}."))
        else:
            found[prefix + key] = option_text(prefix + key, value)
    return found


def _table(name: str, options: Mapping[str, str]) -> str:
    lines = [f"[{_quoted(name)}]", *(f"{_quoted(key)} = {_quoted(value)}" for key, value in options.items())]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A basic string of TOML, which can also be a key. It escapes as JSON does, and the delete character too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _replace(file: Path, addition: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.read_bytes() if file.exists() else b""
    between = b"\n" if not before or before.endswith(b"\n") else b"\n\n"
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as written:
            written.write((before + between if before else b"") + addition.encode())
            written.flush()
            os.fsync(written.fileno())
        if before:
            # A new file stays private to the user, as options may hold credentials.
            os.chmod(temporary, file.stat().st_mode & 0o777)
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise
