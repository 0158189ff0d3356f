"""The page about stores lists the options that the library knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.storage.stores import azure, gcs, oss, s3
from workbench.storage.stores.options import StoreOption
from workbench.storage.stores.registry import STORES

PAGE = Path(__file__).parents[3] / "docs" / "stores.md"
TABLES = (
    ("S3", "s3.", s3.S3_OPTIONS),
    ("Azure", "fs.azure.", azure.AZURE_OPTIONS),
    ("GCS", "fs.gs.", gcs.GCS_OPTIONS),
    ("OSS", "fs.oss.", oss.OSS_OPTIONS),
    ("OBS", "fs.obs.", s3.OBS_OPTIONS),
    ("COS", "fs.cosn.", s3.COS_OPTIONS),
)


@pytest.mark.parametrize(("store", "prefix", "known"), TABLES, ids=[each[0] for each in TABLES])
def test_all_options_are_listed(store: str, prefix: str, known: tuple[StoreOption, ...]) -> None:
    in_hadoop = any(each.hadoop for each in known)
    rows = [f"| {', '.join(f'`{prefix}{name}`' for name in each.names)} | {each.meaning} |" for each in known]
    if in_hadoop:
        rows = [f"{row} {f'`{each.hadoop}`' if each.hadoop else ''} |" for row, each in zip(rows, known, strict=True)]
    heading = f"| Option of {store} | Meaning |" + (" Option of Hadoop |" if in_hadoop else "")
    assert "\n".join([heading, "|---|---|" + ("---|" if in_hadoop else ""), *rows]) in PAGE.read_text(encoding="utf-8")


def test_all_schemes_are_listed() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [scheme for scheme in STORES if f"`{scheme}:`" not in text and scheme != "memory"] == []
