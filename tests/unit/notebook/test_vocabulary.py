"""Pictures that Python draws and those of the browser use the same words, numbers, shapes and colors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.base.texts import size_text
from workbench.lens.headline import details_of, figures_of
from workbench.lens.palette import PALETTE
from workbench.lens.row_count import RowCountValue
from workbench.lens.verdict import CONDITIONS
from workbench.notebook.drawings.timeline import LETTERS
from workbench.notebook.table_views.levels import runs_note

VIEWS = Path(__file__).resolve().parents[3] / "extension" / "src" / "views"


@pytest.fixture(scope="module")
def words() -> dict[str, str]:
    """The English texts of the browser's pictures."""
    source = (VIEWS / "words.ts").read_text(encoding="utf-8")
    return dict(re.findall(r"^  (\w+):\s+'((?:[^'\\]|\\.)*)'", source, re.MULTILINE))


@pytest.fixture
def table(tmp_path: Path) -> Any:
    catalog = wb.connect(tmp_path)
    catalog.create_database("shop")
    options = {"bucket": "1", "write-only": "true"}
    orders = catalog.create_table("shop.orders", {"id": "BIGINT"}, primary_key="id", options=options)
    for _ in range(3):
        orders.write([{"id": each} for each in range(1500)])
    return orders


def said(words: dict[str, str], word: str, **values: Any) -> str:
    """Return a text of the browser's pictures, with its values filled in."""
    one, _, many = words[word].partition("|")
    form = one if values.get("n") == 1 or not many else many
    return re.sub(
        r"\{(\w+)\}", lambda match: format(values[match[1]], ",") if match[1] == "n" else values[match[1]], form
    )


def test_a_bucket_is_summed_up_alike(table: Any, words: dict[str, str]) -> None:
    bucket = wb.levels(table).value.bucket
    assert bucket is not None
    size = size_text(sum(file.size for file in bucket.files))
    facts = (said(words, "runs", n=3), said(words, "files", n=3), said(words, "rowsStored", n=4500), size)
    assert f"<b>{said(words, 'bucketName', id='0')}: {', '.join(facts)}</b>" in wb.levels(table)._repr_html_()


def test_reads_are_described_alike(words: dict[str, str]) -> None:
    assert runs_note(("id",), 1).endswith(f"{words['mergesNothing']}.")
    assert runs_note(("id",), 1234).startswith("Reads merge up to 1,234")
    assert said(words, "mergesRuns", n=1234).startswith("reads merge up to 1,234")


def test_keys_and_tables_are_named_alike(table: Any, words: dict[str, str]) -> None:
    assert words["notToScale"] == "keys in order, not to scale"
    assert words["appendLane"] == "files"
    assert words["asTable"] == "Show as table"
    for _ in range(12):
        table.write([{"id": 1}])
    html = wb.timeline(table)._repr_html_()
    assert f"{said(words, 'timelineTitle', table='shop.orders')}: " in html
    assert "show as table</summary>" in html


def test_append_tables_speak_of_files(tmp_path: Path, words: dict[str, str]) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("shop")
    log = catalog.create_table("shop.log", {"id": "BIGINT"})
    for _ in range(6):
        log.write([{"id": each} for each in range(5)])
    log.write([{"id": 1}], mode="overwrite")
    log.write([{"id": 2}])
    levels, history = wb.levels(log), wb.timeline(log)
    assert levels.value.bucket is not None
    size = size_text(sum(file.size for file in levels.value.bucket.files))
    facts = (said(words, "files", n=2), said(words, "rowsStored_append", n=2), size)
    html = levels._repr_html_() + history._repr_html_() + repr(levels) + repr(history)
    assert f"bucket 0: {', '.join(facts)}</b>" in html
    for word in ("run", "level", "stored", "merge", "min key", "deletes"):
        assert not re.search(rf"(?i)(?<![-\w]){word}s?\b", re.sub(r"<[^>]*>", " ", html)), word


def test_a_summary_is_told_alike(table: Any, words: dict[str, str]) -> None:
    summary = wb.summary(table).value
    assert summary.contents is not None
    names = [figure.name for figure in (*figures_of(summary, summary.contents), *details_of(summary))]
    stated = ("rowsField", "filesField", "size", "partitions", "bucketsField", "mostRunsField", "snapshot")
    more = ("lastCommit", "retained", "schema", "primaryKey", "partitionedBy", "location")
    assert names == [words[word] for word in (*stated, *more)]
    assert {condition: words[f"{condition}Condition"] for condition in CONDITIONS} == dict(CONDITIONS)
    assert figures_of(summary, summary.contents)[3].text == words["unpartitioned"]


def test_a_number_of_rows_is_told_alike(words: dict[str, str]) -> None:
    estimate = RowCountValue(330_000, False, 845_910)
    assert estimate.rows_text == said(words, "about", rows="330,000")
    assert estimate.stored_text == said(words, "storedTimes", rows="845,910", ratio="2.6")
    assert RowCountValue(0, True, 5000).stored_text == said(words, "stored", rows="5,000")
    assert RowCountValue(7, True, 7).stored_text == words["storedOnce"]


def test_kinds_of_commits_have_the_same_letters() -> None:
    source = "".join(file.read_text(encoding="utf-8") for file in VIEWS.rglob("*.ts"))
    stated = re.search(r"const LETTERS\b[^{]*\{([^}]*)\}", source)
    assert stated is not None
    exceptions = dict(re.findall(r"(\w+): '(\w)'", stated[1]))
    assert {kind: exceptions.get(kind, kind[0]) for kind in LETTERS} == LETTERS


def test_all_colors_are_those_of_the_palette() -> None:
    """Each color is defined once, in `PALETTE`; text and background colors come from the page."""
    page = {"#1f2328", "#e8eaed", "#ffffff", "#16181c"}
    known = page | {color for pair in PALETTE.values() for color in pair}
    files = [*VIEWS.glob("*.ts"), *(VIEWS.parents[2] / "workbench" / "notebook").glob("*.py")]
    for file in files:
        used = set(re.findall(r"#[0-9a-f]{6}\b", file.read_text(encoding="utf-8")))
        assert used <= (known if file.name == "palette.ts" else page), file
