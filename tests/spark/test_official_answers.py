"""Statements answer as Paimon's own connector answers them, apart from the listed differences."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.spark.official.compare import attached_session, differences, documented_differences, recorded_answers
from tests.spark.official.corpus import Case, cases

pytestmark = pytest.mark.spark
# The pages whose differences on Spark Connect are listed.
CONNECT_PAGES = ("alignment", "alter", "auxiliary", "casts", "copy", "ddl", "engines", "lake")
SAMPLE = ("types/Variant: shredded",)


@pytest.fixture(scope="module")
def attached(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return attached_session(spark.newSession(), tmp_path_factory.mktemp("official"))


def assert_as_listed(session: Any, chosen: list[Case], folder: Path) -> None:
    found = {each.key: each for each in differences(session, chosen, folder)}
    ran = {f"{case.key}#{number}" for case in chosen for number in range(1, len(case.statements) + 1)}
    listed = documented_differences().keys() & ran
    assert not [str(found[key]) for key in found.keys() - listed]
    assert listed <= found.keys(), "These statements now answer as the connector does; remove them from the list."


def test_a_sample_of_statements(attached: Any, tmp_path: Path) -> None:
    assert_as_listed(attached, [case for case in cases() if case.key in SAMPLE], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("page", sorted({case.page for case in cases()}))
def test_every_statement(attached: Any, page: str, tmp_path: Path) -> None:
    assert_as_listed(attached, cases(page), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("page", CONNECT_PAGES)
def test_every_statement_on_spark_connect(page: str) -> None:
    pytest.importorskip("grpc")
    # A process with a classic session cannot have one of Spark Connect.
    command = [sys.executable, "-m", "tests.spark.official.compare", "--connect", page]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3000)
    assert ran.returncode == 0, ran.stdout[-5000:]


def test_every_case_is_recorded() -> None:
    keys = [case.key for case in cases()]
    assert len(set(keys)) == len(keys)
    for case in cases():
        assert len(recorded_answers(case.page)[case.name]) == len(case.statements), case.key
    statements = {f"{case.key}#{number}" for case in cases() for number in range(1, len(case.statements) + 1)}
    assert documented_differences().keys() <= statements
    assert documented_differences(connect=True).keys() <= statements
