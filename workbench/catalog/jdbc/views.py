"""The text of a view in the database, as Java's ``JdbcCatalog`` writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.base.errors import CatalogError
from workbench.catalog.descriptions import View


def view_text(view: View) -> str:
    """Return a view as the text that Java writes, down to its spaces."""
    return _indented({key: value for key, value in view.to_json().items() if value is not None})


def view_from_text(name: str, text: str) -> View:
    """Return the view in a text.

    Raises:
        CatalogError: It is not the text of a view.
    """
    try:
        return View.from_json(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CatalogError(
            f"View {name} cannot be read: its text in the catalog is not that of a view ({error})."
        ) from error


def _indented(value: Any, indent: str = "") -> str:
    """Return JSON as Jackson writes it: objects with a line for each member, arrays on one line."""
    inner = f"{indent}  "
    if isinstance(value, Mapping):
        members = [
            f"{inner}{json.dumps(key, ensure_ascii=False)} : {_indented(each, inner)}" for key, each in value.items()
        ]
        return "{\n" + ",\n".join(members) + f"\n{indent}}}" if members else "{ }"
    if isinstance(value, list | tuple):
        return f"[ {', '.join(_indented(each, indent) for each in value)} ]" if value else "[ ]"
    return json.dumps(value, ensure_ascii=False)
