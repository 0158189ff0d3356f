"""Credentials of tables, from a service that is played."""

from __future__ import annotations

import time

import pytest

from workbench.catalog.rest import tokens
from workbench.catalog.rest.tokens import tokens_of


class PlayedApi:
    """Gives a new key with each answer."""

    answers = 0

    def token(self, database: str, table: str) -> tuple[dict[str, str], float]:
        PlayedApi.answers += 1
        return {"key": f"{database}.{table}:{PlayedApi.answers}"}, time.time() + 7200


def test_a_table_that_is_created_again_gets_other_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "api_for", lambda _: PlayedApi())
    options = {"uri": "http://played"}
    first = tokens_of(options, "shop", "t", "uuid-1").current()
    assert tokens_of(options, "shop", "t", "uuid-1").current() is first
    assert tokens_of(options, "shop", "t", "uuid-2").current().options != first.options
