"""The names that ``workbench`` exports: one list, the same for type checkers, with every type that users get."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import workbench as wb
from tests.support.public_types import named_types, returned_types


def type_checking_names(source: str) -> dict[str, tuple[str, str]]:
    """Return module and name of what the TYPE_CHECKING block of a module exports: ``import a as a``, and ``b = a``."""
    (block,) = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    imported: dict[str, tuple[str, str]] = {}
    exported: dict[str, tuple[str, str]] = {}
    for node in block.body:
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                imported.update({each.asname or each.name: (module, each.name) for each in names})
                exported.update({each.asname: (module, each.name) for each in names if each.asname == each.name})
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=value)):
                exported[name] = imported[value]
    return exported


def homes() -> dict[str, tuple[str, str]]:
    """Return the module of each public name and its name there. A subpackage counts as a name in the package."""
    listed = {name: home.partition(":") for name, home in wb._HOMES.items()}
    return {
        name: ("workbench", name) if module == f"workbench.{name}" else (module, attribute or name)
        for name, (module, _, attribute) in listed.items()
    }


def test_type_checkers_see_the_same_names() -> None:
    assert type_checking_names(Path(wb.__file__).read_text(encoding="utf-8")) == homes()
    assert wb.__all__ == sorted(wb.__all__)


@pytest.mark.parametrize("name", wb.__all__)
def test_every_name_loads(name: str) -> None:
    value = getattr(wb, name)
    assert value is not None
    if isinstance(value, type) and value is not type(wb.options):
        assert value.__name__ == name


@pytest.mark.parametrize("owner", [wb.Table, wb.Sandbox, wb.Scan, wb.FileSystemCatalog])
def test_return_types_are_public(owner: type) -> None:
    returned = returned_types(owner)
    assert returned
    assert returned - set(wb.__all__) == set()


def test_the_types_of_annotations_are_found() -> None:
    class Owner:
        @property
        def size(self) -> Width | None:  # noqa: F821
            raise NotImplementedError

        def read(self) -> dict[str, Iterator[Tag]]:  # noqa: F821
            raise NotImplementedError

        def _inner(self) -> Hidden:  # noqa: F821
            raise NotImplementedError

    assert returned_types(Owner) == {"Width", "Tag"}
    assert named_types("pa.Table | list[Split]") == {"Split"}


def test_the_names_for_type_checkers_are_found() -> None:
    source = "if TYPE_CHECKING:\n    from a.b import C as C\n    from a import d\n    from a import f as g\n    e = d\n"
    assert type_checking_names(source) == {"C": ("a.b", "C"), "e": ("a", "d")}
