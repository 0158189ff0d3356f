from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.base.errors import (
    Cancelled,
    CatalogError,
    DatabaseNotFound,
    InvalidExpression,
    SnapshotNotFound,
    TableNotFound,
    Unsupported,
    WorkbenchError,
)
from workbench.catalog.connect import connect
from workbench.notebook.errors import error_line
from workbench.notebook.extension import load_ipython_extension, unload_ipython_extension


def line(shell: Any, text: str) -> Any:
    return shell.run_line_magic("paimon", text)


def cell(shell: Any, text: str, flags: str = "") -> Any:
    return shell.run_cell_magic("paimon", flags, text)


def test_query_returns_a_value(shell: Any) -> None:
    result = cell(shell, "SELECT * FROM orders ORDER BY id", "--limit 2 --out kept")
    assert result.to_arrow().num_rows == 3
    assert "Showing 2 of 3 rows." in repr(result)
    assert shell.user_ns["kept"] is result


def test_insert_ends_as_one_line(shell: Any) -> None:
    done = cell(shell, "INSERT INTO orders VALUES (3, 'cap'), (4, 'nib')")
    assert repr(done).startswith("Inserted 2 rows into shop.orders: snapshot 2.")
    assert "\n" not in repr(done)
    assert [snapshot.id for snapshot in done.snapshots] == [2]


def test_limit_is_a_setting(shell: Any) -> None:
    shell.run_line_magic("config", "PaimonMagic.limit = 1")
    assert "Showing 1 of 3 rows." in repr(cell(shell, "SELECT * FROM orders"))


def test_snapshot_flag(shell: Any) -> None:
    cell(shell, "INSERT INTO orders VALUES (4, 'nib')")
    assert cell(shell, "SELECT count(*) AS n FROM orders", "-s 1").to_arrow()["n"].to_pylist() == [3]
    with pytest.raises(SnapshotNotFound, match="no tag 'v1'"):
        cell(shell, "SELECT * FROM orders", "--tag v1")
    with pytest.raises(InvalidExpression, match="cannot be combined"):
        cell(shell, "SELECT * FROM orders", "--tag v1 --snapshot 1")


