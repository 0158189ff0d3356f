from __future__ import annotations

import datetime
from decimal import Decimal
from html.parser import HTMLParser

import pyarrow as pa
import pytest

from workbench.base.markup import printable
from workbench.base.session import session_options
from workbench.expr.cells import cell_texts, type_name
from workbench.sql.grid import grid_html, grid_of, grid_text
from workbench.sql.literals import literal_text
from workbench.sql.result import Result, done, rows_result

EVIL = "<img src=x onerror=alert(1)>\"'&</td><script>"


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_options, "timezone", "UTC")


def test_markup_in_names_values_types_and_captions_is_text() -> None:
    rows = pa.table({EVIL: [EVIL], "row": pa.array([{EVIL: EVIL}], pa.struct([(EVIL, pa.string())])), "l": [[EVIL]]})
    result = Tags(grid_html(grid_of(rows, EVIL, 10, 1, [EVIL])))
    assert set(result.tags) == {"style", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "small"}
    assert not [name for name in result.attributes if name.startswith("on")]
    assert result.texts.count(EVIL) == 4
    assert Tags(done(EVIL)._repr_html_()).tags == ["style", "div", "p"]


def test_a_value_cannot_steer_a_terminal_or_reverse_the_text() -> None:
    rows = pa.table({"v": ["\x1b[2J\nnext", "abc\u202edef"]})
    text = grid_text(grid_of(rows, "c", 10, 2))
    assert "\x1b" not in text
    assert "\\x1b[2J\\nnext" in text
    assert "\\u202e" in text
    assert "\u202e" not in grid_html(grid_of(rows, "c", 10, 2))
    assert printable("plain ü 語") == "plain ü 語"


def test_the_table_is_accessible() -> None:
    html = grid_html(grid_of(pa.table({"a": [1]}), "numbers", 10, 1))
    assert '<caption class="wb-short">numbers</caption>' in html
    assert '<th scope="col" class="wb-num">a<small>BIGINT</small></th>' in html
    assert 'role="region" tabindex="0" aria-label="numbers"' in html


def test_null_is_not_the_empty_text() -> None:
    html = grid_html(grid_of(pa.table({"v": ["", None, "NULL"]}), "c", 10, 3))
    assert '<td class="wb-short"></td>' in html
    assert html.count('<span class="wb-null">NULL</span>') == 1


def test_row_kinds_keep_their_letters() -> None:
    html = grid_html(grid_of(pa.table({"rowkind": ["+I", "-U", "+U", "-D"]}), "c", 10, 4))
    for kind in ("+I", "-U", "+U", "-D"):
        assert f">{kind}</td>" in html


def test_omitted_rows_are_mentioned() -> None:
    rows = pa.table({"a": list(range(5))})
    assert grid_of(rows, "c", 2, 5).notes == ("Showing 2 of 5 rows.",)
    assert grid_of(rows, "c", 2).notes == ("Showing the first 2 rows; there are more.",)
    assert grid_of(rows, "c", 9, 5).notes == ("5 rows.",)
    assert grid_of(rows.slice(0, 1), "c", 9, 1).notes == ("1 row.",)


def test_numbers_are_exact_and_flush_right() -> None:
    rows = pa.table({"n": [9007199254740993, -1], "t": ["語語", "b"]})
    assert grid_text(grid_of(rows, "c", 5, 2)).splitlines()[1:5] == [
        "               n | t",
        "-----------------+-----",
        "9007199254740993 | 語語",
        "              -1 | b",
    ]


@pytest.mark.usefixtures("utc")
def test_values_of_each_type() -> None:
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 120000)
    columns = {
        "ltz": pa.array([moment], pa.timestamp("us", "UTC")),
        "ntz": pa.array([moment], pa.timestamp("ms")),
        "ns": pa.array([1_000_000_001], pa.timestamp("ns")),
        "date": pa.array([moment.date()]),
        "decimal": pa.array([Decimal("1.50")]),
        "bytes": pa.array([b"\x00\xff"]),
        "bool": pa.array([True]),
        "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
    }
    assert {name: cell_texts(values)[0] for name, values in columns.items()} == {
        "ltz": "2026-01-02 03:04:05.12",
        "ntz": "2026-01-02 03:04:05.12",
        "ns": "1970-01-01 00:00:01.000000001",
        "date": "2026-01-02",
        "decimal": "1.50",
        "bytes": "X'00ff'",
        "bool": "true",
        "map": "{k: 1}",
    }
    assert [type_name(values.type) for values in columns.values()] == [
        *("TIMESTAMP_LTZ", "TIMESTAMP", "TIMESTAMP", "DATE", "DECIMAL(3, 2)", "BYTES", "BOOLEAN", "MAP<STRING, INT>"),
    ]


