"""Rows of the matrix: merge engines, aggregate functions, the order of the rows of a key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from datasketches import compact_theta_sketch

from tests.interop.engine_cases import CASES, CHANGED_IN_2, HLL, THETA, WIDE_BITMAP, EngineCase
from tests.interop.matrix.feature import Compact, Feature, Step, Write
from workbench.format.index.roaring64 import decode_bitmap64

COLLECTIONS = ("collect", "merge_map", "nested_update")
SETS = ("rbm", "hll", "theta", "merge_map_with_keytime", "nested_partial_update")
FIRST_LINES = (
    ("deduplicate-sequence", "sequence.field"),
    ("deduplicate-rowkind", "row kinds from a column"),
    ("deduplicate-ignore-update-before", "row kinds from a column"),
    ("deduplicate", "deduplicate"),
    ("record-level-expire", "record-level expire"),
    ("first-row", "first-row"),
    ("partial-update-group", "sequence groups"),
    ("partial-update-default-aggregate", "sequence groups"),
    ("partial-update", "partial-update"),
    ("aggregation-sum-", "aggregation"),
)


def line_of(case: EngineCase) -> str:
    """Return the line of the inventory that a case tests."""
    function = case.name.removeprefix("aggregation-")
    for beginning, name in FIRST_LINES:
        if case.name.startswith(beginning):
            return f"Merge engines: {name}"
    kind = "bitmaps and sketches" if function.startswith(SETS) else "single values"
    kind = "collections" if function.startswith(COLLECTIONS) and not function.startswith(SETS) else kind
    return f"Merge engines: aggregates of {kind}"


def bitmap_text(text: str) -> Any:
    """Return the numbers of a 64-bit bitmap: Java's bytes depend on the order in which the containers were created."""
    return repr(sorted((key, low.tolist()) for key, low in decode_bitmap64(bytes.fromhex(text)).items()))


def theta_text(text: str) -> Any:
    """Return the content of a sketch: Java sets flags that are independent of the set."""
    sketch = compact_theta_sketch.deserialize(bytes.fromhex(text))
    return repr((sketch.theta64, sorted(sketch)))


def hll_text(text: str) -> Any:
    """Return a sketch without its flags and its running estimate, which depend on how the sets were combined."""
    return text[:10] + text[12:16] + text[32:]


def plain_forms(case: EngineCase) -> dict[str, Callable[[str], Any]]:
    """Return functions that make the case's columns of bitmaps and sketches comparable."""
    forms = {}
    for name, kind in case.columns.items():
        if kind is WIDE_BITMAP:
            forms[name] = bitmap_text
        elif kind is THETA:
            forms[name] = theta_text
        elif kind is HLL:
            forms[name] = hll_text
    return forms


FORMATTED = ("deduplicate", "partial-update-groups", "aggregation-sum", "first-row")


def lacks_of(case: EngineCase) -> dict[str, str]:
    """Return the engine that merges the case differently from Java 2.0.0, with the difference."""
    return {"java-1.4.2": CHANGED_IN_2[case.name]} if case.name in CHANGED_IN_2 else {}


def from_case(case: EngineCase) -> Feature:
    """A case of a merge engine as a row."""
    steps: list[Step] = []
    for number in range(case.commits):
        steps.append(Write(*case.commit(number)))
        if number in case.compacts:
            steps.append(Compact())
    return Feature(
        line_of(case),
        case.name,
        case.json_columns,
        tuple(steps),
        tuple(case.primary_key),
        ("part",) if case.partitioned else (),
        {"bucket": "1", "write-only": "true", **case.options},
        varies=("format",) if case.name in FORMATTED else (),
        lacks=lacks_of(case),
        unordered=case.unordered,
        plain=plain_forms(case),
        fails=case.refused,
    )


def features() -> Iterator[Feature]:
    """The rows of this part."""
    yield from map(from_case, CASES)
