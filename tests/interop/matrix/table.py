"""The whole matrix: all rows and their cells."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from tests.interop.matrix import rows_of_engines, rows_of_evolution, rows_of_tables, rows_of_types, rows_of_versions
from tests.interop.matrix.feature import Cell, Feature
from tests.interop.matrix.fitting import IN_ROTATION, MAKERS, NEWEST, fitted, readable
from tests.interop.matrix.lines import BY_NAME
from tests.interop.matrix.ours import is_performed
from tests.interop.matrix.shortcomings import reader_shortcoming

FEATURES: tuple[Feature, ...] = (
    *rows_of_types.features(),
    *rows_of_engines.features(),
    *rows_of_tables.features(),
    *rows_of_evolution.features(),
    *rows_of_versions.features(),
)


def cells() -> Iterator[Cell]:
    """Yield every combination of every feature for each maker that supports it, but only one for slow makers."""
    for feature in FEATURES:
        variants = list(feature.variants())
        for position, (variant, varied) in enumerate(variants):
            for maker in MAKERS:
                if maker in IN_ROTATION and position != turn_of(feature, len(variants)):
                    continue
                result = fitted(varied, variant, maker)
                if isinstance(result, Feature):
                    yield Cell(feature, maker, variant, result)


def written_cells() -> Iterator[Cell]:
    """Yield every feature whose steps our library supports, for each engine that reads it: every combination of its
    dimensions for the newest Java, one combination for the other engines."""
    for feature in FEATURES:
        variants = list(feature.variants())
        for position, (variant, varied) in enumerate(variants):
            for reader in MAKERS:
                if reader != NEWEST and position != turn_of(feature, len(variants)):
                    continue
                result = readable(varied, variant, reader)
                known = reader_shortcoming(reader, f"{feature.name} {variant}")
                if isinstance(result, Feature) and is_performed(result) and known is None:
                    yield Cell(feature, reader, variant, result)


def turn_of(feature: Feature, ways: int) -> int:
    """Return which of several combinations a feature takes; its name decides, so new rows do not affect other rows."""
    return zlib.crc32(feature.name.encode()) % ways


def sample(all_cells: list[Cell], half: int) -> set[str]:
    """Return the cells that every run checks: one cell of the newest Java for every eighth line, beginning with the
    first (``half`` 0) or the fifth (1). Reads check different lines than writes."""
    chosen: dict[str, str] = {}
    for feature in FEATURES:
        mine = [cell for cell in all_cells if cell.feature is feature and cell.maker == NEWEST]
        if mine:
            chosen.setdefault(feature.line, str(mine[turn_of(feature, len(mine))]))
    return set(list(chosen.values())[4 * half :: 8])


def core(maker: str, all_cells: list[Cell]) -> list[Cell]:
    """Return the cells that are kept as golden tables: the first row of each line that the maker can make, in one
    combination; for slow makers, only lines of priority P0, and no system tables."""
    chosen: dict[str, Cell] = {}
    for feature in FEATURES:
        mine = [cell for cell in all_cells if cell.feature is feature and cell.maker == maker]
        line = BY_NAME[feature.line]
        wanted = maker not in IN_ROTATION or (line.priority == "P0" and line.area != "System tables")
        if mine and wanted and not feature.fails and not feature.refused:
            chosen.setdefault(feature.line, mine[turn_of(feature, len(mine))])
    return list(chosen.values())
