"""Responses to errors: a status, a code, and no confidential details."""

from __future__ import annotations

import errno
import json
import logging
import re

import pytest

import workbench as wb
from workbench.base.errors import InvalidRequest
from workbench.server.read_failures import failure_of
from workbench.server.registry import ENDPOINTS
from workbench.server.requests import field_names

LOG = logging.getLogger("test_failures")
SECRET = "s3://user:s3cr3t@lake/wh"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InvalidRequest("x"), 400, "invalid_request"),
        (wb.TableNotFound("x"), 404, "table_not_found"),
        (wb.CatalogNotFound("x"), 404, "catalog_not_found"),
        (wb.DatabaseNotFound("x"), 404, "database_not_found"),
        (wb.SnapshotNotFound("x"), 404, "snapshot_not_found"),
        (wb.AlreadyExists("x"), 409, "already_exists"),
        (wb.CorruptFile("x", "y"), 422, "corrupt_file"),
        (wb.Unsupported("x"), 422, "unsupported"),
        (wb.CatalogError("x"), 422, "catalog_error"),
        (wb.NoAnswer("x"), 422, "no_answer"),
        (wb.Cancelled(), 503, "cancelled"),
        (OSError(errno.ENAMETOOLONG, "File name too long"), 400, "invalid_request"),
        (PermissionError(errno.EACCES, "Permission denied"), 503, "storage_error"),
        (OSError("the store hangs up"), 503, "storage_error"),
        (ValueError("x"), 500, "internal_error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_status_and_code(error: Exception, status: int, code: str) -> None:
    answer = failure_of(error, LOG)
    reported = json.loads(answer.body)
    assert (answer.status, reported["code"], set(reported)) == (status, code, {"code", "message", "hint", "file"})
    assert reported["message"].endswith(".") or reported["message"] == "x"


@pytest.mark.parametrize(
    "error",
    [
        wb.CatalogError(f"There is no warehouse at {SECRET}.", f"Look at {SECRET}."),
        OSError(errno.EACCES, "Permission denied", SECRET),
        OSError(f"Cannot reach {SECRET}"),
        KeyError(SECRET),
    ],
    ids=lambda error: type(error).__name__,
)
def test_credentials_are_not_reported(error: Exception) -> None:
    assert b"s3cr3t" not in failure_of(error, LOG).body


def test_unexpected_errors_are_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    failure_of(KeyError("the reason"), LOG)
    assert "the reason" in caplog.text


def test_every_endpoint_is_registered_under_its_name() -> None:
    assert {name: endpoint.name for name, endpoint in ENDPOINTS.items()} == {name: name for name in ENDPOINTS}
    for endpoint in ENDPOINTS.values():
        assert endpoint.path is None or set(re.findall(r"{(\w+)}", endpoint.path)) <= set(field_names(endpoint.request))
