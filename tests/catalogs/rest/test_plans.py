"""Plans and settings of Spark, and the errors of its tasks, without the secrets of a catalog."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.rest.conftest import options_of
from tests.catalogs.rest.servers import TOKEN
from tests.stores.proxy import Proxy, Request

pytestmark = [pytest.mark.spark, pytest.mark.long]
FILES_KEY = "the-key-of-the-files-of-a-table"


@pytest.fixture
def spark() -> Iterator[Any]:
    """A session of Spark."""
    pytest.importorskip("pyspark")
    from tests.support.spark_places import small_session

    session = small_session("planted-secrets")
    yield session
    session.stop()


def test_a_plan_has_no_secret(spark: Any, proxy: Proxy, database: str, capfd: pytest.CaptureFixture[str]) -> None:
    def keys(request: Request) -> tuple[int, bytes] | None:
        if not request.target.endswith("/token"):
            return None
        given = {"token": {"s3.secret-key": FILES_KEY}, "expiresAtMillis": 4_000_000_000_000}
        return 200, json.dumps(given).encode()

    proxy.refuses = keys
    catalog = wb.connect(options_of(proxy.port, **{"data-token.enabled": "true"}))
    catalog.create_database(database)
    table = catalog.create_table(f"{database}.t", {"id": "INT NOT NULL", "name": "STRING"}, primary_key="id")
    table.write([{"id": 1, "name": "one"}])
    session = wb.spark.attach(spark.newSession(), catalog)
    name = f"paimon.{database}.t"
    session.sql(f"INSERT INTO {name} VALUES (2, 'two')")
    frame = session.table(name).where("id > 0").groupBy("name").count()
    assert len(frame.collect()) == 2
    shown = [repr(frame)]
    for mode in ("extended", "formatted", "codegen", "cost"):
        frame.explain(mode)
    shown.append(str(frame._jdf.queryExecution().toString()))
    shown += [f"{key}={value}" for key, value in spark.sparkContext.getConf().getAll()]
    shown += [str(row) for row in session.sql("SET -v").collect()]
    shown += [str(row) for row in session.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()]
    shown += [str(row) for row in session.sql(f"SHOW CREATE TABLE {name}").collect()]
    for statement in (f"SELECT nope FROM {name}", f"INSERT INTO {name} VALUES (NULL, 'x')"):
        with pytest.raises(Exception) as failed:  # noqa: PT011 - whatever it is, it has no secret
            session.sql(statement).collect()
        shown.append(str(failed.value))
    with proxy.dead(), pytest.raises(Exception) as failed:  # noqa: PT011
        session.table(name).collect()
    shown.append(str(failed.value))
    assert "cannot be reached" in shown[-1]
    out, err = capfd.readouterr()
    assert "Physical Plan" in out
    for text in (*shown, out, err):
        for secret in (TOKEN, FILES_KEY):
            assert secret not in text, text[max(0, text.index(secret) - 300) :][:400]
