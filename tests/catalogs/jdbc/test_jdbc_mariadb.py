"""What only concerns MariaDB and MySQL."""

from __future__ import annotations

import pytest

import workbench as wb
from tests.catalogs.jdbc.servers import Place, driver_jars
from tests.catalogs.referee import JavaCatalog

pytestmark = [pytest.mark.parametrize("new_place", ["mariadb"], indirect=True), pytest.mark.long]


def test_the_other_protocol_and_the_usual_character_set_of_mariadb(options: dict[str, str], place: Place) -> None:
    place.run(f"ALTER DATABASE {options['uri'].rpartition('/')[2]} CHARACTER SET utf8mb4")
    catalog = wb.connect({**options, "uri": options["uri"].replace("jdbc:mysql:", "jdbc:mariadb:")})
    catalog.create_database("shop")
    catalog.create_table("shop.t", {"n": "INT"}, options={"owner": "ä" * 1000}).write([{"n": 1}])
    java = JavaCatalog({**options, **place.java_options}, driver_jars())
    assert java.run("read", table="shop.t") == [["1"]]
