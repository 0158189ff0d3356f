"""Assignments to columns and to fields of columns, ``s.city = 'Rome'``, in UPDATE and MERGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.base.errors import InvalidExpression, SchemaMismatch, Unsupported, did_you_mean
from workbench.base.modules import exp
from workbench.format.types import DataField, RowType
from workbench.sql.commands.relations import Names, path_below

Path = tuple[str, ...]


def assignment_path(node: exp.Expression, names: Names) -> Path:
    """Return the path of the column or nested field that an assignment sets, without a table name from ``names``.

    Raises:
        Unsupported: If it names neither a column nor a field.
    """
    parts = node.parts if isinstance(node, exp.Column | exp.Dot) else []
    path = tuple(str(part.name) for part in parts)
    if not path or any(not isinstance(part, exp.Identifier) for part in parts):
        raise Unsupported(f"Assigning '{node.sql(dialect='spark')}' is not supported.", "Assign a column or a field.")
    below = path_below(node, names)
    return path if below is None else path[len(path) - len(below) :]


def add_assignment(found: dict[Path, exp.Expression], path: Path, value: exp.Expression) -> None:
    """Add an assignment to the assignments in ``found``.

    Raises:
        InvalidExpression: If the column, or a part of it, is assigned twice.
    """
    lowered = [part.lower() for part in path]
    for known in found:
        shared = min(len(known), len(path))
        if [part.lower() for part in known[:shared]] == lowered[:shared]:
            raise InvalidExpression(f"Column '{'.'.join(path)}' is assigned twice.", "Assign it once.")
    found[path] = value


def whole_columns(
    assignments: Mapping[Path, exp.Expression], fields: Sequence[DataField], table: str | None = None
) -> dict[str, exp.Expression]:
    """Return assignments to whole columns: assigned fields are combined with the column's other fields into a struct.

    Args:
        assignments: The values by column, or by column and field.
        fields: The columns of the table.
        table: The name of the table in expressions, or None if columns are not qualified.

    Raises:
        SchemaMismatch: If a column or field does not exist, or a field is assigned in a column that is not a struct.
    """
    result: dict[str, exp.Expression] = {}
    for path, value in assignments.items():
        if len(path) == 1:
            result[next((each.name for each in fields if each.name.lower() == path[0].lower()), path[0])] = value
        else:
            field = _named(fields, path[0], path)
            below = {other[1:]: each for other, each in assignments.items() if other[0].lower() == path[0].lower()}
            source = exp.column(exp.to_identifier(field.name, quoted=True), table=table)
            result[field.name] = _struct(field, below, source)
    return result


def _struct(field: DataField, below: Mapping[Path, exp.Expression], source: exp.Expression) -> exp.Expression:
    if not isinstance(field.type, RowType):
        raise SchemaMismatch(f"'{field.name}' is {field.type} and has no fields.", "Assign the whole column.")
    values = {_named(field.type.fields, path[0]).name: value for path, value in below.items() if len(path) == 1}
    deeper = {path[0].lower() for path in below if len(path) > 1}
    arguments: list[exp.Expression] = []
    for each in field.type.fields:
        value = exp.Dot(this=source.copy(), expression=exp.to_identifier(each.name, quoted=True))
        if each.name.lower() in deeper:
            inner = {path[1:]: given for path, given in below.items() if path[0].lower() == each.name.lower()}
            arguments += [exp.Literal.string(each.name), _struct(each, inner, value)]
        else:
            arguments += [exp.Literal.string(each.name), values.get(each.name, value)]
    for path in below:
        _named(field.type.fields, path[0])
    return exp.Anonymous(this="named_struct", expressions=arguments)


def _named(fields: Sequence[DataField], name: str, path: Path = ()) -> DataField:
    """Return the field called ``name``; ``path`` is its full path in the statement, for the error message."""
    found = [each for each in fields if each.name == name]
    found = found or [each for each in fields if each.name.lower() == name.lower()]
    if len(found) != 1:
        others = did_you_mean(name, [each.name for each in fields])
        hint = others or "Before a column is the name of the changed table, or its alias if it has one."
        raise SchemaMismatch(f"There is no column '{'.'.join(path) or name}'.", hint)
    return found[0]
