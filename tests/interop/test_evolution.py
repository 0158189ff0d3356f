"""Tables whose columns change while rows are written, and the casts of old rows: as Java 2.0.0 reads them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop import cast_cases
from tests.interop.cast_cases import Altered, ask_java, every_pair, java_value
from tests.interop.format_cases import FORMATS, agree, sorted_maps
from tests.interop.lives import TABLE, our_table
from tests.interop.referees import JavaPaimon
from tests.interop.rows import Value, assert_same_rows, column_text, from_arrow
from workbench.datafile.casts.rules import can_cast, cast_values
from workbench.datafile.casts.times import PER_SECOND
from workbench.datafile.casts.values import CastError
from workbench.expr.evaluate import filter_mask
from workbench.format.types import DataType, field_from_json, field_to_json

pytestmark = pytest.mark.java

# Java before 19 does not always write the shortest form of a float, and Java reads hexadecimal floats.
OTHER_DIGITS = (123_456_792.0, 2_147_483_648.0, 999_999_986_991_104.0)
READ_BY_ACCIDENT = ("0x1p3",)
FAR_DATES = ("0001-01-01", "9999-12-31")


def type_of(type_json: Any) -> DataType:
    return field_from_json({"id": 0, "name": "x", "type": type_json}).type


def ours(case: Altered, positions: Sequence[int]) -> list[Value] | None:
    """Return the values of our cast, all at once; None if it fails."""
    values = pa.concat_arrays([case.values.slice(0, 1), case.values.take(pa.array(positions, pa.int64()))]).slice(1)
    try:
        return column_text(cast_values(values, type_of(case.source), type_of(case.target)))
    except CastError:
        return None


def differences(case: Altered, answer: list[Any] | None) -> Iterator[str]:
    """Yield the differences between the casts of Java and ours for a pair of types."""
    if case.source == case.target:
        return
    if can_cast(type_of(case.source), type_of(case.target)) != (answer is not None):
        yield f"Java {'refuses' if answer is None else 'allows'} it"
    if answer is None:
        return
    values = column_text(case.values)
    requested = [position for position in range(len(answer)) if not is_excused(case, position)]
    good = [position for position in requested if isinstance(answer[position], list)]
    expected = [java_value(case.target, answer[position]) for position in good]
    found_good = ours(case, good) or [(ours(case, [each]) or ["an error"])[0] for each in good]
    for position, value, result in zip(good, expected, found_good, strict=True):
        if result != value:
            yield f"{values[position]!r} is {value}, not {result}"
    for position in set(requested) - set(good):
        if (result := ours(case, [position])) is not None:
            yield f"{values[position]!r} is {answer[position]}, not {result}"


def is_excused(case: Altered, position: int) -> bool:
    """Return whether our value may differ: in digits as above, or because 64-bit nanoseconds reach only from 1677 to
    2262, and text only to the year 9999."""
    one = case.values.slice(position, 1)
    value = None if pa.types.is_temporal(one.type) else one[0].as_py()
    target = str(case.target)
    if rounds_up(one, target):
        return True
    if value in READ_BY_ACCIDENT or (value in OTHER_DIGITS and ("CHAR" in target or target == "STRING")):
        return True
    return (cast_cases.is_far(one) and ("(9)" in target or target == "STRING")) or (
        value in FAR_DATES and "(9)" in target
    )


def rounds_up(one: pa.Array, target: str) -> bool:
    """Return whether Java 2.0.0 rounds this time up: until 2026-08-13, it rounded times before 1970 towards it.

    It rounds after the conversion between local times and instants, which differ by less than a day.
    """
    if not pa.types.is_timestamp(one.type):
        return False
    converts = (one.type.tz is not None) != ("LOCAL TIME ZONE" in target)
    seconds = (one.cast(pa.int64())[0].as_py() or 0) / PER_SECOND[one.type.unit]
    if seconds >= (86_400 if converts else 0):
        return False
    coarse = any(target.startswith(f"TIMESTAMP({digits})") for digits in range(3))
    return coarse or target.removesuffix(" NOT NULL") in ("DATE", "INT", "BIGINT")


@pytest.mark.parametrize("zone", ["Europe/Berlin", pytest.param("America/St_Johns", marks=pytest.mark.long)])
def test_every_cast(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of types with values at their bounds: the same pairs are refused, the same values fail."""
    from tests.interop import referees

    flags = [flag for flag in referees.JVM_FLAGS if "timezone" not in flag]
    monkeypatch.setattr(referees, "JVM_FLAGS", [*flags, f"-Duser.timezone={zone}"])
    monkeypatch.setattr(wb.options, "timezone", zone)
    java = JavaPaimon("java-2.0.0")
    try:
        cases = list(every_pair())
        answers = ask_java(java, cases)
    finally:
        java.close()
    pairs = zip(cases, answers, strict=True)
    wrong = [f"{case.source} to {case.target}: {what}" for case, answer in pairs for what in differences(case, answer)]
    assert not wrong, "\n".join(wrong[:20])
    assert sum(answer is not None for answer in answers) > 600
    assert sum(map(len, filter(None, answers))) > 15_000


