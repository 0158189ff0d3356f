"""The file formats that the options of a table choose for its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.base.errors import Unsupported
from workbench.format.file_formats.registry import find_traits, supported_formats
from workbench.format.options.core_options import CoreOptions


@dataclass(frozen=True)
class ChosenFormat:
    """A file format that a table writes, with the option that chooses it and the text of that option."""

    option: str
    text: str
    name: str


def chosen_formats(core: CoreOptions) -> Iterator[ChosenFormat]:
    """Yield each file format that the table writes."""
    yield ChosenFormat("file.format", core.text("file.format") or core.file_format, core.file_format)
    per_level = "file.format.per.level"
    for each in (core.value(per_level) or {}).values():
        yield ChosenFormat(per_level, str(core.text(per_level)), each.lower())
    changelog: str | None = core.value("changelog-file.format")
    if changelog and core.changelog_producer != "none":
        yield ChosenFormat("changelog-file.format", changelog, changelog.lower())


def check_file_formats(core: CoreOptions, doing: str, *, for_write: bool) -> None:
    """Refuse a table with files of a format that is not registered.

    Args:
        core: The options of the table.
        doing: The activity that is refused, such as ``Reading``, for the error message.
        for_write: Whether the table is to be written; only then does the format of changelog files matter.

    Raises:
        Unsupported: The message names the option and its value.
    """
    for each in chosen_formats(core):
        if find_traits(each.name) is None and (for_write or each.option != "changelog-file.format"):
            what = f"a table with option '{each.option}' = '{each.text}'"
            raise Unsupported(f"{doing} {what} is not supported.", supported_formats())
