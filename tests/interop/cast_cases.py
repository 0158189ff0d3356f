"""Values at the bounds of every type, for the casts that a reader applies to a column whose type was altered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from tests.interop.cases import decimals
from tests.interop.referees import JavaPaimon
from tests.interop.rows import NANOS_PER_UNIT, Value, _java_column

DAY = 86_400
# Moments in seconds: around 1970, a leap day, clock changes in Berlin; and those beyond the years of nanoseconds.
SECONDS = [0, 1, -1, -DAY, -DAY - 1, DAY - 1, 951_782_400, 1_700_000_000, -2_000_000_000, 1_616_893_200, 1_635_642_000]
FAR = [-62_135_596_800, 253_402_300_799, -62_167_219_200]
FRACTIONS = [0, 123_456_789, 999_999_999, 500_000_000, 100_000]
NUMBERS = [0, 1, -1, 127, 128, -129, 32_768, 2**31 - 1, -(2**31), 2**31, 5_000_000_000, 2**63 - 1, -(2**63)]
FLOATS = [
    *(0.0, -0.0, 1.0, -1.0, 0.1, -0.5, 1.5, 2.5, 99.995, 0.001, 0.00099, 1e-5, 1e7, 9_999_999.0, 123_456_789.0, 1e10),
    *(-1.25e-7, 127.9, -128.9, 300.0, 2147483648.0, -3e9, 1e15, 9.3e18, -9.3e18, 1e20, 3e38, 5e-40, 1.17e-38),
    *(float("nan"), float("inf"), float("-inf")),
]
TEXTS = [
    *("", " ", "0", "-0", "1", "+1", "-1", "+", "-", ".", "-.", ".5", "5.", "12.75", "-12.5", "127", "128", "-129"),
    *(
        "32768",
        "2147483647",
        "2147483648",
        "9223372036854775807",
        "9223372036854775808",
        "0012",
        "1e3",
        "1.5E-3",
        " 7 ",
    ),
    *(
        "1e400",
        "-1e-400",
        "123456789012345678901234567890.125",
        "9" * 40,
        "0." + "4" * 60,
        "99999.995",
        "1e38",
        "1e-38",
    ),
    *("5e-39", "NaN", "Infinity", "-Infinity", "+Infinity", "inf", "1f", "2.5d", "true", "TRUE", "t", "Yes", "n", "no"),
    *("2021-03-04", "2021-3-4", "2021-3", "2021", "2021-02-29", "2020-02-29", "2021-02-30", "2021-13-01", "0000-01-01"),
    *(
        "0001-01-01",
        "9999-12-31",
        "10000-01-01",
        "1969-12-31",
        " 2021-03-04",
        "2021-03-04 10:11:12",
        "2021-03-04T10:11",
    ),
    *("2021-03-04 10:11:12.5", "2021-03-04 1:2:3.123456789", "2021-03-04 24:00:00", "2021-03-04 24:00:01", "x"),
    *(
        "2021-03-28 02:30:00",
        "2021-10-31 02:30:00",
        "2021-03-04 10:11:12.",
        "2021-03-04 10:11",
        "1969-12-31 23:59:59.9",
    ),
    *(
        "10:11:12",
        "1:2:3.4567",
        "10:11",
        "10",
        "25:61:61",
        "10:11:12.9996",
        "10:11:12+01:30",
        "10-2",
        "10:11+2",
        "12:00-",
    ),
    *("10:11:12.1-01:00", "10+01:30", "ab", "é", "日本語のテキスト", "trailing  ", "\U0001f600" * 4, "0x1p3", "\t3\n"),
]

# Type -> Arrow type and values; times as integers of the Arrow type's unit.
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "BOOLEAN": (pa.bool_(), [True, False]),
    "TINYINT": (pa.int8(), [each for each in NUMBERS if abs(each) < 128]),
    "SMALLINT": (pa.int16(), [each for each in NUMBERS if abs(each) < 2**15]),
    "INT": (pa.int32(), [each for each in NUMBERS if -(2**31) <= each < 2**31]),
    "BIGINT": (pa.int64(), NUMBERS),
    "FLOAT": (pa.float32(), FLOATS),
    "DOUBLE": (pa.float64(), [*FLOATS, 1e300, 5e-324, 1e38, 1e-38, 0.1 + 0.2, 1.005, 123456.789012345]),
    "DECIMAL(3, 1)": (pa.decimal128(3, 1), decimals("0.0", "99.9", "-99.9", "0.1", "-0.5", "12.5")),
    "DECIMAL(9, 2)": (pa.decimal128(9, 2), decimals("0.00", "9999999.99", "-9999999.99", "0.01", "127.99", "-128.50")),
    "DECIMAL(18, 18)": (pa.decimal128(18, 18), decimals("0." + "9" * 18, "-0." + "0" * 17 + "1", "0." + "0" * 18)),
    "DECIMAL(38, 0)": (pa.decimal128(38, 0), decimals("9" * 38, "-" + "9" * 38, "0", "-1", str(2**63), str(2**64 + 5))),
    "DECIMAL(38, 20)": (
        pa.decimal128(38, 20),
        decimals("9" * 18 + "." + "9" * 20, "-1." + "0" * 19 + "1", "0.1" + "0" * 19),
    ),
    "CHAR(3)": (pa.string(), ["abc", "1  ", "日本語", "1.5", "yes"]),
    "CHAR(12)": (pa.string(), ["2021-03-04  ", "abc         "]),
    "VARCHAR(5)": (pa.string(), ["", "1", "abcde", "-1.25", "true", "12:30"]),
    "STRING": (pa.string(), TEXTS),
    "BINARY(3)": (pa.binary(), [b"abc", b"1\x002", b"   "]),
    "VARBINARY(4)": (pa.binary(), [b"", b"ab", b"1234"]),
    "BYTES": (pa.binary(), [b"", b"text", "é".encode(), b"\x00" * 6]),
    "DATE": (pa.date32(), [0, -1, 1, 18_690, -719_162, 2_932_896, -719_528, 20_000]),
    "TIME(0)": (pa.time32("ms"), [0, 1000, 86_399_000, 45_296_000]),
    "TIME(3)": (pa.time32("ms"), [0, 1, 10, 100, 120, 123, 86_399_999, 45_296_050]),
    "TIME(9)": (pa.time32("ms"), [0, 7, 86_399_999]),
}


def row(**fields: Any) -> dict[str, Any]:
    """Return a ROW type in Java's JSON form."""
    return {"type": "ROW", "fields": [{"id": 0, "name": name, "type": kind} for name, kind in fields.items()]}