def test_views(shell: Any) -> None:
    cell(shell, "INSERT INTO orders VALUES (3, 'cap'), (4, 'nib')")
    assert line(shell, "databases").to_arrow()["database"].to_pylist() == ["shop"]
    assert line(shell, "tables").to_arrow()["table"].to_pylist() == ["orders"]
    assert line(shell, "describe orders").value.primary_key == ("id",)
    assert line(shell, "snapshots shop.orders").to_arrow()["snapshot"].to_pylist() == [2, 1]
    assert line(shell, "levels orders --snapshot 1").value.snapshot == 1
    assert line(shell, "levels orders").to_arrow().num_rows == 2
    assert line(shell, "diff orders@1..2").to_pandas()["rowkind"].tolist() == ["-U", "+U", "+I"]
    assert "connect [path" in repr(line(shell, ""))
    for view in ("describe orders", "snapshots orders", "levels orders", "diff orders@0..2", "help"):
        assert set(line(shell, view)._repr_mimebundle_()) == {"text/plain", "text/html"}


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("describe nothing", TableNotFound, "nothing"),
        ("describe", InvalidExpression, "describe <table>"),
        ("use shopp", DatabaseNotFound, "Did you mean 'shop'"),
        ("diff", InvalidExpression, "t@3..7"),
        ("level orders", InvalidExpression, "Did you mean 'levels'"),
        ("levels orders --nope", InvalidExpression, "--nope"),
        ("levels 'orders", InvalidExpression, "quot"),
        ("tables --out 1x", InvalidExpression, "variable"),
        ("tables --limit x", InvalidExpression, "--limit"),
        ("connect", CatalogError, "takes a warehouse"),
        ("connect {missing}", InvalidExpression, "missing"),
    ],
)
def test_mistakes_are_reported_shortly(shell: Any, text: str, error: type[WorkbenchError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        line(shell, text)
    shown = caught.value._render_traceback_()  # type: ignore[attr-defined]
    assert len(shown) == 1
    assert shown[0].startswith(f"\x1b[31m{error.__name__}: ")


def test_a_failed_cell_counts_as_failed(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = shell.run_cell("%%paimon\nSELECT * FROM nothing")
    assert isinstance(outcome.error_in_exec, TableNotFound)
    out = capsys.readouterr().out
    assert "TableNotFound: There is no table shop.nothing." in out
    assert "Traceback" not in out


def test_other_errors_keep_their_traceback(
    shell: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_given: Any) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("workbench.notebook.cells.script.execute", broken)
    outcome = shell.run_cell("%%paimon\nSELECT 1")
    assert isinstance(outcome.error_in_exec, RuntimeError)
    assert "Traceback" in capsys.readouterr().out


def test_tracebacks_on_demand(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_line_magic("config", "PaimonMagic.short_errors = False")
    shell.run_cell("%%paimon\nSELECT * FROM nothing")
    assert "Traceback" in capsys.readouterr().out


def test_script_shows_every_result(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    last = cell(shell, "SELECT 1 AS first; SELECT ';' AS second;")
    assert last.to_arrow().schema.names == ["second"]
    assert "first" in capsys.readouterr().out


def test_variables_are_literals(shell: Any) -> None:
    shell.user_ns.update(wanted=[1, 2], name="x' OR '1'='1")
    text = "SELECT id, '{name}' AS kept FROM orders WHERE id IN {wanted} OR item = {name} ORDER BY id"
    rows = cell(shell, text, "--vars").to_arrow()
    assert rows.to_pydict() == {"id": [1, 2], "kept": ["{name}", "{name}"]}
    with pytest.raises(InvalidExpression, match="Did you mean 'wanted'"):
        cell(shell, "SELECT {wantd}", "--vars")
    with pytest.raises(InvalidExpression, match="--vars"):
        cell(shell, "SELECT {name}")


def test_connect_by_options_alone(shell: Any, tmp_path: Any) -> None:
    place = str(tmp_path / "other")
    connect(place).create_database("by_options")
    shown = repr(line(shell, f"connect metastore=filesystem warehouse={place}"))
    assert f"Connected to {place}: 1 database, database by_options" in shown


def test_connect_to_a_catalog_in_a_variable(shell: Any, tmp_path: Any) -> None:
    shell.user_ns["cat"] = connect(str(tmp_path / "other"))
    shell.user_ns["cat"].create_database("default")
    assert "1 database, database default" in repr(line(shell, "connect {cat}"))


def test_cell_without_catalog_or_statement(shell: Any) -> None:
    with pytest.raises(InvalidExpression, match="The cell is empty"):
        cell(shell, "-- nothing\n")
    with pytest.raises(InvalidExpression, match="Write the statement below"):
        cell(shell, "SELECT 1", "tables")
    unload_ipython_extension(shell)
    load_ipython_extension(shell)
    with pytest.raises(CatalogError, match="%paimon connect"):
        cell(shell, "SELECT 1")


def test_an_error_is_one_line_that_cannot_steer_a_terminal() -> None:
    error = TableNotFound("There is no table '\x1b[2J\n'.")
    assert error_line(error) == "TableNotFound: There is no table '\\x1b[2J\\x0a'."
    assert error_line(Cancelled()) == "Canceled."


def test_engine_jar_needs_a_session_with_the_connector_and_takes_no_version(shell: Any) -> None:
    with pytest.raises(Unsupported, match=r"Spark session.*SparkCatalog"):
        cell(shell, "SELECT 1", "--engine jar")
    with pytest.raises(Unsupported, match="Write VERSION AS OF"):
        cell(shell, "SELECT 1", "--engine jar --snapshot 1")


def test_loading_twice_and_unloading(shell: Any) -> None:
    load_ipython_extension(shell)
    assert len([each for each in shell.configurables if type(each).__name__ == "PaimonMagic"]) == 1
    unload_ipython_extension(shell)
    unload_ipython_extension(shell)
    assert shell.find_line_magic("paimon") is None
    load_ipython_extension(shell)


def test_a_table_named_like_markup_is_shown_as_text(shell: Any) -> None:
    evil = "<img src=x onerror=alert(1)>"
    cell(
        shell,
        f"CREATE TABLE `{evil}` (k STRING, `{evil}` STRING, PRIMARY KEY (k) NOT ENFORCED) "
        f"TBLPROPERTIES ('bucket'='1'); INSERT INTO `{evil}` VALUES ('{evil}', '{evil}')",
    )
    views = [
        cell(shell, f"SELECT * FROM `{evil}`"),
        cell(shell, f"DESCRIBE `{evil}`"),
        cell(shell, f"INSERT INTO `{evil}` VALUES ('{evil}', '')"),
        *(line(shell, text) for text in ("tables", "help", f"levels '{evil}'", f"describe '{evil}'")),
        *(line(shell, text) for text in (f"snapshots '{evil}'", f"diff '{evil}@0..2'")),
    ]
    for view in views:
        html = view._repr_html_()
        assert "<img" not in html
    assert "&lt;img src=x" in views[0]._repr_html_()


def test_data_frames_are_registered_by_name(shell: Any) -> None:
    shell.user_ns["prices"] = pa.table({"item": ["pen", "ink"], "price": [1.5, 4.25]})
    assert repr(line(shell, "register cost {prices}")) == "Queries can read cost: 2 rows."
    rows = cell(shell, "SELECT o.id, c.price FROM orders o JOIN cost c USING (item) ORDER BY 1").to_arrow()
    assert rows.to_pydict() == {"id": [1, 2], "price": [1.5, 4.25]}
    with pytest.raises(InvalidExpression, match="a name and a data frame"):
        line(shell, "register cost prices")
    with pytest.raises(TableNotFound):
        cell(shell, "SELECT * FROM prices")


def test_a_full_result_is_saved(shell: Any, tmp_path: Any) -> None:
    cell(shell, "SELECT id, item FROM orders ORDER BY id", f"--limit 1 --save {tmp_path}/rows.csv")
    assert (tmp_path / "rows.csv").read_text() == '"id","item"\n1,"pen"\n2,"ink"\n3,\n'
    cell(shell, "SELECT id FROM orders ORDER BY id", f"--save {tmp_path}/rows.parquet")
    assert pq.read_table(tmp_path / "rows.parquet")["id"].to_pylist() == [1, 2, 3]
    with pytest.raises(InvalidExpression, match="no known suffix"):
        cell(shell, "SELECT 1", "--save rows.xlsx")
    with pytest.raises(InvalidExpression, match="no rows to save"):
        cell(shell, "INSERT INTO orders VALUES (9, 'x')", f"--save {tmp_path}/rows.csv")
