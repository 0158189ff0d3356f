"""Replacing a view, which is dropped and created, when the service fails in between."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from workbench.base.errors import AlreadyExists, CatalogError, NoAnswer
from workbench.catalog.descriptions import View
from workbench.catalog.identifier import Identifier
from workbench.catalog.rest.metastore import RestMetastore

NAME = Identifier("shop", "large")
OLD, NEW = View((), "SELECT 1 AS a"), View((), "SELECT 2 AS a")


class PlayedService(RestMetastore):
    """A service with one view, which answers each creation as it is said."""

    def __init__(self, answers: Sequence[Exception | None], *, creates: bool = False) -> None:
        super().__init__({}, {"uri": "http://127.0.0.1:1"})
        self.view: View | None = OLD
        self._answers = list(answers)
        self._creates = creates

    def get_view(self, identifier: Identifier) -> View | None:
        assert identifier == NAME
        return self.view

    def drop_view(self, identifier: Identifier) -> None:
        assert identifier == NAME
        self.view = None

    def create_view(self, identifier: Identifier, view: View) -> None:
        assert identifier == NAME
        if self.view is not None:
            raise AlreadyExists("It exists.")
        answer = self._answers.pop(0)
        if answer is None or self._creates:
            self.view = view
        if answer is not None:
            raise answer


def test_a_refused_view_is_replaced_by_the_old_one() -> None:
    service = PlayedService([CatalogError("Bad query."), None])
    with pytest.raises(CatalogError, match="Bad query"):
        service.replace_view(NAME, OLD, NEW)
    assert service.view == OLD


def test_a_creation_whose_answer_is_lost_has_happened() -> None:
    service = PlayedService([NoAnswer("No answer.")], creates=True)
    service.replace_view(NAME, OLD, NEW)
    assert service.view == NEW


def test_the_query_of_a_view_that_is_lost_is_in_the_error() -> None:
    service = PlayedService([NoAnswer("No answer."), NoAnswer("No answer.")])
    with pytest.raises(CatalogError, match="neither the new nor the old one") as lost:
        service.replace_view(NAME, OLD, NEW)
    assert "its query was: SELECT 1 AS a" in str(lost.value)