def _timestamps() -> Iterator[tuple[str, tuple[pa.DataType, list[int]]]]:
    for precision in (0, 1, 3, 4, 6, 9):
        unit, digits = ("ms", 3) if precision <= 3 else ("us", 6) if precision <= 6 else ("ns", 9)
        step = 10 ** (9 - precision)
        moments = [*SECONDS, *([] if unit == "ns" else FAR)]
        ticks = {
            (second * 10**9 + fraction // step * step) // 10 ** (9 - digits)
            for second in moments
            for fraction in FRACTIONS
        }
        yield f"TIMESTAMP({precision})", (pa.timestamp(unit), sorted(ticks))
        yield f"TIMESTAMP({precision}) WITH LOCAL TIME ZONE", (pa.timestamp(unit, "UTC"), sorted(ticks))


VALUES.update(_timestamps())
NESTED: dict[str, tuple[Any, pa.DataType, list[Any]]] = {
    "array": (
        {"type": "ARRAY", "element": "DOUBLE"},
        pa.list_(pa.float64()),
        [[], [None], [1.0, None, 1e10]],
    ),
    "array of texts": ({"type": "ARRAY", "element": "CHAR(2)"}, pa.list_(pa.string()), [["ab", ""], ["c, d"]]),
    "map": (
        {"type": "MAP", "key": "INT NOT NULL", "value": "DECIMAL(5, 2)"},
        pa.map_(pa.int32(), pa.decimal128(5, 2)),
        [[], [(1, Decimal("1.50")), (2, None)]],
    ),
    "row": (
        {
            "type": "ROW",
            "fields": [
                {"id": 1, "name": "a", "type": "BOOLEAN"},
                {"id": 2, "name": "b", "type": {"type": "ARRAY", "element": "DATE"}},
                {"id": 3, "name": "c", "type": "TIMESTAMP(3)"},
            ],
        },
        pa.struct([("a", pa.bool_()), ("b", pa.list_(pa.date32())), ("c", pa.timestamp("ms"))]),
        [{"a": True, "b": None, "c": None}, {"a": None, "b": [], "c": None}],
    ),
}
OTHER_TYPES = ("VARIANT", "BLOB")


@dataclass(frozen=True)
class Altered:
    """A pair of types in Java's JSON form, and the values to cast; none for types without sample values."""

    source: Any
    target: Any
    values: pa.Array

    def request(self) -> str:
        """Return the pair and its values as a line of JSON for Java."""
        return json.dumps([self.source, self.target, _java_column(pa.chunked_array([self.values]))])


def every_pair() -> Iterator[Altered]:
    """Yield all pairs of types, including pairs of a type with itself."""
    targets = [*VALUES, *OTHER_TYPES, "INT NOT NULL", *(kind for kind, _, _ in NESTED.values())]
    sources = [
        *((kind, arrow, values) for kind, (arrow, values) in VALUES.items()),
        *NESTED.values(),
        *((kind, pa.null(), []) for kind in OTHER_TYPES),
    ]
    for source, arrow, values in sources:
        for target in targets:
            yield Altered(source, target, pa.array(values, arrow))


def ask_java(java: JavaPaimon, cases: list[Altered]) -> list[list[Any] | None]:
    """Return for each case None if Java refuses the types, else ``[text]`` or the class of an error for each value."""
    requests, answers = java.path("requests"), java.path("answers")
    requests.write_text("\n".join(case.request() for case in cases), encoding="utf-8")
    java.process.ask({"op": "casts", "requests": str(requests), "answers": str(answers)})
    return [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]


def java_value(target: Any, answer: list[Any]) -> Value:
    """Return a value of Java in the form in which `column_text` writes ours."""
    (text,) = answer
    if text is not None and target in ("FLOAT", "DOUBLE"):
        return repr(float.fromhex(text))
    return text


def is_far(values: pa.Array) -> bool:
    """Return whether a date, a timestamp or a number of seconds is beyond the years of 64-bit nanoseconds."""
    if pa.types.is_date32(values.type):
        return not -106_650 < values.cast(pa.int32())[0].as_py() < 106_650
    if not pa.types.is_timestamp(values.type):
        return pa.types.is_integer(values.type) and not -9e9 < values[0].as_py() < 9e9
    per_second = 10**9 // NANOS_PER_UNIT[values.type.unit]
    return not -9e9 * per_second < values.cast(pa.int64())[0].as_py() < 9e9 * per_second
