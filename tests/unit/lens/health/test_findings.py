"""Each defect is made, found, fixed by exactly the statement that the finding shows, and gone afterwards."""

from __future__ import annotations

import pytest

import workbench as wb
from tests.support.maintained_tables import files
from tests.unit.lens.health.defects import DEFECTS, Defect, Place
from workbench.base.errors import InvalidRequest
from workbench.lens.health.check import SEVERITIES
from workbench.lens.health.health import collect_health
from workbench.lens.health.preview import preview_fix, run_fix
from workbench.lens.health.values import FindingValue, HealthValue
from workbench.sql.execute import execute


def found(health: HealthValue, finding: str) -> FindingValue | None:
    return next((each for each in health.findings if each.id == finding), None)


def ids(defect: Defect) -> str:
    return f"{defect.make.__name__}-{defect.finding}"


@pytest.mark.parametrize("language", ["sql", "python"])
@pytest.mark.parametrize("defect", DEFECTS, ids=ids)
def test_a_defect_is_found_and_fixed_by_its_statement(defect: Defect, language: str, place: Place) -> None:
    table = defect.make(place)
    finding = found(collect_health(table, storage=defect.storage), defect.finding)
    assert finding is not None
    assert finding.severity in SEVERITIES[1:]
    assert all((finding.title, finding.why, finding.amount_text, finding.read or finding.write))
    assert finding.fix is not None
    if language == "sql":
        for statement in finding.fix.sql.split(";\n"):
            execute(statement, place.catalog)
    else:
        exec(finding.fix.python, {"table": table, "catalog": place.catalog, "wb": wb})
    after = collect_health(place.catalog.get_table("db.t"), storage=defect.storage)
    assert found(after, defect.finding) is None, [each.title for each in after.findings]
    assert after.damage is None


def test_rows_that_wait_are_not_hidden_where_reads_merge_them(place: Place) -> None:
    table = next(each for each in DEFECTS if each.make.__name__ == "postponed_rows").make(place)
    assert found(collect_health(table), "hidden-rows") is not None
    place.catalog.alter_table("db.t", wb.SetOption("postpone.merge-on-read", "true"))
    assert found(collect_health(place.catalog.get_table("db.t")), "hidden-rows") is None


def test_a_table_that_cannot_be_read_has_no_preview(place: Place) -> None:
    table = next(each for each in DEFECTS if each.finding == "damage").make(place)
    with pytest.raises(InvalidRequest, match="cannot be tried in a sandbox"):
        preview_fix(table, "damage")


@pytest.mark.parametrize("defect", [each for each in DEFECTS if each.finding != "damage"], ids=ids)
def test_a_fix_is_tried_in_a_sandbox(defect: Defect, place: Place) -> None:
    table = defect.make(place)
    before = collect_health(table, storage=defect.storage)
    listed = files(table)
    preview = preview_fix(table, defect.finding)
    assert files(table) == listed
    assert preview.gone, preview.remaining
    assert (preview.before.files, preview.before.size) == (before.files, before.size)
    after = preview.after
    confirmed = run_fix(table, defect.finding, confirmed=True)
    assert confirmed is not None
    fixed = collect_health(place.catalog.get_table("db.t"), storage=defect.storage)
    assert found(fixed, defect.finding) is None
    assert (fixed.files, fixed.stored_rows) == (after.files, after.stored_rows)
    assert fixed.condition == after.condition


def test_a_fix_that_deletes_has_to_be_confirmed(place: Place) -> None:
    table = next(each for each in DEFECTS if "tag:" in each.finding).make(place)
    with pytest.raises(InvalidRequest, match="deletes the version of tag 'it's-old'"):
        run_fix(table, "held-files:tag:it's-old")
    assert "it's-old" in table.tags()


def test_unknown_findings_are_refused(place: Place) -> None:
    table = place.table()
    with pytest.raises(InvalidRequest, match="Nothing was found"):
        preview_fix(table, "sorted-runs")
