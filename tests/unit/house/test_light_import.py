"""The cost of imports: no heavy packages, and Spark tasks need only the standard library, NumPy and Arrow."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("pyspark", "pandas", "plotly", "ipywidgets", "tornado", "IPython", "duckdb", "sqlglot", "fastavro", "fsspec")


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_pulls_nothing_heavy() -> None:
    assert not loaded_after("import workbench").intersection(HEAVY)


def test_the_public_names_load() -> None:
    loaded = loaded_after(
        "import workbench as wb\nwb.connect, wb.col, wb.Table, wb.Commit, wb.options, wb.WorkbenchError"
    )
    assert "pyarrow" in loaded
    assert not loaded.intersection(HEAVY)


def test_task_code_is_light() -> None:
    code = "import workbench.commit.publish, workbench.spark.tasks, workbench.spark.writing.tasks"
    assert not loaded_after(code).intersection({"pandas", "fastavro", "fsspec", "sqlglot", "zstandard"})


def test_local_read_and_write_need_no_fsspec(tmp_path: object) -> None:
    code = f"""
import workbench as wb
cat = wb.connect({str(tmp_path)!r})
cat.create_database("d", exist_ok=True)
table = cat.create_table("d.t", {{"id": "BIGINT NOT NULL"}}, primary_key=["id"], options={{"bucket": "1"}})
table.write([{{"id": 1}}])
assert table.to_arrow().num_rows == 1
"""
    # Arrow itself looks for pandas when it meets Python lists.
    assert not loaded_after(code).intersection({"fsspec", "sqlglot", "pyspark"})


def test_a_read_of_all_rows_loads_no_expressions_and_no_merge(tmp_path: object) -> None:
    code = f"""
import workbench as wb
cat = wb.connect({str(tmp_path)!r})
cat.create_database("d")
cat.create_table("d.t", {{"id": "BIGINT"}}).write([{{"id": 1}}])
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    read = f"""
import sys
import workbench as wb
assert wb.connect({str(tmp_path)!r}).get_table("d.t").to_arrow().num_rows == 1
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    inside = [name for name in loaded if name.startswith(("workbench.expr", "workbench.lsm", "workbench.write.batch"))]
    assert not inside
    # Modules of the standard library that each take more than a millisecond to import.
    assert not {"concurrent.futures", "html", "logging", "tempfile"}.intersection(loaded)


def test_a_table_loads_only_the_file_format_it_has(tmp_path: object) -> None:
    code = f"""
import sys
import workbench as wb
cat = wb.connect({str(tmp_path)!r})
cat.create_database("d")
for name in ("parquet", "orc", "avro"):
    table = cat.create_table(f"d.{{name}}", {{"id": "BIGINT"}}, options={{"file.format": name}})
    table.write([{{"id": 1}}])
    assert table.to_arrow().num_rows == 1
    print(*(each for each in sys.modules if each.startswith(("workbench.datafile.formats.", "workbench.format.orc"))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    with_parquet, with_orc, with_avro = (" ".join(line.split()) for line in done.stdout.splitlines())
    assert "parquet_reader" in with_parquet
    assert not any(each in with_parquet for each in ("orc_", "format.orc", "avro_"))
    assert "orc_reader" in with_orc
    assert "avro_" not in with_orc
    assert "avro_writer" in with_avro
