"""The settings of a session that give SQL another meaning than the one with which this library evaluates it, and their
values in statements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.base.zones import is_known_zone
from workbench.spark.guest_session import as_active_session
from workbench.spark.zone import ZONE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The values with which this library evaluates expressions as Spark does.
_EVALUATION = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.readSideCharPadding": "true",
    "spark.sql.storeAssignmentPolicy": "ansi",
    "spark.sql.timestampType": "timestamp_ltz",
}
# The values with which this library reads the text of statements as Spark does.
_TEXT = {
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
}
# All settings that restore how Spark worked earlier, except for those that no expression of this library depends on.
_LEGACY = "spark.sql.legacy."
_HARMLESS = ("spark.sql.legacy.timeParserPolicy", "spark.sql.legacy.createHiveTableByDefault")


def why_only_spark(settings: Mapping[str, str]) -> str | None:
    """Return the setting that lets only Spark evaluate the statements of a session; None if this library evaluates them
    in the same way.

    Args:
        settings: The settings of the session.

    Example:
        >>> why_only_spark({"spark.sql.ansi.enabled": "false"})
        "'spark.sql.ansi.enabled' = 'false'"
    """
    zone = settings.get(ZONE)
    if zone is not None and not is_known_zone(zone):
        return f"'{ZONE}' = '{zone}'"
    known = {**_EVALUATION, **_TEXT}
    for key, value in settings.items():
        differs = key in known and value.lower() != known[key]
        if differs or (key.startswith(_LEGACY) and key not in _HARMLESS):
            return f"'{key}' = '{value}'"
    return None


def changes_text(settings: Mapping[str, str]) -> bool:
    """Return whether Spark reads the text of statements in another way than this library."""
    return any(settings.get(key, value).lower() != value for key, value in _TEXT.items())


def adds_casts(settings: Mapping[str, str]) -> bool:
    """Return whether values that Spark refuses to store are cast to the type of their column.

    Without ANSI mode, such a cast would store NULL for values that do not fit, and STRICT refuses them.
    """
    keys = ("spark.sql.ansi.enabled", "spark.sql.storeAssignmentPolicy")
    return all(settings.get(key, _EVALUATION[key]).lower() == _EVALUATION[key] for key in keys)


def with_variables(session: SparkSession, text: str) -> str:
    """Return a statement with the values of its ``${…}``, as Spark replaces them by the settings of a session.

    Args:
        session: The session.
        text: The statement.
    """
    if "${" not in text:
        return text
    jvm = session._jvm
    assert jvm is not None
    with as_active_session(session):
        return str(jvm.org.apache.spark.sql.internal.VariableSubstitution().substitute(text))
