"""Spark on tables in stores: who reads and writes the files, and whether secrets are shown."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import pytest

from tests.interop.provision import jar, pyspark_jar, unavailable
from tests.stores.servers import HDFS, SERVERS, RunningStore
from tests.stores.spark_runs import files_with, run_on_spark

pytestmark = pytest.mark.spark
S3 = pytest.mark.parametrize("store", SERVERS[:1], ids=["S3"], indirect=True)
# What hadoop-aws needs, by the version of Hadoop that PySpark contains.
_OF_S3A = {
    "3.5.0": (
        "org.apache.hadoop:hadoop-aws:3.5.0",
        "software.amazon.awssdk:bundle:2.35.4",
        "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1",
    )
}


@pytest.fixture
def planted(store: RunningStore) -> dict[str, str]:
    """The options of a catalog whose keys are unlike any other text."""
    names = ("s3.access-key", "s3.secret-key", "s3.session-token")
    return {**store.options, **{name: uuid.uuid4().hex for name in names}}


def _secrets(options: dict[str, str]) -> list[str]:
    return [text for name, text in options.items() if re.search("key|token", name)]


def _check(texts: str, *, read_by: str, written_by: str) -> None:
    assert texts.count("The rows are right") == 2
    assert f"Written by {written_by}" in texts
    assert read_by in next(line for line in texts.splitlines() if line.startswith("The cell"))


@S3
@pytest.mark.long
def test_spark_by_python_tasks(planted: dict[str, str], warehouse: str, tmp_path: Path) -> None:
    texts = run_on_spark(tmp_path, warehouse, planted)
    reason = "Python tasks: this Spark has no file system for 's3a:'"
    _check(texts, read_by=f"files read by {reason}", written_by=reason)
    assert texts.count(f"files read by {reason}") > 2
    assert "FileScan parquet" not in texts
    assert files_with(tmp_path, _secrets(planted)) == []
    assert files_with(tmp_path, ["paimon.shop.t"]), "the files contain plans"


@S3
@pytest.mark.long
def test_spark_by_hadoops_file_system(planted: dict[str, str], warehouse: str, tmp_path: Path) -> None:
    version = pyspark_jar("hadoop-client-api").stem.rpartition("-")[2]
    if version not in _OF_S3A:
        unavailable(f"the jars of S3A for Hadoop {version} are not known")
    texts = run_on_spark(tmp_path, warehouse, planted, [jar(each) for each in _OF_S3A[version]])
    copies = "Python tasks: the storage would copy files that are moved into their buckets"
    _check(texts, read_by="files read by Spark", written_by=copies)
    assert re.search(r"FileScan parquet .*\[s3a://lake/", texts)
    assert re.search(r"ParquetScan .*\[s3a://lake/", texts)
    assert files_with(tmp_path, _secrets(planted)) == []


@pytest.mark.parametrize("store", [HDFS], ids=["HDFS"], indirect=True)
@pytest.mark.long
def test_spark_on_hdfs(store: RunningStore, warehouse: str, tmp_path: Path) -> None:
    texts = run_on_spark(tmp_path, warehouse, store.options)
    _check(texts, read_by="files read by Spark", written_by="Spark's own writer")
    assert re.search(r"FileScan parquet .*\[hdfs://127.0.0.1:", texts)
