"""The arguments with which every command of the shell opens a catalog: its name, its directory, or its options."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import workbench as wb
from workbench.base.errors import CatalogError
from workbench.catalog.kinds import KINDS

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

_NONE = "-"


def add_catalog_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments ``CATALOG``, ``--metastore`` and ``--option`` to a command."""
    parser.add_argument(
        "catalog",
        metavar="CATALOG",
        help="a directory, a URL, or a name from a catalog file; with --metastore also the name of a warehouse, or '-' "
        "if the options say it",
    )
    parser.add_argument(
        "--metastore", metavar="KIND", help=f"the kind of the catalog: {', '.join(KINDS)}; filesystem by default"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a catalog option. In its value, ${env:NAME} is replaced by a variable of the environment: arguments are "
        "visible to all users of the machine, so they should not contain secrets",
    )


def given_catalog(given: argparse.Namespace) -> Catalog:
    """Open the catalog of the arguments.

    Raises:
        CatalogError: An option has no value, or the catalog cannot be opened.
    """
    options: dict[str, Any] = dict(map(_pair, given.option))
    if given.metastore is None:
        return wb.connect(given.catalog, **options)
    options["metastore"] = given.metastore
    if given.catalog != _NONE:
        options["warehouse"] = given.catalog
    return wb.connect(options)


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        # The text may be a secret without the name of its option.
        raise CatalogError("An option has no value.", "Write --option key=value.")
    return key, value
