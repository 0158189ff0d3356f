from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.interop import lives
from tests.interop.cases import NESTED, Case
from tests.interop.referees import Engine, start


@pytest.fixture(scope="session")
def referee() -> Iterator[Callable[[str], Engine]]:
    """Referees by name, each started on first use and ended with the session."""
    running: dict[str, Engine] = {}

    def by_name(name: str) -> Engine:
        if name not in running:
            running[name] = start(name)
        return running[name]

    yield by_name
    for engine in running.values():
        engine.close()


@pytest.fixture(scope="session")
def our_life(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], lives.Life]:
    """The table of a case, created once by our library and checked by many tests."""
    result: dict[str, lives.Life | Exception] = {}

    def of(case: Case) -> lives.Life:
        if case.name not in result:
            try:
                result[case.name] = lives.through_us(case, tmp_path_factory.mktemp("ours"))
            except Exception as failure:  # noqa: BLE001 - raised again for each test that needs the table
                result[case.name] = failure
        life = result[case.name]
        if isinstance(life, Exception):
            raise life
        return life

    return of


@pytest.fixture(scope="session")
def their_life(
    tmp_path_factory: pytest.TempPathFactory, referee: Callable[[str], Engine]
) -> Callable[[str, Case], lives.Life]:
    """The table of a case, created once by a referee."""
    result: dict[tuple[str, str], lives.Life] = {}

    def of(engine: str, case: Case) -> lives.Life:
        if (engine, case.name) not in result:
            warehouse = tmp_path_factory.mktemp("theirs")
            if engine.startswith("java"):
                life = lives.through_java(case, warehouse, referee(engine))
            else:
                # the Rust peer makes tables in SQL, which has no TIME, and whose nested types we do not spell
                beyond_sql = {"TIME(3)", *NESTED}.intersection(map(case.type_of, case.columns))
                creator = "pypaimon" if beyond_sql else engine
                life = lives.through_peer(case, warehouse, referee(engine), referee(creator))
            result[engine, case.name] = life
        return result[engine, case.name]

    return of
