"""The REST client of pypaimon at the same table."""

from __future__ import annotations

import json
import subprocess

import pytest

import workbench as wb
from tests.catalogs.rest.conftest import options_of
from tests.interop.provision import PEER_SCRIPTS, peer_python


@pytest.mark.long
def test_pypaimon_reads_and_writes_the_same_table(catalog: wb.Catalog, port: int, database: str) -> None:
    name = f"{database}.t"
    options = {"bucket": "1"}
    table = catalog.create_table(name, {"id": "BIGINT NOT NULL", "v": "STRING"}, primary_key="id", options=options)
    table.write([{"id": 1, "v": "a"}])
    request = {"options": options_of(port), "table": name}
    command = [str(peer_python("pypaimon")), str(PEER_SCRIPTS / "rest_catalog.py"), json.dumps(request)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["before"] == [{"id": 1, "v": "a"}]
    assert sorted(each["id"] for each in answer["after"]) == [1, 7]
    # pypaimon does not give its snapshots an id, so that the next one names no predecessor.
    table = catalog.get_table(name)
    assert table.schema.comment == "changed by pypaimon"
    table.write([{"id": 2, "v": "b"}])
    assert sorted(table.to_arrow()["id"].to_pylist()) == [1, 2, 7]
