"""Named catalogs, from the user's file and from the file of the Python environment, which its administrator writes."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench.base.errors import AlreadyExists, CatalogError, CatalogNotFound, did_you_mean
from workbench.base.modules import tempfile, tomllib
from workbench.base.secrets import HiddenSecrets
from workbench.format.options.values import option_text
from workbench.storage.file_io import qualify

CATALOG_FILE = "paimon_catalogs.toml"
# The catalog that the command `paimon-workbench demo` defines, and that its notebooks open.
DEMO_CATALOG = "demo"
Origin = Literal["user", "server"]

_writing = threading.Lock()


@dataclass(frozen=True)
class NamedCatalog:
    """Paimon's catalog options under a name. ``origin`` is the type of file that defines them."""

    name: str
    options: Mapping[str, str]
    origin: Origin


def user_catalog_file() -> Path:
    """Return the path of the user's file. Catalog files in project folders are not read, as they may not be
    trustworthy."""
    directory = os.environ.get("JUPYTER_CONFIG_DIR") or "~/.jupyter"
    return Path(directory).expanduser() / CATALOG_FILE


def server_catalog_file() -> Path:
    """Return the path of the file of the Python environment, for all of its users."""
    return Path(sys.prefix) / "etc" / "jupyter" / CATALOG_FILE


def process_catalog_files() -> list[Path]:
    """Return the paths of the catalog files of this process. They are in the directories of ``JUPYTER_CONFIG_PATH``,
    which a Jupyter server passes on to its kernels."""
    directories = os.environ.get("JUPYTER_CONFIG_PATH", "").split(os.pathsep)
    return [Path(each) / CATALOG_FILE for each in directories if each]


def named_catalogs() -> dict[str, NamedCatalog]:
    """Return all catalogs by name; the files of this process take precedence, then the user's.

    Raises:
        CatalogError: A file is not TOML, or contains anything but a table of options for each catalog.
    """
    server, user = server_catalog_file(), user_catalog_file()
    process = [each for file in reversed(process_catalog_files()) for each in _read(file, "server")]
    found = {each.name: each for each in [*_read(server, "server"), *_read(user, "user"), *process]}
    return dict(sorted(found.items()))


def named_catalog(name: str) -> NamedCatalog:
    """Return the catalog of that name. Raises CatalogNotFound, suggesting the most similar name, and CatalogError as
    `named_catalogs` does."""
    known = named_catalogs()
    if name not in known:
        raise CatalogNotFound(f"There is no catalog '{name}' in {user_catalog_file()}.", _hint(name, known))
    return known[name]


def _hint(name: str, known: Mapping[str, NamedCatalog]) -> str:
    """Return what to do about an unknown name of a catalog."""
    if name == DEMO_CATALOG:
        return f"Run: paimon-workbench demo. It creates the tables and opens JupyterLab with the catalog '{name}'."
    near = did_you_mean(name, known)
    others = f"Known catalogs: {', '.join(known)}." if known else ""
    return " ".join(filter(None, (near or others, "Paths contain a slash: './name' or '/data/name'.")))


def is_path(target: str) -> bool:
    """Return whether a string is a path or a URL; any other string is the name of a catalog."""
    return not target or any(mark in target for mark in "/\\:") or target in (".", "..", "~")


def check_catalog_name(name: str) -> str:
    """Return the name if it is valid for a catalog. Raises CatalogError."""
    if is_path(name) or name != name.strip() or not name.isprintable():
        raise CatalogError(f"{name!r} is not a valid name of a catalog.", "Use letters, digits and underscores.")
    return name


def absolute_warehouse(warehouse: str) -> str:
    """Return a directory or URL such that it does not depend on the current folder. Raises CatalogError if it is
    neither."""
    return qualify(warehouse)


def remember_catalog(name: str, options: Mapping[str, str]) -> NamedCatalog:
    """Add a catalog to the user's file. The rest of the file, including comments, is kept; readers never see a partial
    file.

    Raises:
        AlreadyExists: The user's file has a catalog of that name.
        CatalogError: The name is not valid, or the file cannot be parsed or written.
    """
    check_catalog_name(name)
    file = user_catalog_file()
    with _writing:
        if name in {each.name for each in _read(file, "user")}:
            raise AlreadyExists(f"{file} already has a catalog '{name}'.", "Choose another name.")
        try:
            # A symbolic link is kept: its target is replaced.
            _replace(Path(os.path.realpath(file)), _table(name, options))
        except OSError as error:
            raise CatalogError(f"{file} cannot be written: {error.strerror}.") from error
    return NamedCatalog(name, HiddenSecrets(options), "user")


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
            f"{file} must contain one table of options for each catalog.", 'Write [name] and below it warehouse = "…".'
        )
    return [NamedCatalog(name, HiddenSecrets(_flat(options)), origin) for name, options in content.items()]


def _flat(options: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Return the options as strings under flat keys: in TOML, an unquoted ``s3.endpoint = "…"`` creates nested
    tables."""
    flattened: dict[str, str] = {}
    for key, value in options.items():
        if isinstance(value, dict):
            flattened.update(_flat(value, f"{prefix}{key}."))
        else:
            flattened[prefix + key] = option_text(prefix + key, value)
    return flattened


def _table(name: str, options: Mapping[str, str]) -> str:
    lines = [f"[{_quoted(name)}]", *(f"{_quoted(key)} = {_quoted(value)}" for key, value in options.items())]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return text as a basic string of TOML, which can also be a key. The escapes are those of JSON, plus one for the
    delete character."""
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
            # An existing file keeps its mode; a new one stays private to the user, because options may contain
            # credentials.
            os.chmod(temporary, file.stat().st_mode & 0o777)
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise
