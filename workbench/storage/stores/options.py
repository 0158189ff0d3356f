"""Options of storages under the names that Paimon and Hadoop give them, as arguments of fsspec's file systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Arguments = dict[str, Any]
_PREFIX = "fsspec."


@dataclass(frozen=True)
class StoreOption:
    """An option of a storage."""

    names: tuple[str, ...]
    """Its names, without the prefixes of the storage. The first one that is given counts."""

    meaning: str
    """What it sets, for the documentation."""

    put: Callable[[Arguments, str], None]
    """Adds its value to the arguments."""

    hadoop: str | None = None
    """Its name in Hadoop's file system for the storage; None if it has no such option."""


def arguments_of(known: Sequence[StoreOption], prefixes: Sequence[str], options: Mapping[str, str]) -> Arguments:
    """Return the arguments for the options of a storage; options that it does not know are ignored.

    Args:
        known: The options of the storage.
        prefixes: The prefixes of their names; the first one counts.
        options: The options of a catalog.
    """
    arguments: Arguments = {}
    for option in known:
        names = (prefix + name for name in option.names for prefix in prefixes)
        value = next((options[name] for name in names if options.get(name)), None)
        if value is not None:
            option.put(arguments, value)
    return arguments


@dataclass(frozen=True)
class HadoopFileSystem:
    """A file system of Hadoop, by which Spark itself reaches a storage."""

    scheme: str
    """The scheme of its URLs."""

    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Its options in Hadoop's configuration."""

    missing: Sequence[str] = ()
    """The options of the storage that it does not have."""

    renames: bool = False
    """Whether it moves files without copying them."""


def hadoop_options(
    known: Sequence[StoreOption], prefixes: Sequence[str], options: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the options of a storage under Hadoop's names, and the names of those that Hadoop does not have.

    Args:
        known: The options of the storage.
        prefixes: The prefixes of their names; the first one counts. The last one is Hadoop's own, whose other options
            are kept.
        options: The options of a catalog.
    """
    names = [(option, prefix + name) for option in known for name in option.names for prefix in prefixes]
    found = {name: value for name, value in options.items() if name.startswith(prefixes[-1])}
    for _, name in names:
        found.pop(name, None)
    missing = [key for key in options if key.startswith(_PREFIX)]
    for option, name in reversed(names):
        if not options.get(name):
            continue
        if option.hadoop is None:
            missing.append(name)
        else:
            found[option.hadoop] = options[name]
    return found, missing


def argument(*path: str) -> Callable[[Arguments, Any], None]:
    """Return a function that sets an argument, or an entry of one that is a dictionary."""

    def put(arguments: Arguments, value: Any) -> None:
        for name in path[:-1]:
            arguments = arguments.setdefault(name, {})
        arguments[path[-1]] = value

    return put


def own_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments that a user passes under fsspec's names: ``fsspec.<argument>``."""
    return {key[len(_PREFIX) :]: value for key, value in options.items() if key.startswith(_PREFIX)}


def is_true(text: str) -> bool:
    """Return whether an option is switched on."""
    return text.strip().lower() == "true"
