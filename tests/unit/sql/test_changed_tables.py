from __future__ import annotations

import pytest

from workbench.sql.parse import parse
from workbench.sql.session.changed_tables import changed_tables


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("DELETE FROM shop.orders WHERE id = 1", [("shop", "orders")]),
        ("TRUNCATE TABLE orders", [("orders",)]),
        ("CALL sys.rollback(table => 'shop.orders', version => '1')", [("shop", "orders")]),
        ("CALL sys.remove_orphan_files(table => 'shop.*', dry_run => true)", []),
        ("SHOW DATABASES", []),
    ],
)
def test_changed_tables(text: str, tables: list[tuple[str, ...]]) -> None:
    assert [each.parts for each in changed_tables(parse(text))] == tables
