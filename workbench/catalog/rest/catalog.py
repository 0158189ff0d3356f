"""Opening a catalog behind Paimon's REST protocol, ``metastore = rest``."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.errors import CatalogError
from workbench.base.secrets import HiddenSecrets
from workbench.catalog.catalog import Catalog
from workbench.catalog.rest.api import merged_options
from workbench.catalog.rest.metastore import RestMetastore

_METASTORE = "metastore"


def open_catalog(options: Mapping[str, str]) -> Catalog:
    """Open a catalog of a REST service with the options of ``wb.connect``.

    Args:
        options: ``uri``, ``warehouse`` (the name by which the service knows it), ``token.provider`` with its options,
            ``header.*`` for headers of all requests, and ``rest.answer-timeout``.

    Returns:
        The catalog, with the options that the service adds or prescribes.

    Raises:
        CatalogError: An option is missing, or the service does not answer or refuses the credentials.

    Example:
        >>> bearer = {"token.provider": "bear", "token": token}
        >>> wb.connect(metastore="rest", uri="https://lake", warehouse="sales", **bearer)
    """
    if options.get("uri", "").startswith("pvfs:"):
        raise CatalogError("'uri' is the address of the service, not a path.", "Write http://host:port.")
    merged = HiddenSecrets(merged_options(options))
    # What the service prescribes must not turn this into another kind of catalog.
    merged[_METASTORE] = options[_METASTORE]
    return Catalog(RestMetastore(options, merged), merged.get("warehouse", ""), options)
