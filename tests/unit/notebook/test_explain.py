"""`wb.explain` and `%paimon explain`: the view of a read, and its text forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import InvalidExpression, Unsupported, WorkbenchError
from workbench.lens.wire import to_json
from workbench.notebook import live
from workbench.notebook.arguments import text_after
from workbench.notebook.saved import MAX_BYTES, SAVED_MIME
from workbench.notebook.table_views.explain import EXPLAIN, Explain, ExplainArguments, ExplainedReads


@pytest.fixture
def orders(tmp_path: Path) -> Any:
    catalog = wb.connect(tmp_path / "orders")
    catalog.create_database("shop")
    fields = {"dt": "STRING", "id": "BIGINT", "item": "STRING"}
    table = catalog.create_table("shop.orders", fields, partition_by=["dt"])
    for day in range(3):
        for start in (0, 10):
            ids = list(range(start, start + 10))
            table.write(pa.table({"dt": [f"2026-11-0{day + 1}"] * 10, "id": ids, "item": [f"<b>{i}" for i in ids]}))
    return table


def test_files_with_facts(orders: Any) -> None:
    rows = wb.explain(orders, "dt = '2026-11-02' AND id > 12").to_arrow()
    assert rows["left_out_by"].to_pylist() == ["", *["manifest"] * 4, "value range"]
    assert rows["fact"].to_pylist() == [
        "",
        *["dt = '2026-11-02'"] * 4,
        "id > 12; the file has id: 0 to 9, no NULL",
    ]
    assert rows["rows"].to_pylist() == [10] * 6
    assert wb.explain(orders).to_arrow()["left_out_by"].to_pylist() == [""] * 6


def test_columns_and_expressions(orders: Any) -> None:
    view = wb.explain(orders, wb.col("id") > 12, ["item"], run=True)
    assert view.value.where == "id > 12"
    assert view.value.columns == ("item",)
    assert view.value.run is not None
    assert view.value.run.rows == 21
    assert view.to_pandas().shape == (6, 8)


def test_static_forms(orders: Any) -> None:
    view = wb.explain(orders, "id > 12 AND item <> '</title><script>alert(1)</script>'", run=True)
    html = view._html()
    assert "A read where id &gt; 12" in html
    assert "<script>" not in html
    assert "<svg" in html
    text = repr(view)
    assert "Facts that excluded files" in text
    assert "The read returned 21 rows" in text
    assert view._repr_png_() is not None


def test_events() -> None:
    start = ExplainArguments(where="id = 1")
    event = EXPLAIN.on_event
    assert event(start, {"kind": "select-step", "name": "partition"}).selected == "partition"
    more = event(start, {"kind": "more-files", "name": "partition"})
    assert (more.selected, more.limit) == ("partition", 100)
    assert event(more, {"kind": "more-files", "name": "partition"}).limit == 200
    assert event(more, {"kind": "more-files", "name": "bucket"}).limit == 100
    assert event(start, {"kind": "run"}).run
    assert event(start, {"kind": "all-footers"}).footers is None
    assert event(start, {"kind": "other"}) == start


def test_errors_and_empty_tables(orders: Any, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="nowhere"):
        _ = wb.explain(orders, "nowhere = 1").value
    assert "nowhere" in repr(wb.explain(orders, "nowhere = 1"))
    catalog = wb.connect(tmp_path / "orders")
    with pytest.raises(Unsupported, match="do not scan data files"):
        _ = wb.explain(catalog.open("shop.orders$snapshots")).value
    empty = catalog.create_table("shop.empty", {"id": "INT"})
    value = wb.explain(empty, "id = 1").value
    assert value.snapshot is None
    assert [step.files for step in value.steps] == [0, 0]
    assert wb.explain(empty).to_arrow().num_rows == 0
    assert "never written" in repr(wb.explain(empty))


def test_it_follows_new_snapshots(orders: Any) -> None:
    view, pinned = wb.explain(orders, "id = 5"), wb.explain(orders.at(snapshot=1))
    assert view.value.steps[0].files == 6
    orders.write(pa.table({"dt": ["2026-11-09"], "id": [1], "item": ["x"]}))
    assert view.value.steps[0].files == 7
    assert pinned.value.steps[0].files == 1


def test_the_saved_form(orders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "has_kernel", lambda: True)
    saved = wb.explain(orders, "id = 5")._repr_mimebundle_()[SAVED_MIME]
    assert (saved["kind"], saved["reduced"]) == ("explain", False)
    assert saved["value"] == to_json(wb.explain(orders, "id = 5").value)
    monkeypatch.setattr("workbench.notebook.saved.MAX_BYTES", 6000)
    smaller = wb.explain(orders, "dt = '2026-11-02'")._repr_mimebundle_()[SAVED_MIME]
    assert smaller["reduced"]
    assert MAX_BYTES > 6000


@pytest.fixture
def made(shell: Any) -> Any:
    shell.run_cell_magic(
        "paimon", "", "CREATE TABLE other (id BIGINT, price DOUBLE); INSERT INTO other VALUES (1, 2.5)"
    )
    return shell


def test_the_command(made: Any) -> None:
    view = made.run_line_magic("paimon", "explain orders WHERE item = 'pen' AND id > 1")
    assert isinstance(view, Explain)
    assert view.value.where == "item = 'pen' AND id > 1"
    assert made.run_line_magic("paimon", "explain shop.orders").value.where == ""
    assert made.run_line_magic("paimon", "explain orders --snapshot 1").value.snapshot == 1
    query = made.run_line_magic("paimon", "explain SELECT item FROM orders WHERE id = 2 AND upper(item) = 'INK'")
    assert (query.value.where, query.value.columns) == ("id = 2", ("id", "item"))
    joined = made.run_line_magic("paimon", "explain SELECT * FROM orders o JOIN other p ON o.id = p.id WHERE price > 2")
    assert isinstance(joined, ExplainedReads)
    assert [each.value.table for each in joined.reads] == ["shop.orders", "shop.other"]
    assert "shop.other" in repr(joined)
    assert "svg" in joined._html()
    assert repr(made.run_line_magic("paimon", "explain SELECT count(*) FROM other")) == "The query reads no data files."


def test_a_query_that_runs_on_spark_names_the_commands_for_its_tables(made: Any) -> None:
    query = "SELECT java_method('a', 'b'), o.id FROM orders o JOIN other p ON o.id = p.id"
    with pytest.raises(Unsupported, match="runs on Spark, which plans its own reads") as refused:
        made.run_line_magic("paimon", f"explain {query}")
    hint = "Explain the read of each table: %paimon explain orders WHERE …, %paimon explain other WHERE …."
    assert hint in str(refused.value)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("explain", "takes a query or a table"),
        ("explain orders id = 1", "neither a query nor a table"),
        ("explain nowhere", "There is no table"),
        ("explain orders WHERE", "neither a query nor a table"),
    ],
)
def test_wrong_commands(made: Any, line: str, error: str) -> None:
    with pytest.raises(WorkbenchError, match=error):
        made.run_line_magic("paimon", line)
    with pytest.raises(InvalidExpression):
        made.run_line_magic("paimon", "explain --chart orders")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("explain t WHERE name = 'a  b'", "t WHERE name = 'a  b'"),
        ('--snapshot 3 explain t WHERE a = "x"', 't WHERE a = "x"'),
        ("explain SELECT '-n 5' FROM t --limit 5 -o x", "SELECT '-n 5' FROM t"),
        ("explain t WHERE a < -5", "t WHERE a < -5"),
        ("explain", ""),
    ],
)
def test_text_after_a_command(line: str, text: str) -> None:
    assert text_after(line, "explain") == text


def test_results_know_their_reads(made: Any) -> None:
    result = made.run_cell_magic("paimon", "", "SELECT item FROM orders WHERE id > 1")
    (read,) = result.reads
    assert (read.table.name, read.columns, read.where, read.limit) == ("shop.orders", ("item",), "id > 1", None)


def test_results_say_how_they_were_read(made: Any) -> None:
    made.run_cell_magic("paimon", "", "INSERT INTO orders VALUES (90, '<b>')")
    html = made.run_cell_magic("paimon", "", "SELECT item FROM orders WHERE id > 80 AND item <> '<i>'")._html()
    assert html.count("<details") == 1
    shown = html[html.index("<details") :]
    assert "How this was read" in shown
    assert "key range: the requested keys are outside their key bounds" in shown
    assert "%paimon explain shop.orders WHERE id &gt; 80 AND item &lt;&gt; &#x27;&lt;i&gt;&#x27;" in shown
    assert len(shown) < 2000
    assert "<details" not in made.run_cell_magic("paimon", "", "SELECT 1")._html()