def castable(java: JavaPaimon, far: bool, part: int) -> list[tuple[Altered, list[Value]]]:
    """Return the pairs among every ``part``-th one that Java casts, with their results and without failing values."""
    result = []
    cases = list(every_pair())[::part]
    for case, answer in zip(cases, ask_java(java, cases), strict=True):
        if answer is None or case.source == case.target or str(case.target).endswith("NOT NULL"):
            continue
        positions = [
            position
            for position, value in enumerate(answer)
            if isinstance(value, list)
            and not is_excused(case, position)
            and (
                far
                or not cast_cases.is_far(case.values.slice(position, 1))
                or not pa.types.is_timestamp(case.values.type)
            )
        ]
        values = case.values.take(pa.array(positions, pa.int64()))
        result.append(
            (Altered(case.source, case.target, values), [java_value(case.target, answer[each]) for each in positions])
        )
    return result


def padded(values: pa.Array, rows: int) -> pa.Array:
    return pa.concat_arrays([values, pa.nulls(rows - len(values), values.type)])


@pytest.mark.parametrize(
    ("name", "part"), [("parquet", 11), *(pytest.param(name, 1, marks=pytest.mark.long) for name in FORMATS)]
)
def test_every_cast_in_files(name: str, part: int, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Columns written with one type and read with another are cast as in Java, for every ``part``-th pair of types."""
    java = referee("java-2.0.0")
    # Arrow reads the times of ORC files as nanoseconds, and Avro files have no timestamps of nanoseconds.
    cases = castable(java, name != "orc", part)
    if name == "avro":
        cases = [(case, values) for case, values in cases if "(9)" not in f"{case.source} {case.target}"]
    columns = {f"c{position}": case.source for position, (case, _) in enumerate(cases)}
    java.create(tmp_path, TABLE, columns, [], [], {"file.format": name, "metadata.stats-mode": "full"})
    rows = 1 + max(len(case.values) for case, _ in cases)
    data = pa.table({f"c{position}": padded(case.values, rows) for position, (case, _) in enumerate(cases)})
    java.write(tmp_path, TABLE, data)
    java.alter(tmp_path, TABLE, *(("type", f"c{position}", case.target) for position, (case, _) in enumerate(cases)))
    expected = java.read(tmp_path, TABLE)
    table = our_table(tmp_path)
    whole = table.to_arrow()
    assert_same_rows(from_arrow(whole), expected)
    assert_same_rows(from_arrow(table.to_batches().read_all()), expected)
    for position, (_, values) in enumerate(cases if name != "orc" else ()):  # ORC loses blanks and fractions (§29.39)
        assert column_text(whole.column(position))[: len(values)] == values
    for position in range(0, len(cases), max(9, len(cases) // 20)):
        filtered_as_cast(table, f"c{position}")


def filtered_as_cast(table: Any, name: str) -> None:
    """A filter on a column keeps the same rows whether it is applied while reading or afterwards."""
    whole = table.to_arrow(columns=[name])
    values = whole.column(0).drop_null()
    conditions = [wb.col(name).is_null(), wb.col(name).is_not_null()]
    if len(values) and not pa.types.is_nested(values.type) and not pa.types.is_time(values.type):
        for value in (values[0], values[-1]):
            literal = value.cast(pa.timestamp("us", value.type.tz)) if pa.types.is_timestamp(value.type) else value
            with suppress(OverflowError):  # Python has no years beyond 9999
                conditions += [wb.col(name) == literal.as_py(), wb.col(name) >= literal.as_py()]
    for condition in conditions:
        scan = table.scan(columns=[name], where=condition)
        kept = column_text(whole.filter(filter_mask(scan.where, whole)).column(0))
        assert column_text(scan.to_arrow().column(0)) == kept, f"{condition} of {whole.schema}"


NESTED_COLUMNS: dict[str, Any] = {
    "id": "BIGINT NOT NULL",
    "a": "INT",
    "c": "INT NOT NULL",
    "r": cast_cases.row(x="INT", y="STRING", z=cast_cases.row(p="INT", q="BIGINT")),
    "l": {"type": "ARRAY", "element": cast_cases.row(m="INT", n="STRING")},
    "m": {
        "type": "MAP",
        "key": "STRING",
        "value": cast_cases.row(u="INT", v={"type": "ARRAY", "element": cast_cases.row(w="INT")}),
    },
}
HISTORY: list[list[tuple[Any, ...]]] = [
    [
        ("rename", ["r", "x"], "x2"),
        ("add", ["r", "w"], "STRING", "y"),
        ("add", ["l", "element", "k"], "SMALLINT"),
        ("type", ["l", "element", "m"], "BIGINT"),
        ("drop", ["m", "value", "u"]),
        ("type", ["m", "value", "v", "element", "w"], "STRING"),
    ],
    [
        ("drop", ["r", "z", "p"]),
        ("rename", ["a"], "b"),
        ("add", ["a"], "STRING"),
        ("rename", ["l", "element", "m"], "n2"),
        ("add", ["m", "value", "u"], "INT"),
    ],
    [
        ("rename", ["a"], "swapped"),
        ("rename", ["b"], "a"),
        ("rename", ["swapped"], "b"),
        ("first", ["l"]),
        ("after", ["id"], "m"),
        ("type", ["a"], "DECIMAL(20, 3)"),
        # No field of the older rows of l and r.z remains.
        ("drop", ["l", "element", "n2"]),
        ("drop", ["l", "element", "n"]),
        ("add", ["l", "element", "n"], "BIGINT"),
        ("add", ["r", "z", "s"], cast_cases.row(t="INT")),
        ("drop", ["r", "z", "q"]),
    ],
    [("drop", ["l", "element", "k"]), ("nullable", ["c"], True), ("default", ["b"], "new"), ("drop", ["a"])],
    [("drop", ["m"]), ("add", ["m"], {"type": "MAP", "key": "STRING", "value": cast_cases.row(u="INT")})],
    [("type", ["r"], "STRING"), ("type", ["l"], "STRING"), ("type", ["b"], "CHAR(4)")],
]


def random_values(kind: pa.DataType, rows: int, luck: random.Random, key: str = "") -> pa.Array:
    """Return random values of any type, including nulls; strings consist of digits."""
    if key:
        return pa.array([f"{key}{number}" for number in range(rows)], kind)
    nulls = [luck.random() < 0.2 for _ in range(rows)]
    if pa.types.is_struct(kind):
        parts = [random_values(field.type, rows, luck) for field in kind]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=pa.array(nulls))
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        sizes = [0 if null else luck.randrange(4) for null in nulls]
        offsets = pa.array([sum(sizes[:position]) for position in range(rows + 1)], pa.int32())
        if pa.types.is_list(kind):
            elements = random_values(kind.value_type, sum(sizes), luck)
            return pa.ListArray.from_arrays(offsets, elements, kind, mask=pa.array(nulls))
        keys = random_values(kind.key_type, sum(sizes), luck, "k")
        items = random_values(kind.item_type, sum(sizes), luck)
        return pa.MapArray.from_arrays(offsets, keys, items, kind, mask=pa.array(nulls))
    numbers = [None if null else luck.randrange(100) for null in nulls]
    if pa.types.is_string(kind):
        return pa.array([None if number is None else str(number) for number in numbers], kind)
    if pa.types.is_decimal(kind):
        return pa.array([None if number is None else Decimal(number) / 2 for number in numbers], kind)
    return pa.array(numbers, kind)


def random_rows(schema: pa.Schema, luck: random.Random, first: int, rows: int = 30) -> pa.Table:
    """Return random rows of a table whose key is `id`, without nulls in columns that are NOT NULL."""
    columns = {}
    for field in schema:
        if field.name == "id":
            columns["id"] = pa.array(range(first, first + rows), field.type)
        else:
            values = random_values(field.type, rows, luck)
            columns[field.name] = values if field.nullable else values.fill_null(values.drop_null()[0])
    return pa.table(columns)


def sampled_formats() -> list[Any]:
    result = []
    for number, name in enumerate(FORMATS):
        for keyed in (False, True):
            marks = () if keyed == bool(number % 2) and name != "avro" else pytest.mark.long
            result.append(pytest.param(name, keyed, marks=marks, id=f"{name}-{'keyed' if keyed else 'append'}"))
    return result


@pytest.mark.parametrize(("name", "keyed"), sampled_formats())
def test_columns_and_their_fields_change(name: str, keyed: bool, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Fields added, dropped, renamed, moved, added again and cast, in rows, lists and maps."""
    java = referee("java-2.0.0")
    luck = random.Random(name)
    options = {"file.format": name, "bucket": "2" if keyed else "-1", "write-only": "true"}
    java.create(tmp_path, TABLE, NESTED_COLUMNS, ["id"] if keyed else [], [], options)
    snapshots = []
    for number, changes in enumerate([[], *HISTORY]):
        for change in changes:
            java.alter(tmp_path, TABLE, change)
        snapshots.append(java.write(tmp_path, TABLE, random_rows(our_table(tmp_path).arrow_schema, luck, number * 10)))
        read_alike(java, tmp_path)
    for snapshot in snapshots[3::3]:
        agree(java, tmp_path, columns_of(tmp_path, snapshot), snapshot)
    table = our_table(tmp_path)
    for column in ("id", "b", "c", "r"):
        filtered_as_cast(table, column)
    java.compact(tmp_path, TABLE)
    agree(java, tmp_path, columns_of(tmp_path))


def read_alike(java: JavaPaimon, warehouse: Path) -> None:
    """Check that all rows of the newest version are read as Java reads them."""
    columns = columns_of(warehouse)
    expected = sorted_maps(java.read(warehouse, TABLE), columns)
    assert_same_rows(sorted_maps(from_arrow(our_table(warehouse).to_arrow()), columns), expected)


def columns_of(warehouse: Path, snapshot: int | None = None) -> dict[str, Any]:
    """The types of the columns as JSON."""
    table = our_table(warehouse) if snapshot is None else our_table(warehouse).at(snapshot=snapshot)
    return {field.name: field_to_json(field)["type"] for field in table.schema.fields}


@pytest.mark.parametrize("name", ["parquet", *(pytest.param(each, marks=pytest.mark.long) for each in FORMATS[1:])])
def test_keys_partitions_and_sequences_of_altered_tables(
    name: str, referee: Callable[[str], Any], tmp_path: Path
) -> None:
    """Keys are renamed, and the type of the sequence field changes, while partitions and buckets are kept."""
    java = referee("java-2.0.0")
    columns = {"day": "DATE NOT NULL", "k": "STRING NOT NULL", "n": "INT NOT NULL", "seq": "INT", "v": "DOUBLE"}
    options = {"file.format": name, "bucket": "2", "sequence.field": "seq", "write-only": "true"}
    java.create(tmp_path, TABLE, columns, ["day", "k", "n"], ["day"], options)
    history: list[list[tuple[Any, ...]]] = [
        [],
        [("type", ["seq"], "BIGINT"), ("rename", ["k"], "key"), ("first", ["v"]), ("add", ["w"], "INT", "v")],
        [
            ("type", ["seq"], "DECIMAL(20, 1)"),
            ("type", ["v"], "DECIMAL(6, 2)"),
            ("rename", ["n"], "k"),
            ("drop", ["w"]),
        ],
        [("type", ["seq"], "STRING"), ("add", ["w"], "STRING")],
    ]
    for number, changes in enumerate(history):
        for change in changes:
            java.alter(tmp_path, TABLE, change)
        table = our_table(tmp_path)
        rows = random_rows(table.arrow_schema, random.Random(number), 0, 60)
        keys = {
            "day": pa.array([position % 2 for position in range(60)], pa.int32()).cast(pa.date32()),
            **{
                field.name: pa.array([f"k{position // 4}" for position in range(60)])
                for field in table.schema.key_fields[:1]
            },
            table.schema.key_fields[1].name: pa.array([position // 2 % 5 for position in range(60)], pa.int32()),
        }
        for position, column in enumerate(rows.column_names):
            if column in keys:
                rows = rows.set_column(position, column, keys[column])
        java.write(tmp_path, TABLE, rows)
        read_alike(java, tmp_path)
    table = our_table(tmp_path)
    for column in ("key", "k", "seq", "v", "day"):
        filtered_as_cast(table, column)
    assert (
        table.to_arrow(where="key = 'k3' AND k = 1").num_rows
        == table.to_arrow(where="k = 1 AND key = 'k3'").num_rows
        > 0
    )
    java.compact(tmp_path, TABLE)
    agree(java, tmp_path, {})
