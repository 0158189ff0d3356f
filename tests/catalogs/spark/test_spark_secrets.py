"""Passwords and tokens of catalogs: no plan, event log, page or message of Spark contains them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.catalogs.jdbc.servers import PASSWORD, postgresql
from tests.catalogs.rest.conftest import options_of
from tests.catalogs.rest.servers import TOKEN, rest_server
from tests.interop.provision import unavailable
from tests.stores.proxy import Request, proxied
from tests.stores.spark_runs import files_with

pytestmark = [pytest.mark.spark, pytest.mark.long]


def _run(folder: Path, name: str, options: dict[str, str]) -> None:
    script = Path(__file__).with_name("statements_job.py")
    given = json.dumps({name: options})
    ran = subprocess.run([sys.executable, script, folder, given], capture_output=True, text=True, check=False)
    (folder / "output").write_text(ran.stdout + ran.stderr)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert files_with(folder, [f"{name}.shop.t"]), "the files contain plans"
    assert len(files_with(folder / "events", ["Parsed Logical Plan", "SparkListenerJobStart"])) > 0


def test_nothing_shows_the_tokens_of_a_service(tmp_path: Path) -> None:
    header, given = uuid.uuid4().hex, uuid.uuid4().hex

    def token(request: Request) -> Any:
        if not request.target.endswith("/token"):
            return None
        answer = {"token": {"s3.secret-key": given}, "expiresAtMillis": (time.time() + 60) * 1000}
        return 200, json.dumps(answer).encode()

    folder, data = tmp_path / "seen", tmp_path / "data"
    folder.mkdir()
    data.mkdir()
    with rest_server(data, {"prefix": "paimon"}) as port, proxied(port) as proxy:
        proxy.refuses = token
        more = {"data-token.enabled": "true", "header.x-api-secret": header, "table-default.bucket": "1"}
        _run(folder, "lake", options_of(proxy.port, **more))
    assert files_with(folder, [TOKEN, header, given]) == []


def test_nothing_shows_the_password_of_a_database(tmp_path: Path) -> None:
    if importlib.util.find_spec("psycopg") is None:
        unavailable("psycopg is not installed")
    folder, data = tmp_path / "seen", tmp_path / "data"
    folder.mkdir()
    data.mkdir()
    with postgresql() as server:
        _run(folder, "lake", {**server.new_place().options, "warehouse": str(data)})
    assert files_with(folder, [PASSWORD]) == []
