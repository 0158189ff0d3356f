"""Partition directories (format §1.1)."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import Unsupported
from workbench.format.spec.partition_path import escape, partition_path, partition_text, unescape
from workbench.format.types import parse_type
from workbench.format.types.java_text import java_number_text


def micros(text: str) -> int:
    return (datetime.fromisoformat(text) - datetime(1970, 1, 1)) // timedelta(microseconds=1)


def test_directory_names() -> None:
    types = [parse_type("DATE"), parse_type("STRING")]
    assert partition_path([19723, "eu"], types, ["dt", "region"]) == "dt=19723/region=eu"
    assert partition_path([], [], []) == ""
    assert partition_path(["a=b"], types[1:], ["k/1"]) == "k%2F1=a%3Db"


@pytest.mark.parametrize("value", [None, "", "  ", "\t\n"])
def test_null_and_blank_get_the_default_name(value: str | None) -> None:
    types = [parse_type("STRING")]
    assert partition_path([value], types, ["k"]) == "k=__DEFAULT_PARTITION__"
    assert partition_path([value], types, ["k"], default_name="nil") == "k=nil"


def test_a_no_break_space_is_not_blank() -> None:
    assert partition_path(["\u00a0"], [parse_type("STRING")], ["k"]) == "k=\u00a0"


def test_escaped_characters_are_exactly_the_listed_ones() -> None:
    escaped = {chr(code) for code in range(0x250) if escape(chr(code)) != chr(code)}
    assert escaped == {chr(code) for code in range(0x20)} | set("\x7f\"#%'*/:=?\\{}[]^")
    assert escape("\n:\x7f/") == "%0A%3A%7F%2F"
    assert escape(" ,<>|+&é日") == " ,<>|+&é日"


def test_unescape_keeps_text_that_is_not_an_escape() -> None:
    assert unescape("%3A%3a%zz%4") == "::%zz%4"


@given(st.text())
def test_unescape_undoes_escape(text: str) -> None:
    assert unescape(escape(text)) == text


@pytest.mark.parametrize(
    ("value", "data_type", "legacy", "sql"),
    [
        (True, "BOOLEAN", "true", "true"),
        (-5, "BIGINT", "-5", "-5"),
        ("x y", "CHAR(5)", "x y", "x y"),
        (1.0, "DOUBLE", "1.0", "1.0"),
        (1e10, "DOUBLE", "1.0E10", "1.0E10"),
        (0.10000000149011612, "FLOAT", "0.1", "0.1"),
        (0.10000000149011612, "DOUBLE", "0.10000000149011612", "0.10000000149011612"),
        (Decimal("1.5"), "DECIMAL(5, 2)", "1.50", "1.50"),
        (Decimal("1E+3"), "DECIMAL(5, 0)", "1000", "1000"),
        (Decimal("0.0000001"), "DECIMAL(10, 7)", "0.0000001", "0.0000001"),
        (19724, "DATE", "19724", "2024-01-02"),
        (-1, "DATE", "-1", "1969-12-31"),
        (37_230_500, "TIME(3)", "37230500", "10:20:30.5"),
        (37_230_000, "TIME(3)", "37230000", "10:20:30.0"),
        (37_230_000, "TIME(0)", "37230000", "10:20:30"),
        (micros("2024-01-01T00:00") // 1000, "TIMESTAMP(3)", "2024-01-01T00:00", "2024-01-01 00:00:00.000"),
        (micros("2024-01-01T10:20:30"), "TIMESTAMP(6)", "2024-01-01T10:20:30", "2024-01-01 10:20:30.000000"),
        (
            micros("2024-01-01T10:20:30.5") // 1000,
            "TIMESTAMP(3)",
            "2024-01-01T10:20:30.500",
            "2024-01-01 10:20:30.500",
        ),
        (
            micros("2024-01-01T00:00:00.000001"),
            "TIMESTAMP(6)",
            "2024-01-01T00:00:00.000001",
            "2024-01-01 00:00:00.000001",
        ),
        (1, "TIMESTAMP(9)", "1970-01-01T00:00:00.000000001", "1970-01-01 00:00:00.000000001"),
        (-1, "TIMESTAMP(3)", "1969-12-31T23:59:59.999", "1969-12-31 23:59:59.999"),
        (0, "TIMESTAMP(0)", "1970-01-01T00:00", "1970-01-01 00:00:00"),
        (253_402_300_800_000, "TIMESTAMP(3)", "+10000-01-01T00:00", "10000-01-01 00:00:00.000"),
        (0, "TIMESTAMP_LTZ(3)", "1970-01-01T00:00", "1970-01-01 00:00:00.000"),
    ],
)
def test_texts(value: Any, data_type: str, legacy: str, sql: str) -> None:
    assert partition_text(value, parse_type(data_type)) == legacy
    assert partition_text(value, parse_type(data_type), legacy=False) == sql


def test_zoned_timestamps_are_shown_in_the_zone_under_sql_names() -> None:
    zone = ZoneInfo("Europe/Berlin")
    summer = micros("2024-07-01T00:00")
    assert partition_text(summer, parse_type("TIMESTAMP_LTZ(6)"), False, zone) == "2024-07-01 02:00:00.000000"
    assert partition_text(summer, parse_type("TIMESTAMP_LTZ(6)"), True, zone) == "2024-07-01T00:00"


def test_bytes_have_a_name_under_sql_names_only() -> None:
    assert partition_text(b"ab", parse_type("BYTES"), legacy=False) == "ab"
    with pytest.raises(Unsupported, match=r"partition\.legacy-name"):
        partition_text(b"ab", parse_type("BYTES"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (9_999_999.0, "9999999.0"),
        (10_000_000.0, "1.0E7"),
        (123_456_789.125, "1.23456789125E8"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_numbers_as_java_prints_them(value: float, text: str) -> None:
    assert java_number_text(value) == text


@given(st.dates())
def test_dates_agree_with_the_calendar(day: date) -> None:
    days = (day - date(1970, 1, 1)).days
    assert partition_text(days, parse_type("DATE"), legacy=False) == day.isoformat()
