from __future__ import annotations

from workbench.sql.documentation import FILE, document


def test_the_page_on_sql_is_generated_from_the_lists() -> None:
    assert FILE.read_text(encoding="utf-8") == document(), "Run python -m workbench.sql.documentation."