def test_instants_are_shown_in_the_session_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_options, "timezone", "Asia/Tokyo")
    rows = pa.table({"t": pa.array([0, None], pa.timestamp("ms", "UTC"))})
    grid = grid_of(rows, "c", 5, 2)
    assert grid.rows == (("1970-01-01 09:00:00",), (None,))
    assert grid.notes == ("2 rows. TIMESTAMP_LTZ in Asia/Tokyo.",)


def test_long_values_are_cut() -> None:
    assert cell_texts(pa.array(["x" * 1000])) == ["x" * 200 + "…"]


def test_values_inside_of_values() -> None:
    pairs = pa.map_(pa.string(), pa.list_(pa.struct([("n", pa.map_(pa.int32(), pa.string()))])))
    column = pa.array([[("two words", [{"n": [(1, "x"), (2, None)]}]), ("empty", []), ("none", None)]], pairs)
    assert cell_texts(column) == ['{"two words": [{"n": {1: "x", 2: null}}], empty: [], none: null}']
    days = pa.array([{"d": datetime.date(2026, 1, 2), "b": True, "x": Decimal("1.50")}])
    assert cell_texts(days) == ['{"d": "2026-01-02", "b": true, "x": "1.50"}']


DDL = "CREATE TABLE t (\n  a INT)\nTBLPROPERTIES (" + ", ".join(f"'key-{n}' = 'value'" for n in range(30)) + ")"


def test_one_text_is_shown_whole() -> None:
    result = rows_result(pa.table({"createtab_stmt": [DDL]}), "Definition of t", 5)
    assert result._text().splitlines() == ["Definition of t", *DDL.splitlines(), "1 row."]
    assert DDL in "".join(Tags(result._html()).texts)
    assert "details" not in Tags(result._html()).tags
    query = Result("Query", pa.table({"text": ["y" * 5000]}), 1)
    assert "y" * 5000 in query._text()
    assert "y" * 5000 in query._html()


def test_an_answer_of_several_texts_is_shown_whole() -> None:
    answer = rows_result(pa.table({"key": ["a", "b"], "value": ["one\ntwo", f"{'w' * 60} {'v' * 300}"]}), "c", 5)
    lines = [line.split(" | ") for line in answer._text().splitlines()[3:-1]]
    assert lines[:2] == [["a  ", "one"], ["   ", "two"]]
    assert "".join(line[1] for line in lines[2:]) == "w" * 60 + "v" * 300
    assert f"{'w' * 60} {'v' * 300}" in answer._html()


def test_other_long_texts_unfold() -> None:
    rows = pa.table({"id": [1, 2], "text": ["z" * 5000, "short"]})
    query = Result("Query", rows, 2)
    tags = Tags(query._html())
    assert tags.tags.count("details") == 1
    assert {"z" * 200 + "…", "z" * 5000} <= set(tags.texts)
    cut = query._text()
    assert "z" * 59 + "…" in cut
    assert cut.endswith("Texts that end in … are cut; to_pandas() of the result returns them whole.")
    assert "are cut" not in Result("Query", rows.slice(1), 1)._text()


def test_the_size_of_an_output_is_limited() -> None:
    rows = pa.table({"id": range(50), "text": ["z" * 1_000_000] * 50})
    assert len(Result("Query", rows, 50)._html()) < 1_200_000
    assert len(rows_result(rows, "Answer", 50)._html()) < 1_200_000


def test_mime_bundle_holds_both_forms() -> None:
    bundle = rows_result(pa.table({"a": [1]}), "c", 5)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert isinstance(rows_result(pa.table({"a": [1]}), "c", 5), Result)


def test_python_values_are_written_as_literals() -> None:
    values = [None, True, 3, Decimal("1.5"), "it's \\", b"\xff", datetime.date(2026, 1, 2), [1, "a"]]
    assert [literal_text(value) for value in values] == [
        "NULL",
        "TRUE",
        "3",
        "1.5BD",
        "'it\\'s \\\\'",
        "X'ff'",
        "DATE '2026-01-02'",
        "(1, 'a')",
    ]
