"""What the server answers with: the one list from which the types of the browser's side are made."""

from __future__ import annotations

from typing import Any

from workbench.lens.catalog import CatalogsValue, CatalogValue, DatabaseValue, Page, TableEntryValue
from workbench.lens.environment import EnvironmentValue
from workbench.lens.error import ErrorValue
from workbench.lens.levels import LevelsValue
from workbench.lens.schema import SchemaHistoryValue
from workbench.lens.summary import SummaryValue
from workbench.lens.timeline import TimelineValue

RESPONSES: dict[str, Any] = {
    "environment": EnvironmentValue,
    "catalogs": CatalogsValue,
    "add_catalog": CatalogValue,
    "databases": Page[DatabaseValue],
    "tables": Page[TableEntryValue],
    "summary": SummaryValue,
    "schema": SchemaHistoryValue,
    "timeline": TimelineValue,
    "levels": LevelsValue,
    "error": ErrorValue,
}
"""The answer to each kind of request, and to one that fails. What an answer is made of is found by its types."""
